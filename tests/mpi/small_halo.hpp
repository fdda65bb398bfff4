// SmallHalo: a periodic 3-D halo of a few cells per rank with one coded field of double; what tests use that are about
// something else than which cells move.
#pragma once

#include <memory>

#include "mpi/coded_exchange.hpp"

namespace halyard::test {

/// Ranks in a row along x, `cells` each; periodic on every axis, so that each rank has its neighbors and itself.
inline RandomCase small_halo(int num_ranks, std::int64_t cells = 3) {
  const Box domain = Box::of_extent({cells * num_ranks, cells, cells});
  return plain_case(Decomposition::grid(domain, {num_ranks, 1, 1}), {true, true, true}, Width::all(1));
}

}  // namespace halyard::test
