// UsageError: what every bench throws for options that make no sense.
#pragma once

#include <stdexcept>

namespace halyard::bench {

/// A request that makes no sense; the command ends with exit code 2.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace halyard::bench
