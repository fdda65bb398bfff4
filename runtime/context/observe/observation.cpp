// See observation.hpp.
#include "context/observe/observation.hpp"

#include <atomic>
#include <utility>

#include "base/log.hpp"

namespace halyard::context {
namespace {

/// Contexts of this process that have written, or will write, files.
int next_number() {
  static std::atomic<int> num_writers{0};
  return ++num_writers;
}

bool writes_anything(const OutputOptions& wishes) { return !wishes.metrics_file.empty(); }

metrics::Setting setting_of(int rank, const NodeShape& node, Observation::Registrations registrations) {
  metrics::Setting setting;
  setting.rank = rank;
  setting.ranks_on_node = node.ranks;
  setting.registrations = std::move(registrations);
  return setting;
}

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
      registry_(std::make_shared<metrics::Registry>(setting_of(bootstrap.rank(), node, std::move(registrations)))) {
  if (writes_anything(wishes_)) writer_.number = next_number();
  if (!wishes_.metrics_file.empty()) or_without("a metrics file", [&] { open_file(); });
  if (!wishes_.metrics_port.empty()) or_without("a metrics port", [&] { open_port(node); });
}

Observation::~Observation() = default;

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

void Observation::end() {
  registry_->forget_registrations();
  endpoint_.reset();
  file_.reset();
}

}  // namespace halyard::context
