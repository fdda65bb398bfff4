// Options: what a user may decide at run time. Each has a HALYARD_* variable, and the variable wins over the program,
// so that a job script can change a binary that it did not build. An unknown HALYARD_* variable is an error that names
// the nearest known one.
#pragma once

#include <cstdint>
#include <string>

#include "halyard/export.hpp"

namespace halyard {

/// How a rank waits. `automatic` spins while ranks do not outnumber cores, and yields early when they do.
enum class Wait { automatic, spin, yield };

struct HALYARD_API Options {
  /// HALYARD_PATH: paths that may be used ("shared,mpi"), or, after ^, those that may not ("^ucx"). Empty: all.
  /// `self` is always allowed.
  std::string path;

  /// HALYARD_DEADLINE: seconds that a wait may last before it returns a timeout; 0 = for ever.
  double deadline_s = 60.0;

  /// HALYARD_WAIT: auto, spin or yield.
  Wait wait = Wait::automatic;

  /// HALYARD_ARENA: most bytes of shared memory this rank may hand out (fields and mailboxes); 0 = the node's memory.
  /// Address space only: pages are taken when allocated. Suffixes K, M, G, T.
  std::int64_t arena_bytes = 0;

  /// HALYARD_REGISTRATION_LIMIT: bytes that may stay registered with a NIC while not in use, together with those that
  /// are; 0 = what the system allows. 1 keeps nothing. Suffixes K, M, G, T.
  std::int64_t registration_bytes = 0;

  /// HALYARD_LOG: off, error, warn, info or debug.
  std::string log = "warn";

  /// HALYARD_DEVICE: auto (CUDA where there is a driver and a GPU), none, cuda or emulated.
  std::string device = "auto";

  /// HALYARD_ALLOW_STAGING: 0 makes a binding fail rather than move GPU memory through host memory.
  bool allow_staging = true;

  /// HALYARD_SINGLETON: 1 allows a one-rank MPI_COMM_WORLD although the launcher announced more tasks.
  bool allow_singleton = false;

  /// These options with every HALYARD_* variable of the environment applied. Throws Error(invalid_argument) that names
  /// an unknown variable, or a value that does not parse.
  Options with_environment() const;
};

}  // namespace halyard
