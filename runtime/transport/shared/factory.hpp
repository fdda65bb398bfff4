// shared: ranks of one node, host memory. See ../protocol.md for how messages move.
#pragma once

#include <mpi.h>

#include <memory>

#include "memory/arena.hpp"
#include "transport/worker.hpp"

namespace halyard::transport::shared {

/// A worker with the memory it shares: what comes from arena() is open to all peers that it reaches.
class SharedWorker : public Worker {
 public:
  virtual memory::Arena& arena() = 0;
};

struct Opened {
  std::unique_ptr<SharedWorker> worker;  // null when this rank cannot share memory
  PathFact fact;                         // reaches: who can read this rank's segment and be read
};

/// Collective over `comm`. Makes this rank's segment of `arena_bytes` address space (0 = its share of what the node
/// can map), opens those of the node's other ranks and unlinks all of them. Never throws for what the machine refuses:
/// the refusal is in the fact.
Opened open_worker(MPI_Comm comm, std::int64_t arena_bytes);

}  // namespace halyard::transport::shared
