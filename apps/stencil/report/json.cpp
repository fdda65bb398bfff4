// Built with nlohmann-json. Numbers that are not finite become null, as JSON has none.
#include "report/json.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "common/agree.hpp"
#include "halyard/version.hpp"

namespace halyard::stencil {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Spread& spread) {
  return {{"min", spread.min}, {"median", spread.median}, {"p99", spread.p99}};
}

ordered_json json_of(const PathLine& line) {
  return {{"rank", line.rank},
          {"neighbor", line.neighbor},
          {"path", line.path},
          {"reason", line.reason},
          {"bytes", line.bytes}};
}

bool is_in_views(const Settings& settings) {
  return settings.memory == Memory::user || settings.device == Device::cuda;
}

void add_problem(ordered_json& json, const Result& result) {
  const Settings& settings = result.settings;
  json["app"] = "halyard-stencil";
  json["version"] = halyard::version();
  json["commit"] = halyard::commit();
  json["ranks"] = result.num_ranks();
  json["grid"] = result.ranks;
  json["cells"] = result.cells;
  json["periodic"] = settings.periodic;
  json["steps"] = settings.steps;
  json["device"] = settings.device == Device::cuda ? "cuda" : "host";
  json["gpu"] = result.gpu.empty() ? ordered_json() : ordered_json(result.gpu);
  json["stencil"] = settings.stencil.name();
  json["radius"] = settings.stencil.radius;
  json["coefficient"] = result.coefficient;
  json["memory"] = is_in_views(settings) ? "user" : "halyard";
  json["overlap"] = settings.overlap;
}

void add_outcome(ordered_json& json, const Result& result) {
  json["time_per_step_us"] = json_of(result.times.step);
  json["exchange_us"] = json_of(result.times.exchange);
  json["exposed_us"] = json_of(result.times.exposed);
  json["compute_us"] = result.gpu.empty() ? ordered_json() : json_of(result.times.compute);
  json["bytes_per_step"] = result.bytes_per_step();
  json["paths"] = ordered_json::array();
  for (const PathLine& line : result.paths) json["paths"].push_back(json_of(line));
  json["error"] = nullptr;
  json["verified"] = nullptr;
  if (!result.error) return;
  json["error"] = *result.error;
  json["verified"] = result.is_verified();
}

PathLine line_of(const ordered_json& json) {
  return {json.at("rank"), json.at("neighbor"), json.at("path"), json.at("reason"), json.at("bytes")};
}

}  // namespace

std::string to_json(const Result& result) {
  ordered_json json;
  add_problem(json, result);
  add_outcome(json, result);
  return json.dump(2) + "\n";
}

std::vector<PathLine> gather_paths(MPI_Comm comm, const std::vector<PathLine>& mine) {
  std::string text;
  for (const PathLine& line : mine) text += json_of(line).dump() + "\n";
  std::istringstream all(app::gather_text(comm, text));
  std::vector<PathLine> lines;
  for (std::string line; std::getline(all, line);) lines.push_back(line_of(ordered_json::parse(line)));
  return lines;
}

}  // namespace halyard::stencil
