// GpuWorld: N ranks in one process on a GPU twin, each with a stream of its own. What cannot go from GPU to GPU is
// staged over loopback.
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
    base::WaitPolicy wait{base::WaitPolicy::kYieldEarly, 20.0};
  };

  GpuWorld(int num_ranks, std::shared_ptr<device::Device> device, const Settings& settings);
  GpuWorld(int num_ranks, std::shared_ptr<device::Device> device)
      : GpuWorld(num_ranks, std::move(device), Settings{}) {}
  GpuWorld(const GpuWorld&) = delete;
  GpuWorld& operator=(const GpuWorld&) = delete;
  ~GpuWorld();

  int num_ranks() const { return static_cast<int>(streams_.size()); }
  int ordinal(int rank) const { return rank % device_->num_gpus(); }
  Stream stream(int rank) const { return streams_[static_cast<std::size_t>(rank)]; }
  device::Device& device() { return *device_; }
  const std::shared_ptr<device::Device>& shared_device() const { return device_; }
  PathFacts facts(int rank) const { return PathFacts::uniform(settings_.path, rank, num_ranks()); }

  using Bindings = std::vector<std::unique_ptr<BindingCore>>;
  Bindings bind(std::vector<Plan> plans, const std::vector<std::vector<FieldView>>& views);

  /// How an exchange is given to the streams.
  enum class Launches { one, two };
  /// One exchange on every rank, waited for.
  Status run(Bindings& bindings, exchange::Kind kind, Launches launches = Launches::one, Reduce op = Reduce::sum);

 private:
  std::shared_ptr<device::Device> device_;
  Settings settings_;
  std::vector<Stream> streams_;
  std::vector<std::unique_ptr<transport::Worker>> workers_;
  std::shared_ptr<exchange::gpu::Progress> progress_;
  std::uint64_t num_bindings_ = 0;
};

}  // namespace halyard::test
