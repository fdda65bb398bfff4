// Target: where the fields of a bench run lie, in host memory or on GPUs, and what can be measured there.
//
// Made once per run, used by run.cpp for every case. Twin files make the CUDA one: cuda/target.cpp where
// CUDA was found, cuda/absent.cpp elsewhere. One thread per rank.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "halo/method.hpp"
#include "halo/options.hpp"
#include "halo/report/report.hpp"

namespace halyard::bench {

class Target {
 public:
  virtual ~Target() = default;

  virtual MethodEntries methods() const = 0;
  virtual std::vector<RatioBase> ratio_bases() const = 0;
  virtual GpuFacts gpu() const { return {}; }
  /// The arrays of a case. Throws std::bad_alloc or Error when there is no room.
  virtual std::unique_ptr<FieldSet> make_fields(const Geometry& geometry) = 0;
};

std::unique_ptr<Target> make_host_target();
/// Throws UsageError, the same on every rank, when this build or this machine has no CUDA. Collective.
std::unique_ptr<Target> make_cuda_target(MPI_Comm comm, const HaloBenchOptions& options);

}  // namespace halyard::bench
