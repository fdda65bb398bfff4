// probe: opens every path that is compiled in and allowed, and turns what was found into PathFacts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "context/bootstrap.hpp"
#include "context/path_filter.hpp"
#include "device/device.hpp"
#include "halyard/options.hpp"
#include "halyard/path.hpp"
#include "memory/limits.hpp"
#include "transport/shared/factory.hpp"
#include "transport/worker.hpp"

namespace halyard::context {

struct OpenPaths {
  PathFacts facts;
  std::unique_ptr<transport::shared::SharedWorker> shared;
  std::unique_ptr<transport::Worker> verbs;
  std::unique_ptr<transport::Worker> ucx;
  std::unique_ptr<transport::Worker> mpi;
  std::string texts[kNumPaths];            // by path: what was opened, for explain()
  std::shared_ptr<device::Device> device;  // null when this process has no GPU
  std::string device_text;                 // what was found, for explain()
  std::vector<int> ranks_per_gpu;          // by ordinal: ranks of this node whose current GPU it is
};

struct ProbeSettings {
  MPI_Comm data_comm = MPI_COMM_NULL;
  std::int64_t arena_bytes = 0;
  bool needs_threads = false;
  std::string device = "auto";  // Options::device
  memory::CacheLimits registrations = {};
  VerbsOptions verbs;
  int rank_on_node = 0;
  std::vector<int> ranks_on_node;
};

/// Collective.
OpenPaths open_paths(Bootstrap& bootstrap, const PathFilter& filter, const ProbeSettings& settings);

}  // namespace halyard::context
