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

/// The verbs path. A device, port or GID that cannot be used closes the path with that reason; it is an error where no
/// other path is allowed.
struct VerbsOptions {
  /// HALYARD_VERBS_DEVICE: "mlx5_0", "mlx5_0:1" (with its port), or several with commas, which share large messages.
  /// Empty: the nearest active port; equally near ones are dealt to the ranks of a node in turn.
  std::string device;

  /// HALYARD_VERBS_GID: index into the port's GID table; -1: RoCE v2 before v1, IPv4 before IPv6 before link-local.
  int gid = -1;

  /// HALYARD_VERBS_TRAFFIC_CLASS (0-255, RoCE) and HALYARD_VERBS_SERVICE_LEVEL (0-15): as the network's administrator
  /// says.
  int traffic_class = 0;
  int service_level = 0;

  /// HALYARD_VERBS_TIMEOUT (0-31) and HALYARD_VERBS_RETRY (0-7): a packet that is not acknowledged is sent again after
  /// 4.096 µs x 2^timeout, and the connection is given up after 1 + retry tries: about 4 s as they stand. Timeout 0
  /// and, on some devices, retry 7 mean: never give up.
  int timeout = 17;
  int retry = 6;

  /// HALYARD_VERBS_IN_PLACE: messages of so many bytes and more go straight from the fields where they lie there in few
  /// pieces, of a quarter of that or more on average; -1: none do. Below, packing costs no more than waiting until the
  /// NIC has read them.
  int in_place_bytes = 8192;
};

/// What a context writes down of its exchanges (docs/metrics.md, docs/traces.md). A file or a port that cannot be had
/// is named in the log, and the run goes on without it.
struct OutputOptions {
  /// HALYARD_METRICS_FILE: Prometheus text, rewritten every ten seconds; %r is the rank.
  std::string metrics_file;

  /// HALYARD_METRICS_PORT: Prometheus over HTTP: "9400" on this machine's loopback, "0.0.0.0:9400" for others too; each
  /// rank of a node adds its number there to the port.
  std::string metrics_port;

  /// HALYARD_TRACE: a trace of all ranks for Perfetto (ui.perfetto.dev), written when the context ends. Equal on all
  /// ranks.
  std::string trace;

  /// HALYARD_REPORT: one page about all ranks, written when the context ends: a file, or "-" or "stderr". Equal on all
  /// ranks.
  std::string report;
};

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

  VerbsOptions verbs;
  OutputOptions output;

  /// HALYARD_SINGLETON: 1 allows a one-rank MPI_COMM_WORLD although the launcher announced more tasks.
  bool allow_singleton = false;

  /// These options with every HALYARD_* variable of the environment applied. Throws Error(invalid_argument) that names
  /// an unknown variable, or a value that does not parse.
  Options with_environment() const;
};

}  // namespace halyard
