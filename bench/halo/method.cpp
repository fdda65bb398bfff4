// The list of all methods of the halo bench; see method.hpp.
#include "halo/method.hpp"

#include <algorithm>
#include <array>

#include "halo/methods/methods.hpp"

namespace halyard::bench {

double Method::time(int count) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i) exchange();
  return (MPI_Wtime() - begin) / count;
}

MethodEntries host_methods() {
  static const std::array entries{
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
      MethodEntry{"halyard-verbs", false, &make_halyard_verbs},
      MethodEntry{"halyard-verbs-packed", false, &make_halyard_verbs_packed},
  };
  return entries;
}

const MethodEntry* find_method(MethodEntries entries, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const MethodEntry& e) { return e.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

std::vector<const MethodEntry*> choose_methods(MethodEntries entries, const std::vector<std::string>& names,
                                               const std::vector<std::string>& skip) {
  const auto is_in = [](const std::vector<std::string>& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  std::vector<const MethodEntry*> chosen;
  for (const MethodEntry& entry : entries) {
    const bool is_wanted = names.empty() ? entry.is_default : is_in(names, entry.name);
    if (is_wanted && !is_in(skip, entry.name)) chosen.push_back(&entry);
  }
  return chosen;
}

}  // namespace halyard::bench
