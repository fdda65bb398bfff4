// See cost_model.hpp.
#include "plan/cost_model.hpp"

#include <array>

namespace halyard::plan {
namespace {

struct Cost {
  double latency_us = 0;
  double bytes_per_us = 1;  // 1000 are 1 GB/s
};

// By path. self and shared: strided copies with warm caches on a server core; peer: a launch and a word over NVLink,
// rows of some length; verbs, ucx, mpi: a network card of 100 Gbit/s with packing on both ends.
constexpr std::array<Cost, kNumPaths> kCosts{Cost{0.1, 8000}, Cost{7, 200'000}, Cost{1, 5000},
                                             Cost{3, 4000},   Cost{5, 3500},    Cost{6, 3000}};

// Down to host memory and up again over PCIe, with a kernel and a progress thread on each end.
constexpr Cost kStaging{20, 6000};

double us_of(const Cost& cost, std::int64_t bytes) {
  return cost.latency_us + static_cast<double>(bytes) / cost.bytes_per_us;
}

}  // namespace

double predicted_us(Path path, bool is_staged, std::int64_t bytes) {
  const double own = us_of(kCosts[static_cast<std::size_t>(path)], bytes);
  return is_staged ? own + us_of(kStaging, bytes) : own;
}

}  // namespace halyard::plan
