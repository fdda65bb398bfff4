// HandOver: how long a cache line takes from one rank's core to the other's (c2c).
//
// Ranks 0 and 1 write one shared line in turn. The number is printed beside every result: virtual
// machines move between states that differ by four times. Collective; owned by a bench run.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>

#include "common/shared_block.hpp"

namespace halyard::bench {

class HandOver {
 public:
  explicit HandOver(MPI_Comm comm);

  /// Nanoseconds from a store on one rank to its sight on the other; the same on all ranks.
  /// Nothing with one rank, several nodes or more ranks than cores. Collective.
  std::optional<double> measure_ns();

 private:
  double ping_pong_ns();

  MPI_Comm comm_;
  int rank_ = 0;
  std::unique_ptr<SharedBlock> block_;  // null where it cannot be measured
  std::uint64_t count_ = 0;
};

}  // namespace halyard::bench
