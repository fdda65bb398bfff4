// Path: how bytes travel. PathFacts: what can reach whom on this machine, as the transports' probes found it.
//
// A context fills PathFacts once; plans read them. They can also be written by hand, to plan for a machine that is not
// there. Any thread may read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/export.hpp"

namespace halyard {

/// In order of preference, best first.
enum class Path : std::uint8_t {
  self,    // the neighbor is this rank: one strided copy, no message
  peer,    // same node, GPU memory: kernels store straight into the neighbor's GPU memory
  shared,  // same node, host memory: a shared segment
  verbs,   // RDMA writes into the neighbor's registered memory, posted by ourselves
  ucx,     // UCX put into the neighbor's registered memory
  mpi,     // MPI persistent requests on the library's own communicator
};
inline constexpr int kNumPaths = 6;

HALYARD_API std::string_view name_of(Path path);

/// Where the fields of an exchange lie. GPU memory goes by `peer`, or, staged through host memory, by a path of the
/// host.
enum class Memory : std::uint8_t { host, gpu };

/// A better path that was not taken, and why.
struct Refusal {
  Path path;
  std::string reason;
};

/// What one rank knows of one path.
struct PathFact {
  bool is_open = false;                            // compiled in, probed and working on this rank
  std::string refusal;                             // why not, when not open
  std::vector<std::uint8_t> reaches;               // by rank: 1 where both ends can use it; empty = every rank
  std::string unreachable;                         // why a rank is not reached, e.g. "rank is on another node"
  std::map<int, std::string> unreachable_by_rank;  // where a rank has a reason of its own
};

/// The path to one neighbor with everything better that was refused.
struct PathChoice {
  Path path = Path::mpi;
  std::vector<Refusal> refused;
  bool is_staged = false;  // GPU memory by a path of host memory
};

struct HALYARD_API PathFacts {
  int rank = 0;
  int num_ranks = 1;
  PathFact paths[kNumPaths];  // by Path

  PathFact& of(Path path) { return paths[static_cast<std::size_t>(path)]; }
  const PathFact& of(Path path) const { return paths[static_cast<std::size_t>(path)]; }

  /// The best path to `peer`. Throws Error(not_supported) that lists every refusal when there is none.
  PathChoice choose(int peer, Memory memory = Memory::host) const;

  /// Facts in which every other rank is reached by `path` and by nothing else.
  static PathFacts uniform(Path path, int rank, int num_ranks);
};

}  // namespace halyard
