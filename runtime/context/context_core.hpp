// ContextCore: the composition root. Opens in the order of its members, closes in reverse. Bindings hold it alive.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "context/bootstrap.hpp"
#include "context/launch/wait_policy.hpp"
#include "context/observe/observation.hpp"
#include "context/probe.hpp"
#include "context/shared_memory.hpp"
#include "exchange/assembly.hpp"
#include "exchange/gpu/surroundings.hpp"
#include "halyard/context.hpp"

namespace halyard {

class ContextCore : public std::enable_shared_from_this<ContextCore> {
 public:
  ContextCore(MPI_Comm comm, const Options& options);
  ContextCore(const ContextCore&) = delete;
  ContextCore& operator=(const ContextCore&) = delete;
  /// Writes what was asked for of metrics; the ranks wait for each other in it for a few seconds at most.
  ~ContextCore();

  context::Bootstrap& bootstrap() { return bootstrap_; }
  const Options& options() const { return options_; }
  const PathFacts& facts() const { return open_.facts; }
  context::SharedMemory& memory() { return memory_; }
  const metrics::Registry& metrics() const { return *observation_.registry(); }
  exchange::Workers workers() const;

  /// What the next binding gets, with the first of `numbers` binding numbers of its own. Collective in effect: all
  /// ranks make their bindings in the same order.
  exchange::Surroundings next_surroundings(std::uint64_t numbers = 1);
  /// The same for fields in GPU memory.
  exchange::gpu::GpuSurroundings on_gpu(const exchange::Surroundings& around);
  /// The GPU driver; null when this process has none.
  const std::shared_ptr<device::Device>& shared_device() const { return open_.device; }
  const device::Device* device() const { return open_.device.get(); }
  /// Drops channels that their peers have finished with.
  void sweep();

  /// Throws Error(wrong_thread) when this thread may not call.
  void check_thread() const;
  std::string explain() const;

 private:
  void configure(const Options& options);
  void open_stamps();
  void retire(std::unique_ptr<transport::Channel> channel);
  bool may_drive_in_a_thread(Path path) const;
  RegistrationMetrics registrations() const;

  context::Bootstrap bootstrap_;
  transport::mpi::Comm data_comm_;  // the mpi path's messages, apart from set-up's
  Options options_;
  context::NodeShape node_;
  exchange::ThreadRule threads_;
  bool needs_threads_ = false;
  context::OpenPaths open_;
  context::SharedMemory memory_;
  context::Observation observation_;
  std::shared_ptr<exchange::gpu::Progress> progress_;  // made when the first message is staged
  std::shared_ptr<exchange::gpu::Stamps> stamps_;      // with the first binding on a GPU, while a trace is taken
  std::uint64_t num_bindings_ = 0;
  std::mutex retired_mutex_;
  std::vector<std::unique_ptr<transport::Channel>> retired_;
};

}  // namespace halyard
