// GpuWorld: N ranks in one process on a GPU twin, each with a stream of its own. What cannot go from GPU to GPU is
// staged over loopback. Ranks may see different GPUs, as processes with their own CUDA_VISIBLE_DEVICES do.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "exchange/gpu/assembly.hpp"
#include "halyard/plan.hpp"
#include "transport/worker.hpp"

namespace halyard::test {

class GpuWorld {
 public:
  struct Settings {
    Path path = Path::peer;
    bool allow_staging = true;
    bool has_progress_thread = true;
    std::int64_t most_mapped_bytes = exchange::gpu::kMostMappedBytes;  // larger ones copy engines bring over
    bool shares_gpus = false;  // as if each rank were a process that shares its GPU with others
    base::WaitPolicy wait{base::WaitPolicy::kYieldEarly, 20.0};
    /// Who takes the times of a rank's kernels; none: nobody.
    std::function<std::shared_ptr<exchange::gpu::Stamps>(int rank)> stamps = {};
  };

  GpuWorld(int num_ranks, const std::shared_ptr<device::Device>& device, const Settings& settings);
  GpuWorld(int num_ranks, const std::shared_ptr<device::Device>& device) : GpuWorld(num_ranks, device, Settings{}) {}
  /// Rank r sees devices[r] and uses its GPU ordinals[r].
  GpuWorld(std::vector<std::shared_ptr<device::Device>> devices, std::vector<int> ordinals, const Settings& settings);
  GpuWorld(const GpuWorld&) = delete;
  GpuWorld& operator=(const GpuWorld&) = delete;
  ~GpuWorld();

  int num_ranks() const { return static_cast<int>(streams_.size()); }
  int ordinal(int rank) const { return ordinals_[static_cast<std::size_t>(rank)]; }
  Stream stream(int rank) const { return streams_[static_cast<std::size_t>(rank)]; }
  device::Device& device() { return *devices_[0]; }
  const std::shared_ptr<device::Device>& shared_device(int rank = 0) const {
    return devices_[static_cast<std::size_t>(rank)];
  }
  PathFacts facts(int rank) const { return PathFacts::uniform(settings_.path, rank, num_ranks()); }

  using Bindings = std::vector<std::unique_ptr<BindingCore>>;
  Bindings bind(std::vector<Plan> plans, const std::vector<std::vector<FieldView>>& views);

  /// How an exchange is given to the streams.
  enum class Launches { one, two };
  /// One exchange on every rank, waited for.
  Status run(Bindings& bindings, exchange::Kind kind, Launches launches = Launches::one, Reduce op = Reduce::sum);

 private:
  std::vector<std::shared_ptr<device::Device>> devices_;  // by rank
  std::vector<int> ordinals_;
  Settings settings_;
  std::vector<Stream> streams_;
  std::vector<std::unique_ptr<transport::Worker>> workers_;
  std::shared_ptr<exchange::gpu::Progress> progress_;
  std::shared_ptr<exchange::gpu::Progress> watch_ = std::make_shared<exchange::gpu::Progress>();
  std::uint64_t num_bindings_ = 0;
};

}  // namespace halyard::test
