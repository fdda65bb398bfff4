// bad_value: a variable that is read, with a value that its library does not take: refused, or quietly ignored. Tables
// of the values that NCCL 2.28, UCX 1.13 to 1.20 and Open MPI 4.1 take. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "diagnose/environment/variables.hpp"

namespace halyard::diagnose {

struct BadValue {
  std::string what;     // "NCCL takes names: Tree, Ring, …"
  std::string instead;  // "NCCL_ALGO=Tree", the nearest that is taken; empty when there is none
};

/// Nothing when the value is taken, or when no table says what is.
std::optional<BadValue> bad_value(const Variable& variable);

}  // namespace halyard::diagnose
