// driven_to_end: drives one exchange of all ranks of one process by turns, until each is done or has failed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exchange/binding_core.hpp"

namespace halyard::test {

/// Exchange numbers[r] of bindings[r]. Answers the first failure in the order of ranks.
inline Status driven_to_end(const std::vector<std::unique_ptr<BindingCore>>& bindings,
                            const std::vector<std::uint64_t>& numbers) {
  for (bool all_done = false; !all_done;) {
    all_done = true;
    for (std::size_t r = 0; r < bindings.size(); ++r) all_done = bindings[r]->ready(numbers[r]) && all_done;
  }
  for (std::size_t r = 0; r < bindings.size(); ++r)
    if (Status status = bindings[r]->wait(numbers[r]); !status.ok()) return status;
  return {};
}

}  // namespace halyard::test
