// See families.hpp.
#include "metrics/prometheus/families.hpp"

namespace halyard::metrics {
namespace {

struct PathCounter {
  std::string_view name;
  std::string_view help;
  std::uint64_t PathMetrics::*value;
};

constexpr PathCounter kPathCounters[] = {
    {"halyard_sent_messages_total", "Messages sent, by path and nearness of the neighbor.",
     &PathMetrics::sent_messages},
    {"halyard_sent_bytes_total", "Bytes sent.", &PathMetrics::sent_bytes},
    {"halyard_received_messages_total", "Messages received.", &PathMetrics::received_messages},
    {"halyard_received_bytes_total", "Bytes received.", &PathMetrics::received_bytes},
    {"halyard_direct_bytes_total", "Bytes received without a message buffer.", &PathMetrics::direct_bytes},
    {"halyard_staged_bytes_total", "Bytes of GPU memory sent through host memory.", &PathMetrics::staged_bytes},
};

struct PathTimes {
  std::string_view name;
  std::string_view help;
  Distribution PathMetrics::*value;
};

constexpr PathTimes kPathTimes[] = {
    {"halyard_pack_seconds", "Packing and posting one message (one exchange in 64).", &PathMetrics::pack},
    {"halyard_wire_seconds", "From posting a message until the neighbor's was here (one exchange in 64).",
     &PathMetrics::wire},
    {"halyard_unpack_seconds", "Unpacking one message, or copying it in place (one exchange in 64).",
     &PathMetrics::unpack},
};

// Collects families; each sample begins with the rank.
class Collector {
 public:
  explicit Collector(const Metrics& metrics) : rank_(std::to_string(metrics.rank)) {}

  void family(FamilyKind kind, std::string_view name, std::string_view help) {
    families_.push_back({name, help, kind, {}});
  }
  void value(std::vector<Label> labels, double number) { add(std::move(labels), number, nullptr); }
  void value(std::vector<Label> labels, std::uint64_t number) { value(std::move(labels), static_cast<double>(number)); }
  void times(std::vector<Label> labels, const Distribution& times) { add(std::move(labels), 0, &times); }
  std::vector<Family> take() { return std::move(families_); }

 private:
  void add(std::vector<Label> labels, double number, const Distribution* times) {
    labels.insert(labels.begin(), {"rank", rank_});
    families_.back().samples.push_back({std::move(labels), number, times});
  }

  std::string rank_;
  std::vector<Family> families_;
};

std::vector<Label> labels_of(const PathMetrics& path) {
  return {{"path", std::string(name_of(path.path))}, {"neighbors", std::string(name_of(path.nearness))}};
}

void add_paths(const Metrics& metrics, Collector& all) {
  for (const PathCounter& counter : kPathCounters) {
    all.family(FamilyKind::counter, counter.name, counter.help);
    for (const PathMetrics& path : metrics.paths) all.value(labels_of(path), path.*counter.value);
  }
  for (const PathTimes& times : kPathTimes) {
    all.family(FamilyKind::histogram, times.name, times.help);
    for (const PathMetrics& path : metrics.paths) all.times(labels_of(path), path.*times.value);
  }
}

void add_exchanges(const Metrics& metrics, Collector& all) {
  all.family(FamilyKind::counter, "halyard_exchanges_total", "Exchanges that have ended well.");
  all.value({{"kind", "forward"}}, metrics.forward_exchanges);
  all.value({{"kind", "reverse"}}, metrics.reverse_exchanges);
  all.family(FamilyKind::histogram, "halyard_exposed_seconds", "Time in wait(), of waits that had to wait.");
  all.times({}, metrics.exposed);
  all.family(FamilyKind::counter, "halyard_late_total", "Waits that lasted until this neighbor's message came.");
  for (const NeighborMetrics& neighbor : metrics.neighbors)
    if (neighbor.rank != metrics.rank) all.value({{"neighbor", std::to_string(neighbor.rank)}}, neighbor.late);
  all.family(FamilyKind::counter, "halyard_errors_total", "Exchanges that failed, by what failed.");
  for (int code = 1; code < kNumStatusCodes; ++code)
    all.value({{"code", std::string(halyard::name_of(static_cast<StatusCode>(code)))}},
              metrics.errors[static_cast<std::size_t>(code)]);
}

void add_registrations(const RegistrationMetrics& registrations, Collector& all) {
  all.family(FamilyKind::counter, "halyard_registration_lookups_total", "Asked of the registration cache.");
  all.value({{"result", "hit"}}, registrations.hits);
  all.value({{"result", "miss"}}, registrations.misses);
  all.family(FamilyKind::counter, "halyard_registrations_given_up_total", "Registrations given up, and why.");
  all.value({{"reason", "evicted"}}, registrations.evicted);
  all.value({{"reason", "stale"}}, registrations.stale);
  all.family(FamilyKind::counter, "halyard_registration_retries_total", "Registrations tried again after an eviction.");
  all.value({}, registrations.retries);
  all.family(FamilyKind::counter, "halyard_registering_seconds_total", "Time spent registering memory.");
  all.value({}, registrations.seconds);
  all.family(FamilyKind::gauge, "halyard_registered_regions", "Memory regions registered now.");
  all.value({}, registrations.regions);
  all.family(FamilyKind::gauge, "halyard_registered_bytes", "Bytes registered now.");
  all.value({}, registrations.bytes);
}

}  // namespace

std::string_view name_of(FamilyKind kind) {
  switch (kind) {
    case FamilyKind::counter:
      return "counter";
    case FamilyKind::gauge:
      return "gauge";
    case FamilyKind::histogram:
      return "histogram";
  }
  return "untyped";
}

std::vector<Family> families_of(const Metrics& metrics) {
  Collector all(metrics);
  add_exchanges(metrics, all);
  add_paths(metrics, all);
  add_registrations(metrics.registrations, all);
  all.family(FamilyKind::counter, "halyard_trace_dropped_events_total", "Events that a trace had no room for.");
  all.value({}, metrics.trace_events_dropped);
  return all.take();
}

}  // namespace halyard::metrics
