// See mirror.hpp.
#include "particles/device/mirror.hpp"

#include <algorithm>

namespace halyard::particles::device {
namespace {

// Sections are aligned for any unit.
std::size_t section_bytes(std::size_t element_bytes, std::int64_t count) {
  return (element_bytes * static_cast<std::size_t>(count) + 15) / 16 * 16;
}

}  // namespace

std::vector<std::size_t> position_arrays(const Roles& roles, std::initializer_list<std::optional<std::size_t>> more) {
  std::vector<std::size_t> arrays;
  const auto add = [&](std::size_t array) {
    if (std::find(arrays.begin(), arrays.end(), array) == arrays.end()) arrays.push_back(array);
  };
  for (const CoordinateAt& at : roles.axes) add(at.array);
  for (const auto& array : more)
    if (array) add(*array);
  return arrays;
}

const Particles& Mirror::take(const Particles& particles, const Roles& roles, std::span<const std::size_t> arrays,
                              std::int64_t count, const std::int32_t* numbers) {
  begin_to_take(particles, roles, arrays, count, numbers);
  on_gpu_->synchronize();
  return taken(count);
}

void Mirror::begin_to_take(const Particles& particles, const Roles& roles, std::span<const std::size_t> arrays,
                           std::int64_t most, const std::int32_t* numbers, const std::uint32_t* count) {
  numbers_ = numbers;
  std::size_t bytes = section_bytes(sizeof(*numbers), most);
  for (const std::size_t a : arrays) bytes += section_bytes(particles.arrays[a].element.bytes(), most);
  std::byte* next = memory_.fit(on_gpu_->around.device, on_gpu_->ordinal, bytes);
  copy_.arrays = particles.arrays;
  copy_.num_owned = copy_.capacity = most;
  for (ParticleArray& array : copy_.arrays) array.data = nullptr;
  runs_.clear();
  for (const std::size_t a : arrays) {
    ParticleArray& array = copy_.arrays[a];
    array.data = next;
    array.stride_bytes = static_cast<std::int64_t>(array.element.bytes());
    array.component_stride_bytes = static_cast<std::int64_t>(bytes_of(array.element.scalar));
    next += section_bytes(array.element.bytes(), most);
    runs_.push_back(run(particles, roles, a, false));
  }
  host_numbers_ = reinterpret_cast<const std::int32_t*>(next);
  if (numbers != nullptr) {
    const pack::device::ElementArray listed{pack::place_of(numbers), 4, 4, {Scalar::i32, 1}};
    runs_.push_back(pack::device::numbered_run(listed, pack::device::in_array(listed, 0),
                                               pack::device::in_message(listed, pack::place_of(next)), most, 16));
  }
  pack::device::copy_numbered(*on_gpu_->around.device, on_gpu_->ordinal, runs_, {}, count).or_throw();
}

const Particles& Mirror::taken(std::int64_t count) {
  copy_.num_owned = copy_.capacity = count;
  return copy_;
}

void Mirror::put_back(const Particles& particles, const Roles& roles, std::span<const std::size_t> arrays) {
  runs_.clear();
  for (const std::size_t a : arrays) runs_.push_back(run(particles, roles, a, true));
  pack::device::copy_numbered(*on_gpu_->around.device, on_gpu_->ordinal, runs_, {}).or_throw();
}

pack::device::Run Mirror::run(const Particles& particles, const Roles& roles, std::size_t number, bool is_back) const {
  const auto array = element_array(particles, roles, number);
  const auto there = pack::device::in_array(array, 0, numbers_);
  const auto here = pack::device::in_message(array, pack::place_of(copy_.arrays[number].data));
  return pack::device::numbered_run(array, is_back ? here : there, is_back ? there : here, copy_.num_owned, 16);
}

}  // namespace halyard::particles::device
