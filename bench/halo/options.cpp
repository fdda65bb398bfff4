// Checks of the halo bench's options; see options.hpp.
#include "halo/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "halo/method.hpp"
#include "halyard/decomposition.hpp"

namespace halyard::bench {
namespace {

constexpr std::int64_t kMostCells = 1024;
constexpr int kMostFields = 64;
constexpr int kMostRounds = 100000;

void require_range(std::string_view option, std::int64_t value, std::int64_t most) {
  if (value < 1 || value > most) throw UsageError(fmt::format("{} {}: must be between 1 and {}", option, value, most));
}

void check_methods(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (find_method(name)) continue;
    std::vector<std::string_view> known;
    for (const MethodEntry& entry : all_methods()) known.push_back(entry.name);
    throw UsageError(fmt::format("--only {}: no such method; known are {}", name, fmt::join(known, ", ")));
  }
}

void check_grid(const std::vector<std::int64_t>& ranks, int num_ranks) {
  if (ranks.empty()) return;
  std::int64_t product = 1;
  for (const std::int64_t n : ranks) {
    require_range("--ranks", n, num_ranks);
    product *= n;
  }
  if (ranks.size() != 3 || product != num_ranks)
    throw UsageError(
        fmt::format("--ranks {}: must be three numbers whose product is {} (the ranks "
                    "that mpirun started)",
                    fmt::join(ranks, ","), num_ranks));
}

}  // namespace

void check(const HaloBenchOptions& options, int num_ranks) {
  for (const std::int64_t n : options.cells) require_range("--cells", n, kMostCells);
  for (const int n : options.fields) require_range("--fields", n, kMostFields);
  for (const std::int64_t w : options.widths)
    require_range("--width", w, *std::min_element(options.cells.begin(), options.cells.end()));
  require_range("--rounds", options.rounds, kMostRounds);
  check_methods(options.only);
  check_grid(options.ranks, num_ranks);
}

Index3 process_grid(const HaloBenchOptions& options, int num_ranks) {
  if (!options.ranks.empty()) return {options.ranks[0], options.ranks[1], options.ranks[2]};
  const std::int64_t n = options.cells.front();
  return balanced_ranks(num_ranks, {n, n, n});
}

std::vector<BenchCase> cases_of(const HaloBenchOptions& options) {
  std::vector<BenchCase> cases;
  for (const std::int64_t cells : options.cells)
    for (const std::int64_t width : options.widths)
      for (const int fields : options.fields) cases.push_back({cells, width, fields});
  return cases;
}

}  // namespace halyard::bench
