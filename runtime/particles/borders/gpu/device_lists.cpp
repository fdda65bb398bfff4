// See device_lists.hpp.
#include "particles/borders/gpu/device_lists.hpp"

#include <cstring>
#include <vector>

namespace halyard::particles {
namespace {

// Takes pieces of one buffer.
class Taking {
 public:
  explicit Taking(std::byte* memory) : memory_(memory) {}
  template <class T>
  T* take(std::size_t count) {
    auto* taken = reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ += (count * sizeof(T) + 255) / 256 * 256;
    return taken;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

std::uint32_t num_groups_of(const BorderLists& lists) {
  std::size_t count = 0;
  for (const BorderTo& to : lists.to()) count += to.groups.size();
  return static_cast<std::uint32_t>(count);
}

}  // namespace

DeviceLists::DeviceLists(std::shared_ptr<const device::OnGpu> on_gpu, const BorderLists& lists)
    : on_gpu_(std::move(on_gpu)), searching_(on_gpu_, num_groups_of(lists)) {
  upload(lists);
}

// Every warp reads them, so they lie in GPU memory.
void DeviceLists::upload(const BorderLists& lists) {
  const auto& device = on_gpu_->around.device;
  std::size_t most = 4 * 256 + searching_.told().size() * sizeof(device::StepsOfGroup);
  for (const auto& axis : lists.axes()) most += axis.intervals.size() * sizeof(device::Interval);
  tables_ = exchange::gpu::gpu_buffer(device, on_gpu_->ordinal, most);
  std::vector<std::byte> image(most);
  Taking tables(tables_.get());
  const auto write = [&](const auto* there, std::size_t i, const auto& value) {
    const auto at = reinterpret_cast<const std::byte*>(there + i) - tables_.get();
    std::memcpy(image.data() + at, &value, sizeof(value));
  };
  for (std::size_t a = 0; a < 3; ++a) {
    const BorderLists::Axis& axis = lists.axes()[a];
    const auto* intervals = tables.take<device::Interval>(axis.intervals.size());
    for (std::size_t s = 0; s < axis.intervals.size(); ++s)
      write(intervals, s, device::Interval{axis.intervals[s].lo, axis.intervals[s].hi});
    reach_.axes[a] = {intervals, static_cast<std::uint32_t>(axis.intervals.size()), axis.inner_lo, axis.inner_hi};
  }
  reach_.groups = tables.take<device::StepsOfGroup>(searching_.told().size());
  std::size_t group = 0;
  for (const BorderTo& to : lists.to())
    for (const Nearby& nearby : to.groups) {
      device::StepsOfGroup steps;
      for (std::size_t a = 0; a < 3; ++a)
        steps.at[a] = static_cast<std::uint32_t>(nearby.steps[a] - lists.axes()[a].intervals.front().step);
      write(reach_.groups, group++, steps);
    }
  device->copy(tables_.get(), image.data(), most);
}

void DeviceLists::list(const Particles& particles, const Roles& roles, BorderLists& lists) {
  has_chain_ = false;
  device::WithinReach search = reach_;
  search.x = device::coordinates_on_gpu(particles, roles);
  num_listed_ = searching_.run(search, particles.num_owned, [] {});
  lists.set_counts(searching_.told());
}

const std::uint32_t* DeviceLists::chain(Stream stream) {
  auto* words = reinterpret_cast<std::uint32_t*>(
      chain_.fit(on_gpu_->around.device, on_gpu_->ordinal, num_listed_ * sizeof(std::uint32_t)));
  if (!has_chain_) device::chain(on_gpu_->gpu(), stream, searching_.selection(), num_listed_, words).or_throw();
  has_chain_ = true;
  return words;
}

}  // namespace halyard::particles
