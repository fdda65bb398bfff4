// Metrics: what a context has counted since it was made: messages, bytes, time, errors, registrations.
//
// Counting costs an exchange a few instructions and is always on (docs/metrics.md). Any thread may take a snapshot at
// any time while the context lives; it sees whole exchanges, those that have ended well.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/export.hpp"
#include "halyard/path.hpp"
#include "halyard/status.hpp"
#include "halyard/stream.hpp"

namespace halyard {

class Context;

/// How far away a neighbor is.
enum class Nearness : std::uint8_t {
  self,     // this rank: periodic images, other patches
  node,     // another rank of this node
  network,  // a rank of another node
};
inline constexpr int kNumNearness = 3;

HALYARD_API std::string_view name_of(Nearness nearness);

/// Upper bounds of the buckets of a Distribution, in seconds; the last bucket has none.
inline constexpr std::array<double, 16> kTimeBounds{1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4,
                                                    5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 1e-1, 1.0,  10.0};

/// How long something took, how often.
struct Distribution {
  std::array<std::uint64_t, kTimeBounds.size() + 1> counts{};  // by bucket, not cumulative
  double sum_s = 0;

  std::uint64_t count() const {
    std::uint64_t all = 0;
    for (const std::uint64_t n : counts) all += n;
    return all;
  }
  double mean_s() const { return count() == 0 ? 0 : sum_s / static_cast<double>(count()); }
};

/// What went by one path to neighbors that are equally far away. Bytes are those of the cells, padding of sections
/// included. Times are of messages of the exchanges that were timed: each kTimedEvery-th of a binding, and all while a
/// trace is taken.
struct PathMetrics {
  Path path = Path::self;
  Nearness nearness = Nearness::self;
  std::uint64_t sent_messages = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_messages = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t direct_bytes = 0;  // of the received ones: moved without a message buffer
  std::uint64_t staged_bytes = 0;  // of GPU memory, sent through host memory
  Distribution pack;               // packing and posting one message
  Distribution wire;               // from then until the neighbor's own message was here
  Distribution unpack;             // unpacking one message, or copying in place
};
inline constexpr std::uint64_t kTimedEvery = 64;

/// One neighbor, over all bindings.
struct NeighborMetrics {
  int rank = 0;
  std::uint64_t late = 0;       // waits that lasted until this neighbor's message came
  std::uint64_t num_timed = 0;  // messages from it that were timed
  double wire_s = 0;            // and what their wire took together
};

/// Memory registered with NICs by this context's transports.
struct RegistrationMetrics {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t stale = 0;    // regions given up because their memory had gone
  std::uint64_t evicted = 0;  // regions given up to make room
  std::uint64_t retries = 0;  // registrations tried again after an eviction
  std::uint64_t regions = 0;  // now
  std::uint64_t bytes = 0;    // now
  double seconds = 0;         // spent registering
};

struct Metrics {
  int rank = 0;
  std::uint64_t forward_exchanges = 0;
  std::uint64_t reverse_exchanges = 0;
  std::vector<PathMetrics> paths;                       // those that carried anything
  std::vector<NeighborMetrics> neighbors;               // ascending by rank
  Distribution exposed;                                 // time in wait(), of waits that had to wait
  std::array<std::uint64_t, kNumStatusCodes> errors{};  // exchanges that failed, by StatusCode
  RegistrationMetrics registrations;
  std::uint64_t trace_events = 0;
  std::uint64_t trace_events_dropped = 0;

  std::uint64_t staged_bytes() const {
    std::uint64_t all = 0;
    for (const PathMetrics& path : paths) all += path.staged_bytes;
    return all;
  }
};

/// Thread-safe.
HALYARD_API Metrics metrics_of(const Context& context);

/// A snapshot in Prometheus' text format, as the textfile collector of node_exporter reads it.
HALYARD_API std::string prometheus_text(const Metrics& metrics);

/// A range of the program's own in the trace (HALYARD_TRACE, docs/traces.md), and for NVIDIA's profilers: from here to
/// the end of the block. `name` must live as long as the program, as a literal does. Any thread; costs a few
/// instructions when nobody looks.
class HALYARD_API TraceRange {
 public:
  explicit TraceRange(const char* name);
  /// The same around work that is only enqueued here: begins and ends in the trace when `stream` comes to what it was
  /// given within the block, in each replay if it is being captured. Two small kernels while a trace with exchanges on
  /// a GPU is taken. They must have run when the context ends.
  TraceRange(const char* name, Stream stream);
  TraceRange(const TraceRange&) = delete;
  TraceRange& operator=(const TraceRange&) = delete;
  ~TraceRange();

 private:
  const char* name_;
  std::uint64_t begin_ = 0;
  Stream stream_;
  std::uint32_t mark_ = 0;
  bool nvtx_ = false;
};

}  // namespace halyard
