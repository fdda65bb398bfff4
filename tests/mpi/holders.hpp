// Who holds a cell as a ghost: the oracle of reverse exchanges, worked out cell by cell from the decomposition, without
// the pattern builder.
#pragma once

#include <vector>

#include "halyard/pattern.hpp"

namespace halyard::test {

/// The ranks of all patches and images that hold `cell` as a ghost, each as often as it does, ascending.
std::vector<int> holders_of(const BoxHalo& halo, const Index3& cell);

}  // namespace halyard::test
