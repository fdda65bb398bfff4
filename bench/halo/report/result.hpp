// MethodResult and CaseResult: what measuring a case gave. Plain values, equal on all ranks; made
// by measure.cpp, written by table.cpp and json_lines.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "halo/geometry.hpp"
#include "halo/options.hpp"

namespace halyard::bench {

struct MethodResult {
  std::string name;
  std::string mode;  // empty where there is no choice
  std::string path;
  std::string memory;
  std::vector<double> samples_us;  // per round: one exchange, of the slowest rank
  bool is_verified = false;
  std::string not_run;                 // why it could not be set up here; empty when it ran
  std::optional<double> packets = {};  // that all ranks send for one exchange, where that is counted
};

struct CaseResult {
  BenchCase bench_case;
  Cache cache = Cache::warm;
  Index3 grid{1, 1, 1};  // of ranks
  int num_neighbors = 0;
  std::int64_t bytes = 0;
  std::optional<double> hand_over_ns;
  std::vector<MethodResult> methods;
};

/// How two methods of one case compare.
struct Ratio {
  double p10 = 0.0;     // p10 over p10
  double median = 0.0;  // median over median
  double paired = 0.0;  // median over rounds of the ratio inside the round
};

/// `result` over the method `base` of the same case and mode; nothing when one of them did not run.
std::optional<Ratio> ratio_to(const CaseResult& in, const MethodResult& result, std::string_view base);

inline std::string_view name_of(Cache cache) { return cache == Cache::warm ? "warm" : "cold"; }

}  // namespace halyard::bench
