// StreamMethod: one way to exchange fields in GPU memory, as work for a stream. CudaRun: what all of them share.
//
// How a StreamMethod is driven (one after the other, with a synchronize after each, from a graph) is decided in
// driven.cpp, once for all. One thread per rank.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halo/cuda/gpu.hpp"
#include "halo/method.hpp"
#include "halo/options.hpp"

namespace halyard::bench {

struct CudaRun {
  Gpu gpu;
  std::string mpi_cuda;                         // as in HaloBenchOptions
  std::vector<std::shared_ptr<void>> sessions;  // of libraries that start once per process; gone before MPI
};

struct CudaInputs {
  MPI_Comm comm;
  const Geometry& geometry;
  FieldSet& fields;
  CudaRun& run;
};

class StreamMethod {
 public:
  StreamMethod() = default;
  StreamMethod(const StreamMethod&) = delete;
  StreamMethod& operator=(const StreamMethod&) = delete;
  virtual ~StreamMethod() = default;

  /// One exchange: begins after what is in the stream, and what is enqueued next sees the ghosts. May block the
  /// host where the method cannot do without. Data path.
  virtual void enqueue(cudaStream_t stream) = 0;
  virtual std::string path() const = 0;
  virtual std::string_view memory() const { return "user"; }
  virtual GhostSource source() const { return GhostSource::owner; }
  /// How many of what is measured one enqueue() does.
  virtual double num_per_enqueue() const { return 1.0; }
};

struct StreamMethodEntry {
  std::string_view name;
  std::vector<Mode> modes;
  std::unique_ptr<StreamMethod> (*make)(const CudaInputs&);
  bool is_changed_by_capture = false;  // then what is captured is made apart from what the other modes use
};

/// In the order of the table; cuda/methods/.
const std::vector<StreamMethodEntry>& stream_methods();

/// Throws Error with `reason` on every rank when any rank has one. Collective.
void refuse_together(MPI_Comm comm, const std::string& reason);

}  // namespace halyard::bench
