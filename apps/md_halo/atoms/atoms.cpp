// See atoms.hpp.
#include "atoms/atoms.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace halyard::md {
namespace {

// Numbers of arrays.
constexpr std::size_t kX = 0, kV = 1, kF = 2, kId = 3, kType = 4, kImage = 5;

}  // namespace

Atoms::Atoms(Context& context) : context_(&context) {
  for (const char* name : {"x", "v", "f"})
    particles_.arrays.push_back(ParticleArray::interleaved<double>(name, nullptr, 3));
  particles_.arrays.push_back(ParticleArray::interleaved<std::int64_t>("id", nullptr));
  particles_.arrays.push_back(ParticleArray::interleaved<std::int32_t>("type", nullptr));
  particles_.arrays.push_back(ParticleArray::interleaved<std::int32_t>("image", nullptr, 3));
  particles_.arrays[kF].migrates = false;
  particles_.id = "id";
  particles_.image = "image";
  particles_.grow = [this](Particles&, std::int64_t at_least) { grow(at_least); };
  memory_.resize(particles_.arrays.size());
  grow(1);
}

/// All new memory first: when there is too little, nothing has changed.
void Atoms::grow(std::int64_t at_least) {
  const std::int64_t capacity = at_least + at_least / 4;
  if (capacity > std::numeric_limits<std::int32_t>::max())
    throw std::runtime_error("hold " + std::to_string(at_least) +
                             " atoms on a rank: 2147483647 at most; use more ranks");
  const auto used = static_cast<std::size_t>(particles_.num_owned + particles_.num_ghosts);
  decltype(memory_) grown;
  for (const ParticleArray& array : particles_.arrays) {
    const auto bytes = static_cast<std::size_t>(array.stride_bytes);
    grown.emplace_back(context_->allocate(bytes * static_cast<std::size_t>(capacity)),
                       [context = context_](void* memory) { context->deallocate(memory); });
    if (used > 0) std::memcpy(grown.back().get(), array.data, used * bytes);
  }
  for (std::size_t i = 0; i < grown.size(); ++i) particles_.arrays[i].data = grown[i].get();
  memory_ = std::move(grown);
  particles_.capacity = capacity;
}

void Atoms::assign(const std::vector<Atom>& owned) {
  particles_.num_owned = particles_.num_ghosts = 0;
  const auto count = static_cast<std::int64_t>(owned.size());
  if (count > particles_.capacity) grow(count);
  for (std::size_t i = 0; i < owned.size(); ++i) {
    std::copy_n(owned[i].x.data(), 3, data<double>(kX) + 3 * i);
    std::copy_n(owned[i].v.data(), 3, data<double>(kV) + 3 * i);
    std::fill_n(data<double>(kF) + 3 * i, 3, 0.0);
    data<std::int64_t>(kId)[i] = owned[i].id;
    data<std::int32_t>(kType)[i] = owned[i].type;
    std::copy_n(owned[i].image.data(), 3, data<std::int32_t>(kImage) + 3 * i);
  }
  particles_.num_owned = count;
}

std::vector<Atom> Atoms::copy() const {
  std::vector<Atom> owned(static_cast<std::size_t>(particles_.num_owned));
  for (std::size_t i = 0; i < owned.size(); ++i) {
    Atom& atom = owned[i];
    std::copy_n(data<double>(kX) + 3 * i, 3, atom.x.data());
    std::copy_n(data<double>(kV) + 3 * i, 3, atom.v.data());
    atom.id = data<std::int64_t>(kId)[i];
    atom.type = data<std::int32_t>(kType)[i];
    std::copy_n(data<std::int32_t>(kImage) + 3 * i, 3, atom.image.data());
  }
  return owned;
}

std::vector<Vector> Atoms::forces() const {
  std::vector<Vector> forces(static_cast<std::size_t>(particles_.num_owned));
  for (std::size_t i = 0; i < forces.size(); ++i) std::copy_n(data<double>(kF) + 3 * i, 3, forces[i].data());
  return forces;
}

AtomViews<HostSpace> Atoms::views() const {
  const auto capacity = static_cast<std::size_t>(particles_.capacity);
  AtomViews<HostSpace> views;
  views.x = decltype(views.x)(data<double>(kX), capacity);
  views.v = decltype(views.v)(data<double>(kV), capacity);
  views.f = decltype(views.f)(data<double>(kF), capacity);
  views.id = decltype(views.id)(data<std::int64_t>(kId), capacity);
  views.type = decltype(views.type)(data<std::int32_t>(kType), capacity);
  views.image = decltype(views.image)(data<std::int32_t>(kImage), capacity);
  views.num_owned = static_cast<int>(particles_.num_owned);
  views.num_ghosts = static_cast<int>(particles_.num_ghosts);
  return views;
}

}  // namespace halyard::md
