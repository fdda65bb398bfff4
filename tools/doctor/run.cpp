// See run.hpp.
#include "doctor/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "base/nearest_name.hpp"
#include "diagnose/check.hpp"
#include "doctor/drift.hpp"
#include "doctor/json.hpp"
#include "doctor/live_root.hpp"
#include "doctor/report.hpp"
#include "facts/capture/anonymizer.hpp"
#include "facts/capture/bundle.hpp"
#include "facts/capture/recording_root.hpp"
#include "facts/whole_file.hpp"
#include "halyard/status.hpp"
#include "topology/file/topo_file.hpp"

namespace halyard::doctor {
namespace {

using diagnose::Findings;

// No color into files and pipes, nor where the user asks for none (no-color.org).
Color color_here() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool is_dumb = term != nullptr && std::string_view(term) == "dumb";
  const bool is_unwanted = no_color != nullptr && *no_color != '\0';
  return isatty(STDOUT_FILENO) == 1 && !is_unwanted && !is_dumb ? Color::yes : Color::no;
}

std::unique_ptr<facts::Root> root_of(const Options& options) {
  if (options.root.empty()) return live_root();
  return facts::open_root(options.root);
}

const diagnose::Check& check_named(const std::string& id) {
  if (const diagnose::Check* check = diagnose::find_check(id)) return *check;
  std::vector<std::string_view> ids;
  std::string all;
  for (const diagnose::Check& check : diagnose::all_checks()) {
    ids.push_back(check.id);
    all += (all.empty() ? "" : ", ") + std::string(check.id);
  }
  throw Error(StatusCode::invalid_argument, fmt::format("--check {}: there is none; did you mean {}? There are {}", id,
                                                        base::nearest_name(id, ids), all));
}

Findings findings_of(const Options& options, const facts::Root& root) {
  const diagnose::Machine machine(root);
  return options.check.empty() ? diagnose::run_all(machine) : diagnose::run(check_named(options.check), machine);
}

// What the checks asked for is what is kept.
Findings capture(const Options& options, const facts::Root& root) {
  const facts::RecordingRoot recording(root);
  recording.read("/proc/sys/kernel/hostname");  // to know which name to take out
  Findings findings = findings_of(options, recording);
  facts::TreeRoot clean(root.name());
  facts::anonymize(recording.kept(), clean);
  facts::write_bundle(clean, options.capture);
  return findings;
}

int compare(const Options& options, const Findings& findings) {
  const auto drifts = drift_of(findings_in(facts::whole_file(options.baseline, "the baseline")), findings);
  fmt::print("{}", drift_text(drifts));
  return drift_exit(drifts);
}

int print(const Options& options, const Findings& findings, const std::string& machine) {
  if (options.is_for_prolog) {
    fmt::print("{}\n", prolog_line(findings));
    return prolog_exit(findings);
  }
  if (!options.baseline.empty()) return compare(options, findings);
  if (options.wants_json)
    fmt::print("{}", json_of(findings, machine));
  else if (options.wants_details || !options.check.empty())
    fmt::print("{}", details_text(findings, color_here()));
  else
    fmt::print("{}", summary_text(findings, machine, color_here()));
  return 0;
}

int print_topology(const std::string& path) {
  const auto file = topology::read_topo(facts::whole_file(path, "the topology"));
  fmt::print("{}", topology::text_of(file));
  return file.format.empty() ? 1 : 0;
}

}  // namespace

int run(const Options& options) {
  if (!options.topo.empty()) return print_topology(options.topo);
  if (!options.check.empty()) check_named(options.check);
  const auto root = root_of(options);
  const Findings findings = options.capture.empty() ? findings_of(options, *root) : capture(options, *root);
  return print(options, findings, root->name());
}

}  // namespace halyard::doctor
