// Searching: memory of searches that are made again and again, and their flow: count, list into what there is room for,
// and wait once. Only when there are more numbers than ever before is the list made a second time, with more room.
//
// Owned by DeviceLists and DeviceDepartures; one thread. Numbers stay where they are until the next search.
#pragma once

#include <memory>
#include <numeric>
#include <span>

#include "particles/device/memory.hpp"

namespace halyard::particles::device {

class Searching {
 public:
  Searching(std::shared_ptr<const OnGpu> on_gpu, std::uint32_t num_groups);

  /// Answers how many numbers there are. `then` enqueues what is to be done with them before the host waits: in the
  /// default stream, with first() + num_groups as the number of them, perhaps more than capacity(), and perhaps twice.
  /// Throws Error.
  template <class Search, class Then>
  std::uint32_t run(const Search& search, std::int64_t num_particles, const Then& then) {
    begin(num_particles);
    count(on_gpu_->gpu(), search, selection_).or_throw();
    for (;;) {
      list(on_gpu_->gpu(), search, selection_).or_throw();
      then();
      on_gpu_->synchronize();
      const std::uint32_t all = num_found();
      if (all <= selection_.capacity) return all;
      make_room(all);
    }
  }

  const Selection& selection() const { return selection_; }
  std::span<const std::uint32_t> told() const { return {selection_.told, selection_.num_groups}; }
  std::uint32_t capacity() const { return selection_.capacity; }

 private:
  void begin(std::int64_t num_particles);
  std::uint32_t num_found() const;
  void make_room(std::uint32_t count);

  std::shared_ptr<const OnGpu> on_gpu_;
  Selection selection_;
  exchange::gpu::GpuBuffer first_;  // and num_scanned
  exchange::gpu::MappedBuffer told_;
  exchange::gpu::GpuRoom counts_;
  exchange::gpu::GpuRoom numbers_;
};

}  // namespace halyard::particles::device
