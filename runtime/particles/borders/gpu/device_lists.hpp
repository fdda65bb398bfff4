// DeviceLists: BorderLists of particles in GPU memory: kernels count and list, only counts come to the host.
//
// Owned by BordersCore; one thread. Lists stay where they are until the next one.
#pragma once

#include <cstdint>
#include <memory>

#include "particles/borders/border_lists.hpp"
#include "particles/device/searching.hpp"

namespace halyard::particles {

class DeviceLists {
 public:
  /// Throws Error(out_of_resources).
  DeviceLists(std::shared_ptr<const device::OnGpu> on_gpu, const BorderLists& lists);

  /// Lists the particles as they lie now, and sets the counts of `lists`. Throws Error.
  void list(const Particles& particles, const Roles& roles, BorderLists& lists);

  /// All numbers, rank by rank in the order of lists.to(), group by group; GPU memory.
  const std::int32_t* numbers() const { return searching_.selection().numbers; }
  /// Which of them are the same, as pack::device::Run::chain: made in `stream` when first asked for. Throws Error.
  const std::uint32_t* chain(Stream stream);

 private:
  void upload(const BorderLists& lists);

  std::shared_ptr<const device::OnGpu> on_gpu_;
  device::Searching searching_;
  exchange::gpu::GpuBuffer tables_;
  device::WithinReach reach_;  // without coordinates
  std::uint32_t num_listed_ = 0;
  exchange::gpu::GpuRoom chain_;
  bool has_chain_ = false;
};

}  // namespace halyard::particles
