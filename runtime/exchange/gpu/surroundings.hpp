// What a binding of fields in GPU memory gets from its context, beside Surroundings.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "exchange/binding_core.hpp"
#include "exchange/gpu/waits/progress.hpp"

namespace halyard::exchange::gpu {

class Stamps;

/// Staged messages that are larger are brought over by copy engines; the others kernels store into host memory and
/// load from there (docs/adr/0042).
inline constexpr std::int64_t kMostMappedBytes = 64 << 10;

/// A host path for messages that must be staged.
struct HostPath {
  transport::Worker* worker = nullptr;
  bool is_thread_safe = false;  // may be driven by the progress thread
};

struct GpuSurroundings {
  Surroundings around;
  std::shared_ptr<device::Device> device;
  int home_gpu = 0;                // where a rank without cells takes part
  std::vector<int> ranks_per_gpu;  // by ordinal: ranks of this node that use the GPU; missing: this one alone
  bool allow_staging = true;
  std::int64_t most_mapped_bytes = kMostMappedBytes;
  /// The host path to a rank. Throws Error when there is none.
  std::function<HostPath(int rank)> host_path;
  /// Drives staged links in the background; null where no thread may.
  std::shared_ptr<Progress> progress;
  /// Looks after streams that wait; never null where a GPU has several ranks.
  std::shared_ptr<Progress> watch;

  /// Takes the times of kernels; null where no trace is taken.
  std::shared_ptr<Stamps> stamps;

  int num_ranks_on(int ordinal) const {
    const auto gpu = static_cast<std::size_t>(ordinal);
    return gpu < ranks_per_gpu.size() ? ranks_per_gpu[gpu] : 1;
  }
  bool is_shared(int ordinal) const { return num_ranks_on(ordinal) > 1; }
  /// For explain(): how ranks of one GPU wait for each other; empty where there is one.
  std::string sharing_text(int ordinal) const;
};

}  // namespace halyard::exchange::gpu
