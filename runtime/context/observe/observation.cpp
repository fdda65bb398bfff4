// See observation.hpp.
#include "context/observe/observation.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/log.hpp"
#include "context/observe/last_words.hpp"
#include "metrics/trace/active.hpp"

namespace halyard::context {
namespace {

constexpr double kPatience_s = 5;

/// Contexts of this process that have written, or will write, files.
int next_number() {
  static std::atomic<int> num_writers{0};
  return ++num_writers;
}

bool writes_anything(const OutputOptions& wishes) { return !wishes.metrics_file.empty(); }

/// Does without what cannot be had.
template <class Step>
void or_without(const char* what, const Step& step) {
  try {
    step();
  } catch (const std::exception& error) {
    base::log_error(std::string("goes on without ") + what + ": " + error.what());
  }
}

}  // namespace

Observation::Observation(Bootstrap& bootstrap, const Options& options, const NodeShape& node,
                         Registrations registrations)
    : bootstrap_(bootstrap),
      wishes_(options.output),
      writer_{bootstrap.rank(), bootstrap.size(), 0},
      patience_s_(options.deadline_s > 0 ? std::min(options.deadline_s, kPatience_s) : kPatience_s) {
  if (writes_anything(wishes_)) writer_.number = next_number();
  if (!wishes_.trace.empty()) or_without("a trace", [&] { open_trace(); });
  registry_ = std::make_shared<metrics::Registry>(
      metrics::Setting{bootstrap.rank(), node.ranks, trace_, std::move(registrations)});
  if (!wishes_.metrics_file.empty()) or_without("a metrics file", [&] { open_file(); });
  if (!wishes_.metrics_port.empty()) or_without("a metrics port", [&] { open_port(node); });
}

Observation::~Observation() = default;

// Ranks read the clocks together, whether or not each of them could take a trace.
void Observation::open_trace() {
  Talk talk(bootstrap_);
  clocks_ = read_clocks(talk);
  trace_ = metrics::make_active(std::make_shared<metrics::Trace>());
  if (trace_ == nullptr)
    base::log_warn("no trace of this context is taken: another context of this process takes one; see HALYARD_TRACE");
}

void Observation::open_file() {
  const std::string name =
      metrics::output_name("HALYARD_METRICS_FILE", wishes_.metrics_file, writer_, metrics::Files::per_rank);
  file_ = std::make_unique<metrics::FileExporter>(
      name, [registry = registry_] { return prometheus_text(registry->snapshot()); });
}

void Observation::open_port(const NodeShape& node) {
  const auto address = metrics::Address::parse("HALYARD_METRICS_PORT", wishes_.metrics_port, node.rank_on_node);
  endpoint_ = metrics::Endpoint::open(address, [registry = registry_] { return registry->snapshot(); });
  base::log_info("serves metrics on http://" + address.text() + "/metrics");
}

void Observation::end(bool is_running) {
  registry_->forget_registrations();
  endpoint_.reset();
  file_.reset();
  if (!wishes_.trace.empty() || !wishes_.report.empty())
    or_without("a trace or a report", [&] { say_last_words(is_running); });
  trace_.reset();
}

void Observation::say_last_words(bool is_running) {
  Account mine;
  mine.metrics = registry_->snapshot();
  if (trace_ != nullptr) mine.trace = metrics::taken_down(*trace_, bootstrap_.rank());
  mine.trace.rank = bootstrap_.rank();
  LastWords words(wishes_, writer_, clocks_);
  if (!is_running || bootstrap_.is_abandoned()) return words.say_alone(mine);
  Talk talk(bootstrap_);
  words.say(talk, mine, patience_s_);
}

}  // namespace halyard::context
