// See mirror.hpp.
#include "particles/device/mirror.hpp"

#include <algorithm>

namespace halyard::particles::device {

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
  arrays_.assign(arrays.begin(), arrays.end());
  numbers_ = numbers;
  std::size_t bytes = 0;
  for (const std::size_t a : arrays_)
    bytes += particles.arrays[a].element.bytes() * static_cast<std::size_t>(count) + 16;
  std::byte* next = memory_.fit(on_gpu_->around.device, on_gpu_->ordinal, bytes);
  copy_.arrays = particles.arrays;
  copy_.num_owned = copy_.capacity = count;
  for (ParticleArray& array : copy_.arrays) array.data = nullptr;
  for (const std::size_t a : arrays_) {
    ParticleArray& array = copy_.arrays[a];
    array.data = next;
    array.stride_bytes = static_cast<std::int64_t>(array.element.bytes());
    array.component_stride_bytes = static_cast<std::int64_t>(bytes_of(array.element.scalar));
    next += (array.element.bytes() * static_cast<std::size_t>(count) + 15) / 16 * 16;
  }
  copy(particles, roles, false);
  return copy_;
}

void Mirror::put_back(const Particles& particles, const Roles& roles) { copy(particles, roles, true); }

void Mirror::copy(const Particles& particles, const Roles& roles, bool is_back) {
  if (copy_.num_owned == 0) return;
  for (const std::size_t a : arrays_) {
    const auto array = element_array(particles, roles, a);
    const auto there = pack::device::in_array(array, 0, numbers_);
    const auto here = pack::device::in_message(array, pack::place_of(copy_.arrays[a].data));
    const auto run =
        pack::device::numbered_run(array, is_back ? here : there, is_back ? there : here, copy_.num_owned, 16);
    pack::device::copy_numbered(*on_gpu_->around.device, on_gpu_->ordinal, run, {}).or_throw();
  }
  on_gpu_->synchronize();
}

}  // namespace halyard::particles::device
