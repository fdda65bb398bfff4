// DeviceLists: BorderLists of particles in GPU memory: kernels count and list, only counts come to the host.
//
// Owned by BordersCore; one thread. Lists stay where they are until the next one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "particles/borders/border_lists.hpp"
#include "particles/device/memory.hpp"

namespace halyard::particles {

class DeviceLists {
 public:
  /// Throws Error(out_of_resources).
  DeviceLists(std::shared_ptr<const device::OnGpu> on_gpu, const BorderLists& lists);

  /// Lists the particles as they lie now, and sets the counts of `lists`. Throws Error.
  void list(const Particles& particles, const Roles& roles, BorderLists& lists);

  /// All numbers, rank by rank in the order of lists.to(), group by group; GPU memory.
  const std::int32_t* numbers() const { return reinterpret_cast<const std::int32_t*>(numbers_.get()); }
  /// Which of them are the same, as pack::device::Run::chain.
  const std::uint32_t* chain() const { return reinterpret_cast<const std::uint32_t*>(chain_.get()); }

 private:
  device::WithinReach search(const Particles& particles, const Roles& roles) const;
  void upload(const BorderLists& lists);

  std::shared_ptr<const device::OnGpu> on_gpu_;
  exchange::gpu::MappedBuffer tables_;
  device::WithinReach reach_;  // without coordinates
  std::uint32_t num_groups_ = 0;
  std::uint32_t* totals_ = nullptr;  // in tables_
  std::uint32_t* first_ = nullptr;
  exchange::gpu::GpuRoom counts_;
  exchange::gpu::GpuRoom numbers_;
  exchange::gpu::GpuRoom chain_;
};

}  // namespace halyard::particles
