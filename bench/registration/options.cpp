// Checks of the registration bench's options; see options.hpp.
#include "registration/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/usage_error.hpp"
#include "registration/registrars.hpp"

namespace halyard::bench {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 30;
constexpr int kMostRounds = 100'000;

void check_registrar(const std::string& name) {
  std::vector<std::string_view> known;
  for (const RegistrarEntry& entry : registrar_entries()) known.push_back(entry.name);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw UsageError(fmt::format("--registrar {}: no such registrar; known are {}", name, fmt::join(known, ", ")));
}

}  // namespace

RegistrationBenchOptions checked(RegistrationBenchOptions options) {
  if (options.rounds < 1 || options.rounds > kMostRounds)
    throw UsageError(fmt::format("--rounds {}: must be between 1 and {}", options.rounds, kMostRounds));
  for (const std::size_t bytes : options.sizes)
    if (bytes < 1 || bytes > kMostBytes)
      throw UsageError(fmt::format("--sizes {}: must be between 1 and {} bytes", bytes, kMostBytes));
  for (const std::string& name : options.registrars) check_registrar(name);
  if (options.sizes.empty())
    for (std::size_t bytes = 4096; bytes <= std::size_t{64} << 20; bytes *= 4) options.sizes.push_back(bytes);
  return options;
}

}  // namespace halyard::bench
