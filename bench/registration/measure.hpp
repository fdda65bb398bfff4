// What registering costs: one registrar, one size, by itself and through the cache.
#pragma once

#include <string>
#include <vector>

#include "memory/registrar.hpp"

namespace halyard::bench {

/// Samples of one way to come to registered memory, in microseconds.
struct RegistrationResult {
  std::string method;
  std::vector<double> samples_us;
  bool is_verified = false;  // the counters say that it was what it is called
  std::string not_run;       // why; empty when it ran
};

/// `register` and `deregister`: the registrar alone. `miss`: a lease that registers, to its end. `hit`: a lease of a
/// region that is idle, to its end. `buffer`: the same for memory of the cache's own, zeroed.
std::vector<RegistrationResult> measure_registration(memory::Registrar& registrar, std::size_t bytes, int rounds);

}  // namespace halyard::bench
