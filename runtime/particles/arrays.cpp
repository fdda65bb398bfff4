// See arrays.hpp.
#include "particles/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.hpp"
#include "halyard/status.hpp"

namespace halyard {

const ParticleArray* Particles::find(const std::string& name) const {
  const auto found =
      std::find_if(arrays.begin(), arrays.end(), [&](const ParticleArray& array) { return array.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

}  // namespace halyard

namespace halyard::particles {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(StatusCode::invalid_argument, "use arrays of particles: " + what);
}

std::size_t number_of(const Particles& particles, const std::string& name, const char* purpose) {
  const ParticleArray* array = particles.find(name);
  if (array == nullptr) {
    std::string known;
    for (const ParticleArray& other : particles.arrays) known += (known.empty() ? "" : ", ") + other.name;
    refuse(fmt::format("there is no array '{}' for {}; there are: {}", name, purpose, known));
  }
  return static_cast<std::size_t>(array - particles.arrays.data());
}

void check_array(const Particles& particles, const ParticleArray& array) {
  if (particles.find(array.name) != &array) refuse(fmt::format("there are two arrays called '{}'", array.name));
  if (array.element.count < 1) refuse(fmt::format("array '{}' has no components", array.name));
  if (array.data == nullptr && particles.capacity > 0)
    refuse(fmt::format("array '{}' is null, but the capacity is {}", array.name, particles.capacity));
  const auto scalar = static_cast<std::int64_t>(bytes_of(array.element.scalar));
  if (std::abs(array.stride_bytes) < scalar ||
      (array.element.count > 1 && std::abs(array.component_stride_bytes) < scalar))
    refuse(
        fmt::format("array '{}' goes {} bytes from a particle to the next and {} from a component to the next; its "
                    "scalars have {}",
                    array.name, array.stride_bytes, array.component_stride_bytes, scalar));
  if (array.element.scalar == Scalar::opaque && array.component_stride_bytes != 1)
    refuse(fmt::format("array '{}' is opaque, so its bytes must lie beside each other", array.name));
}

void set_position(const Particles& particles, Roles& roles) {
  if (particles.position.size() != 1 && particles.position.size() != 3)
    refuse(fmt::format("{} arrays hold positions; give one of three components, or three of one",
                       particles.position.size()));
  const std::uint32_t components = particles.position.size() == 1 ? 3 : 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string& name = particles.position[components == 3 ? 0 : axis];
    const std::size_t number = number_of(particles, name, "positions");
    const ElementType& element = particles.arrays[number].element;
    if (element.count != components || (element.scalar != Scalar::f32 && element.scalar != Scalar::f64))
      refuse(fmt::format("'{}' holds positions and must have {} component(s) of float or double", name, components));
    if (axis > 0 && element.scalar != roles.position) refuse("positions are float on one axis and double on another");
    roles.position = element.scalar;
    roles.axes[axis] = {number, components == 3 ? static_cast<std::int64_t>(axis) : 0};
  }
}

std::optional<std::size_t> special(const Particles& particles, const std::string& name, const char* purpose,
                                   std::initializer_list<Scalar> scalars, std::uint32_t components) {
  if (name.empty()) return std::nullopt;
  const std::size_t number = number_of(particles, name, purpose);
  const ElementType& element = particles.arrays[number].element;
  if (std::find(scalars.begin(), scalars.end(), element.scalar) == scalars.end() || element.count != components)
    refuse(fmt::format("'{}' is of the wrong type for {}: ids are one 64-bit integer, images three 32-bit integers",
                       name, purpose));
  if (!particles.arrays[number].migrates) refuse(fmt::format("'{}' is for {} and must migrate", name, purpose));
  return number;
}

void set_record(const Particles& particles, Roles& roles) {
  base::Hash hash;
  for (std::size_t a = 0; a < particles.arrays.size(); ++a) {
    const ParticleArray& array = particles.arrays[a];
    if (!array.migrates) continue;
    roles.migrating.push_back(a);
    roles.record_bytes += static_cast<std::int64_t>(array.element.bytes());
    hash.add(static_cast<int>(array.element.scalar)).add(static_cast<std::uint64_t>(array.element.count));
  }
  for (const CoordinateAt& at : roles.axes)
    if (!particles.arrays[at.array].migrates)
      refuse(fmt::format("'{}' holds positions and must migrate", particles.arrays[at.array].name));
  roles.record_hash = hash.value();
}

}  // namespace

std::optional<std::size_t> Roles::first_axis_of(std::size_t array) const {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (axes[axis].array == array) return axis;
  return std::nullopt;
}

Roles roles_of(const Particles& particles) {
  for (const ParticleArray& array : particles.arrays) check_array(particles, array);
  check_counts(particles);
  Roles roles;
  set_position(particles, roles);
  roles.id = special(particles, particles.id, "ids", {Scalar::i64, Scalar::u64}, 1);
  roles.image = special(particles, particles.image, "images", {Scalar::i32}, 3);
  set_record(particles, roles);
  return roles;
}

void check_counts(const Particles& particles) {
  if (particles.num_owned < 0 || particles.num_ghosts < 0 ||
      particles.num_owned + particles.num_ghosts > particles.capacity || particles.capacity > INT32_MAX)
    refuse(fmt::format("{} owned and {} ghosts do not fit a capacity of {} (at most 2^31 - 1)", particles.num_owned,
                       particles.num_ghosts, particles.capacity));
}

void make_room(Particles& particles, std::int64_t needed) {
  if (needed <= particles.capacity) return;
  const auto wants = fmt::format("hold {} particles and ghosts in arrays with room for {}", needed, particles.capacity);
  if (needed > INT32_MAX)
    throw Error(StatusCode::not_supported, wants + ": a rank holds at most 2^31 - 1; use more ranks");
  if (!particles.grow) throw Error(StatusCode::out_of_resources, wants + ": set a larger capacity, or Particles::grow");
  particles.grow(particles, needed);
  if (particles.capacity < needed)
    throw Error(StatusCode::out_of_resources,
                wants + fmt::format(": Particles::grow left the capacity at {}", particles.capacity));
  for (const ParticleArray& array : particles.arrays)
    if (array.data == nullptr)
      throw Error(StatusCode::out_of_resources, wants + fmt::format(": Particles::grow left '{}' null", array.name));
}

std::vector<std::size_t> numbers_of(const Particles& particles, const std::vector<std::string>& names) {
  std::vector<std::size_t> numbers;
  for (const std::string& name : names) numbers.push_back(number_of(particles, name, "an exchange of ghosts"));
  return numbers;
}

FieldView view_of(const ParticleArray& array, std::int64_t capacity) {
  FieldView view;
  view.name = array.name;
  view.data = array.data;
  const bool is_opaque = array.element.scalar == Scalar::opaque;
  view.element = is_opaque ? array.element : ElementType{array.element.scalar, 1};
  view.extent = {capacity, is_opaque ? 1 : static_cast<std::int64_t>(array.element.count), 1};
  view.stride_bytes = {array.stride_bytes, array.component_stride_bytes, 0};
  return view;
}

Point3 position_of(const Particles& particles, const Roles& roles, std::int64_t i) {
  Point3 point{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const ParticleArray& array = particles.arrays[roles.axes[axis].array];
    const std::int64_t component = roles.axes[axis].component;
    point[axis] = roles.position == Scalar::f32 ? static_cast<double>(Column<float>(array, component)[i])
                                                : Column<double>(array, component)[i];
  }
  return point;
}

std::optional<std::int64_t> id_of(const Particles& particles, const Roles& roles, std::int64_t i) {
  if (!roles.id) return std::nullopt;
  return Column<std::int64_t>(particles.arrays[*roles.id], 0)[i];
}

}  // namespace halyard::particles
