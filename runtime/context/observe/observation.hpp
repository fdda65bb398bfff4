// Observation: what a context counts and writes down of itself: the registry of its metrics, the file and the port that
// they can be read from, the trace, and the report at its end.
//
// Owned by ContextCore, made once its options are known. A file or a port that cannot be had costs one line in the log;
// nothing here stops a run.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "context/bootstrap.hpp"
#include "context/launch/wait_policy.hpp"
#include "context/observe/collect.hpp"
#include "halyard/options.hpp"
#include "metrics/output/file_exporter.hpp"
#include "metrics/output/output_name.hpp"
#include "metrics/prometheus/endpoint.hpp"
#include "metrics/registry.hpp"

namespace halyard::context {

class Observation {
 public:
  using Registrations = std::function<RegistrationMetrics()>;

  Observation(Bootstrap& bootstrap, const Options& options, const NodeShape& node, Registrations registrations);
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;
  ~Observation();

  const std::shared_ptr<metrics::Registry>& registry() const { return registry_; }

  /// The context ends: its transports are asked for the last time, and what was wished for is written. Collective where
  /// a trace or a report was wished for, but never longer than a few seconds.
  void end(bool is_running);

 private:
  void open_file();
  void open_port(const NodeShape& node);
  void open_trace();
  void say_last_words(bool is_running);

  Bootstrap& bootstrap_;
  const OutputOptions wishes_;
  metrics::Writer writer_;
  std::shared_ptr<metrics::Trace> trace_;
  std::vector<ClockReading> clocks_;
  double patience_s_;
  std::shared_ptr<metrics::Registry> registry_;
  std::unique_ptr<metrics::FileExporter> file_;
  std::unique_ptr<metrics::Endpoint> endpoint_;
};

}  // namespace halyard::context
