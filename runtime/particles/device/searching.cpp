// See searching.hpp.
#include "particles/device/searching.hpp"

#include "pack/device/tables.hpp"

namespace halyard::particles::device {
namespace {

constexpr std::uint32_t kFirstCapacity = 1024;

}  // namespace

Searching::Searching(std::shared_ptr<const OnGpu> on_gpu, std::uint32_t num_groups) : on_gpu_(std::move(on_gpu)) {
  const auto& device = on_gpu_->around.device;
  const std::size_t words = std::size_t{num_groups} + 2;
  first_ = exchange::gpu::gpu_buffer(device, on_gpu_->ordinal, words * sizeof(std::uint32_t));
  told_ = exchange::gpu::mapped_buffer(device, words * sizeof(std::uint32_t));
  selection_.num_groups = num_groups;
  selection_.first = reinterpret_cast<std::uint32_t*>(first_.get());
  selection_.num_scanned = selection_.first + num_groups + 1;
  selection_.told = reinterpret_cast<std::uint32_t*>(told_.get());
  make_room(kFirstCapacity);
}

void Searching::begin(std::int64_t num_particles) {
  selection_.num_particles = num_particles;
  selection_.num_segments = static_cast<std::uint32_t>((num_particles + kSegment - 1) / kSegment);
  const std::size_t num_counts = std::size_t{selection_.num_groups} * selection_.num_segments;
  selection_.counts = reinterpret_cast<std::uint32_t*>(
      counts_.fit(on_gpu_->around.device, on_gpu_->ordinal, num_counts * sizeof(std::uint32_t)));
}

std::uint32_t Searching::num_found() const {
  const std::uint64_t all = std::accumulate(told().begin(), told().end(), std::uint64_t{0});
  if (all >= pack::device::kNotFirst)
    throw Error(StatusCode::not_supported, "list particles: 2^31 places of one rank's particles; use more ranks");
  return static_cast<std::uint32_t>(all);
}

// With room to spare, as Room has.
void Searching::make_room(std::uint32_t count) {
  selection_.capacity = 0;
  const std::uint32_t capacity = count + count / 4;
  selection_.numbers = reinterpret_cast<std::int32_t*>(
      numbers_.fit(on_gpu_->around.device, on_gpu_->ordinal, capacity * sizeof(std::int32_t)));
  selection_.capacity = capacity;
}

}  // namespace halyard::particles::device
