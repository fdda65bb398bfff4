// LandedPlaces: where each element's part of a reverse message lands, for each array: pack::device::GhostSums needs it
// in GPU memory. Owned by a GpuGhostExchange; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "particles/device/memory.hpp"

namespace halyard::particles {

class LandedPlaces {
 public:
  /// What comes over one link: so many elements, in a message that lands at `address`.
  struct From {
    std::int64_t count = 0;
    pack::Place address = 0;
  };

  /// By array, the places of all elements, link by link: made in `stream`, and there until the next call. Throws Error.
  std::vector<const std::int64_t*> list(const device::OnGpu& on_gpu, Stream stream,
                                        std::span<const pack::device::ElementArray> arrays,
                                        std::span<const From> links);

 private:
  void write_links(std::span<const pack::device::ElementArray> arrays, std::span<const From> links);

  exchange::gpu::GpuRoom places_;
  exchange::gpu::GpuRoom links_;     // device::LandedLink, array by array
  exchange::gpu::MappedRoom image_;  // of links_
};

}  // namespace halyard::particles
