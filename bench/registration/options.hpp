// RegistrationBenchOptions: what `halyard bench registration` was asked for. Filled by tools/, the same on every rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halyard::bench {

struct RegistrationBenchOptions {
  std::vector<std::size_t> sizes;       // bytes; empty: 4 KiB to 64 MiB
  std::vector<std::string> registrars;  // empty: all that can be opened
  int rounds = 30;
  std::string json_file;  // empty: none
};

/// Fills in the sizes. Throws UsageError that names the option, its value and what is allowed.
RegistrationBenchOptions checked(RegistrationBenchOptions options);

}  // namespace halyard::bench
