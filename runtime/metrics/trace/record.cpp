// See record.hpp.
#include "metrics/trace/record.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace halyard::metrics {
namespace {

class SteadyClock {
 public:
  std::int64_t ns_of(Ticks ticks) const {
    const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - now_.ticks));
    return now_.steady_ns + static_cast<std::int64_t>(since * tick_ns_);
  }

 private:
  const double tick_ns_ = seconds_per_tick() * 1e9;
  const Moment now_ = Moment::now();
};

class Names {
 public:
  std::uint64_t number_of(const char* name) {
    const auto [known, is_new] = numbers_.try_emplace(name == nullptr ? "" : name, texts.size());
    if (is_new) texts.emplace_back(known->first);
    return known->second;
  }
  std::vector<std::string> texts;

 private:
  std::map<std::string_view, std::uint64_t> numbers_;
};

/// When something was, on the steady clock, whatever clock it was told on.
class Clocks {
 public:
  explicit Clocks(const std::vector<GpuClock>& gpus) : gpus_(gpus) {}

  std::int64_t ns_of(const What& what, Ticks when) const {
    if (what.gpu == 0) return host_.ns_of(when);
    for (const GpuClock& clock : gpus_)
      if (clock.gpu == what.gpu) return clock.steady_ns(static_cast<std::int64_t>(when));
    return static_cast<std::int64_t>(when);
  }

 private:
  const SteadyClock host_;
  const std::vector<GpuClock>& gpus_;
};

}  // namespace

RankTrace taken_down(const Trace& trace, int rank) {
  const Clocks clocks(trace.gpu_clocks());
  Names names;
  RankTrace all;
  all.rank = rank;
  all.dropped = trace.num_dropped();
  all.gpu_clocks = trace.gpu_clocks();
  for (const Event& event : trace.events()) {
    Record record;
    record.begin_ns = clocks.ns_of(event.what, event.begin);
    record.end_ns = clocks.ns_of(event.what, event.end);
    record.bytes = event.what.bytes;
    record.binding = event.what.binding;
    record.step = event.step.code;
    record.peer = event.what.peer;
    record.thread = event.what.thread;
    record.kind = event.what.kind;
    record.gpu = event.what.gpu;
    if (event.what.kind == EventKind::user) record.name = names.number_of(event.what.name);
    all.records.push_back(record);
  }
  all.names = std::move(names.texts);
  std::stable_sort(all.records.begin(), all.records.end(),
                   [](const Record& a, const Record& b) { return a.begin_ns < b.begin_ns; });
  return all;
}

}  // namespace halyard::metrics
