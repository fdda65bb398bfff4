// Checks of the halo bench's options; see options.hpp.
#include "halo/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "halyard/decomposition.hpp"

namespace halyard::bench {
namespace {

constexpr std::int64_t kMostCells = 1024;
constexpr int kMostFields = 64;
constexpr int kMostRounds = 100000;
constexpr int kMostBatchMs = 10000;

void require_range(std::string_view option, std::int64_t value, std::int64_t most) {
  if (value < 1 || value > most) throw UsageError(fmt::format("{} {}: must be between 1 and {}", option, value, most));
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

/// What a GPU is measured on when nothing else is asked for: shared sizes of the table in bench/README.md.
std::vector<BenchCase> cuda_cases() {
  constexpr int kX = 0;
  constexpr int kZ = 2;
  return {{32, 1, 1, kX},  {64, 1, 1, kX},  {64, 1, 1, kZ},  {128, 1, 1, kX}, {128, 1, 1, kZ}, {256, 1, 1, kX},
          {512, 1, 1, kX}, {512, 1, 1, kZ}, {256, 3, 1, kX}, {512, 3, 1, kX}, {512, 3, 1, kZ}};
}

bool names_no_case(const HaloBenchOptions& options) {
  return options.cells.empty() && options.widths.empty() && options.axes.empty() && !options.is_full_reach;
}

template <class T>
std::vector<T> or_default(const std::vector<T>& given, std::vector<T> otherwise) {
  return given.empty() ? std::move(otherwise) : given;
}

HaloBenchOptions with_defaults(HaloBenchOptions options) {
  const bool is_host = options.device == Device::host;
  options.cells =
      or_default(options.cells, is_host ? std::vector<std::int64_t>{64, 128} : std::vector<std::int64_t>{64});
  options.widths = or_default(options.widths, is_host ? std::vector<std::int64_t>{1, 3} : std::vector<std::int64_t>{1});
  options.fields = or_default(options.fields, is_host ? std::vector<int>{1, 8} : std::vector<int>{1});
  if (options.is_full_reach || (is_host && options.axes.empty())) options.axes = {kAllAxes};
  options.axes = or_default(options.axes, std::vector<int>{0});
  return options;
}

void check_device(const HaloBenchOptions& options) {
  const bool is_host = options.device == Device::host;
  if (is_host && options.is_full_reach)
    throw UsageError("--reach: only with --device cuda; the host bench has 26 neighbors without --axis");
  if (!is_host && options.is_full_reach && !options.axes.empty())
    throw UsageError("--axis: one axis or --reach full, not both");
  for (const int n : options.fields)
    if (!is_host && n != 1) throw UsageError(fmt::format("--fields {}: with --device cuda there is one field", n));
}

}  // namespace

void check(const HaloBenchOptions& options, int num_ranks) {
  check_device(options);
  for (const BenchCase& c : cases_of(options)) {
    require_range("--cells", c.cells, kMostCells);
    require_range("--fields", c.fields, kMostFields);
    require_range("--width", c.width, c.cells);
  }
  require_range("--rounds", options.rounds, kMostRounds);
  require_range("--batch-ms", options.batch_ms, kMostBatchMs);
  check_grid(options.ranks, num_ranks);
}

Index3 process_grid(const HaloBenchOptions& options, const BenchCase& bench_case, int num_ranks) {
  if (!options.ranks.empty()) return {options.ranks[0], options.ranks[1], options.ranks[2]};
  const std::int64_t n = bench_case.cells;
  if (bench_case.axis == kAllAxes) return balanced_ranks(num_ranks, {n, n, n});
  Index3 grid{1, 1, 1};
  grid[static_cast<std::size_t>(bench_case.axis)] = num_ranks;
  return grid;
}

std::vector<BenchCase> cases_of(const HaloBenchOptions& options) {
  if (options.device == Device::cuda && names_no_case(options)) return cuda_cases();
  const HaloBenchOptions all = with_defaults(options);
  std::vector<BenchCase> cases;
  for (const std::int64_t cells : all.cells)
    for (const std::int64_t width : all.widths)
      for (const int axis : all.axes)
        for (const int fields : all.fields) cases.push_back({cells, width, fields, axis});
  return cases;
}

}  // namespace halyard::bench
