// Checks of the link bench's options; see options.hpp.
#include "link/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "link/line.hpp"

namespace halyard::bench {
namespace {

constexpr std::int64_t kLeastBytes = 8;  // a message carries its number, for the check
constexpr std::int64_t kMostBytes = 64 << 20;
constexpr int kMostRounds = 100'000;

}  // namespace

void check(const LinkBenchOptions& options, int num_ranks) {
  if (num_ranks != 2)
    throw UsageError(fmt::format("bench link measures between 2 ranks, and here are {}: mpirun -np 2 …", num_ranks));
  for (const std::int64_t bytes : options.bytes)
    if (bytes < kLeastBytes || bytes > kMostBytes || bytes % kLeastBytes != 0)
      throw UsageError(
          fmt::format("--bytes {}: must be a multiple of 8 between {} and {}", bytes, kLeastBytes, kMostBytes));
  for (const std::string& name : options.only)
    if (std::find(kLineNames.begin(), kLineNames.end(), name) == kLineNames.end())
      throw UsageError(fmt::format("--only {}: no such method; known are {}", name, fmt::join(kLineNames, ", ")));
  if (options.rounds < 1 || options.rounds > kMostRounds)
    throw UsageError(fmt::format("--rounds {}: must be between 1 and {}", options.rounds, kMostRounds));
  if (!(options.seconds > 0)) throw UsageError(fmt::format("--seconds {}: must be above 0", options.seconds));
}

}  // namespace halyard::bench
