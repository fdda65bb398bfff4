// The target for fields in GPU memory; see ../target.hpp. One rank per GPU, or several that share one.
#include "halo/target.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "halo/cuda/device_fields.hpp"
#include "halo/cuda/driven.hpp"
#include "halyard/status.hpp"

namespace halyard::bench {
namespace {

class CudaTarget : public Target {
 public:
  CudaTarget(MPI_Comm comm, const HaloBenchOptions& options)
      : run_{choose_gpu(comm), options.mpi_cuda, {}}, stream_(make_stream()) {
    for (const StreamMethodEntry& entry : stream_methods())
      for (const Mode mode : entry.modes)
        if (std::find(options.modes.begin(), options.modes.end(), mode) != options.modes.end()) add(entry, mode);
  }

  MethodEntries methods() const override { return entries_; }
  std::vector<RatioBase> ratio_bases() const override {
    return {{"cuda-mpi", "/mpi"},    {"nccl", "/nccl"},  {"nvshmem", "/nvshm"},
            {"limit-copy", "/copy"}, {"staged-mpi", ""}, {"halyard", ""}};
  }
  GpuFacts gpu() const override { return run_.gpu.facts; }
  std::unique_ptr<FieldSet> make_fields(const Geometry& geometry) override {
    return std::make_unique<DeviceFieldSet>(geometry, stream_.get());
  }

 private:
  void add(const StreamMethodEntry& entry, Mode mode) {
    const auto make = [this, &entry, mode](const MethodInputs& inputs) {
      return drive(shared_by_modes(entry, mode, inputs), mode, inputs.user_fields, stream_.get());
    };
    entries_.push_back({entry.name, true, make, name_of(mode)});
  }

  /// The modes of a method share what it needs, as far as they can; it goes with the last of them, at the end of the
  /// case.
  std::shared_ptr<StreamMethod> shared_by_modes(const StreamMethodEntry& entry, Mode mode, const MethodInputs& inputs) {
    const bool is_apart = entry.is_changed_by_capture && mode == Mode::graph;
    std::weak_ptr<StreamMethod>& known = made_[{entry.name, is_apart}];
    if (auto method = known.lock()) return method;
    std::shared_ptr<StreamMethod> made = make_on_all(entry, inputs);
    known = made;
    return made;
  }

  std::shared_ptr<StreamMethod> make_on_all(const StreamMethodEntry& entry, const MethodInputs& inputs) {
    std::shared_ptr<StreamMethod> made;
    std::string reason;
    try {
      made = entry.make({inputs.comm, inputs.geometry, inputs.user_fields, run_});
    } catch (const std::exception& error) {
      reason = error.what();
    }
    refuse_together(inputs.comm, reason);
    return made;
  }

  CudaRun run_;
  OwnedStream stream_;
  std::vector<MethodEntry> entries_;
  std::map<std::pair<std::string_view, bool>, std::weak_ptr<StreamMethod>> made_;  // is_apart
};

}  // namespace

void refuse_together(MPI_Comm comm, const std::string& reason) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  constexpr int kNobody = std::numeric_limits<int>::max();
  int first = reason.empty() ? kNobody : rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == kNobody) return;
  std::array<char, 512> text{};
  reason.copy(text.data(), text.size() - 1);
  MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, comm);
  throw Error(StatusCode::not_supported, text.data());
}

std::unique_ptr<Target> make_cuda_target(MPI_Comm comm, const HaloBenchOptions& options) {
  return std::make_unique<CudaTarget>(comm, options);
}

}  // namespace halyard::bench
