// UsageError: a request that makes no sense; the command ends with exit code 2.
#pragma once

#include <stdexcept>

namespace halyard::bench {

class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace halyard::bench
