// Results of the registration bench, for people and as JSON lines. Pure; the keys are listed in bench/README.md.
#pragma once

#include <string>
#include <vector>

#include "common/machine.hpp"
#include "registration/measure.hpp"

namespace halyard::bench {

struct RegistrationRun {
  Machine machine;
  std::string commit;
  int rounds = 0;
};

/// One registrar and one size.
struct RegistrationCase {
  std::string registrar;
  std::string path;  // what the registrar calls itself
  std::size_t bytes = 0;
  std::vector<RegistrationResult> results;
};

std::string registration_head(const RegistrationRun& run);
std::string registration_table(const RegistrationCase& measured);
std::string registration_json(const RegistrationRun& run, const RegistrationCase& measured);

}  // namespace halyard::bench
