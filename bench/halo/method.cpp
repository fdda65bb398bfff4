// The list of all methods of the halo bench; see method.hpp.
#include "halo/method.hpp"

#include <algorithm>
#include <array>

#include "halo/methods/methods.hpp"

namespace halyard::bench {

std::span<const MethodEntry> all_methods() {
  static constexpr std::array entries{
      MethodEntry{"b", true, &make_packed_per_direction},
      MethodEntry{"best-mpi", true, &make_packed_per_peer},
      MethodEntry{"derived", true, &make_derived_types},
      MethodEntry{"neighbor-alltoallw", true, &make_neighbor_alltoallw},
      MethodEntry{"f", true, &make_shared_direct},
      MethodEntry{"g2", true, &make_strided_copy},
      MethodEntry{"halyard", true, &make_halyard},
      MethodEntry{"halyard-user", true, &make_halyard_user},
      MethodEntry{"halyard-index", true, &make_halyard_index},
      MethodEntry{"halyard-mpi", false, &make_halyard_mpi},
      MethodEntry{"halyard-ucx", false, &make_halyard_ucx},
  };
  return entries;
}

const MethodEntry* find_method(std::string_view name) {
  const auto entries = all_methods();
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const MethodEntry& e) { return e.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace halyard::bench
