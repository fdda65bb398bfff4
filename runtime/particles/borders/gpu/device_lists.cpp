// See device_lists.hpp.
#include "particles/borders/gpu/device_lists.hpp"

#include <cstring>

#include "halyard/status.hpp"

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
    : on_gpu_(std::move(on_gpu)), num_groups_(num_groups_of(lists)) {
  std::size_t num_intervals = 0;
  for (const auto& axis : lists.axes()) num_intervals += axis.intervals.size() + 16;
  const std::size_t bytes = num_intervals * sizeof(device::Interval) +
                            num_groups_ * (sizeof(device::StepsOfGroup) + 2 * sizeof(std::uint32_t)) + 6 * 256;
  tables_ = exchange::gpu::mapped_buffer(on_gpu_->around.device, bytes);
  upload(lists);
}

void DeviceLists::upload(const BorderLists& lists) {
  Taking tables(tables_.get());
  for (std::size_t a = 0; a < 3; ++a) {
    const BorderLists::Axis& axis = lists.axes()[a];
    auto* intervals = tables.take<device::Interval>(axis.intervals.size());
    for (std::size_t s = 0; s < axis.intervals.size(); ++s) intervals[s] = {axis.intervals[s].lo, axis.intervals[s].hi};
    reach_.axes[a] = {intervals, static_cast<std::uint32_t>(axis.intervals.size()), axis.inner_lo, axis.inner_hi};
  }
  auto* groups = tables.take<device::StepsOfGroup>(num_groups_);
  totals_ = tables.take<std::uint32_t>(num_groups_);
  first_ = tables.take<std::uint32_t>(num_groups_);
  reach_.groups = groups;
  for (const BorderTo& to : lists.to())
    for (const Nearby& nearby : to.groups) {
      for (std::size_t a = 0; a < 3; ++a)
        groups->at[a] = static_cast<std::uint32_t>(nearby.steps[a] - lists.axes()[a].intervals.front().step);
      ++groups;
    }
}

device::WithinReach DeviceLists::search(const Particles& particles, const Roles& roles) const {
  device::WithinReach search = reach_;
  search.x = device::coordinates_on_gpu(particles, roles);
  return search;
}

void DeviceLists::list(const Particles& particles, const Roles& roles, BorderLists& lists) {
  const auto& device = on_gpu_->around.device;
  device::Selection selection;
  selection.num_particles = particles.num_owned;
  selection.num_groups = num_groups_;
  selection.num_segments = static_cast<std::uint32_t>((particles.num_owned + device::kSegment - 1) / device::kSegment);
  selection.totals = totals_;
  selection.first = first_;
  const std::size_t num_counts = std::size_t{num_groups_} * selection.num_segments;
  selection.counts =
      reinterpret_cast<std::uint32_t*>(counts_.fit(device, on_gpu_->ordinal, num_counts * sizeof(std::uint32_t)));
  const device::WithinReach reach = search(particles, roles);
  device::count(on_gpu_->gpu(), reach, selection).or_throw();
  on_gpu_->synchronize();
  std::uint64_t all = 0;
  for (std::uint32_t g = 0; g < num_groups_; ++g) {
    first_[g] = static_cast<std::uint32_t>(all);
    all += totals_[g];
  }
  if (all >= pack::device::kNotFirst)
    throw Error(StatusCode::not_supported, "list borders: 2^31 ghosts of one rank's particles; use more ranks");
  const std::size_t bytes = all * sizeof(std::int32_t);
  selection.numbers = reinterpret_cast<std::int32_t*>(numbers_.fit(device, on_gpu_->ordinal, bytes));
  auto* chain = reinterpret_cast<std::uint32_t*>(chain_.fit(device, on_gpu_->ordinal, bytes));
  device::list(on_gpu_->gpu(), reach, selection).or_throw();
  device::chain(on_gpu_->gpu(), reach, selection, static_cast<std::uint32_t>(all), chain).or_throw();
  on_gpu_->synchronize();
  lists.set_counts({totals_, num_groups_});
}

}  // namespace halyard::particles
