// See cost_model.hpp.
#include "plan/cost_model.hpp"

#include <algorithm>
#include <array>

namespace halyard::plan {
namespace {

constexpr double kAll = 1e18;  // bytes: no end of what is near

struct Cost {
  double latency_us = 0;
  double near_bytes_per_us = 1;  // 1000 are 1 GB/s
  double near_bytes = kAll;
  double far_bytes_per_us = 1;
};

// Strided copies with warm caches. Own images are mostly faces of short rows, hence slower than what comes from the
// other rank of a row. bench/results/halo_epyc-2c.jsonl, halo_xeon-2c.jsonl and halo_xeon-16c-gpu-host.jsonl: methods
// halyard and halyard-user.
constexpr Cost kSelf{0.1, 7000, 420e3, 3500};
constexpr Cost kShared{1, 10'500, 420e3, 3000};

// bench/results/halo_cuda_2xh200.jsonl, one launch in a stream: NVLink (NV18). Rows of 8 bytes (faces of x) take up to
// twice as long as planes.
constexpr Cost kPeer{5, 190e3, kAll, 1};
constexpr Cost kSelfOnGpu{5, 200e3, kAll, 1};

// Down to host memory, over path `shared` and up again: copy engines and a progress thread on each end.
// bench/results/doctor_live_2xh200.json, of commit 63772f2.
constexpr Cost kStaging{22, 10'300, kAll, 1};

// What is known of a network card of 100 Gbit/s with packing on both ends. Nothing was measured on one: what is in
// bench/results went over soft-RoCE, in a virtual machine.
constexpr Cost kVerbs{3, 4000, kAll, 1};
constexpr Cost kUcx{5, 3500, kAll, 1};
constexpr Cost kMpi{6, 3000, kAll, 1};

const Cost& cost_of(Path path, Memory memory) {
  static constexpr std::array<const Cost*, kNumPaths> kOnHost{&kSelf, &kPeer, &kShared, &kVerbs, &kUcx, &kMpi};
  return path == Path::self && memory == Memory::gpu ? kSelfOnGpu : *kOnHost[static_cast<std::size_t>(path)];
}

double us_of(const Cost& cost, std::int64_t num_bytes) {
  const auto bytes = static_cast<double>(num_bytes);
  const double near = std::min(bytes, cost.near_bytes);
  return cost.latency_us + near / cost.near_bytes_per_us + (bytes - near) / cost.far_bytes_per_us;
}

}  // namespace

double predicted_us(const PlanNeighbor& neighbor, Memory memory) {
  const std::int64_t bytes = std::max(neighbor.send.bytes, neighbor.receive.bytes);
  const double own = us_of(cost_of(neighbor.path, memory), bytes);
  if (!neighbor.is_staged) return own;
  return us_of(kStaging, bytes) + (neighbor.path == Path::shared ? 0 : own);
}

}  // namespace halyard::plan
