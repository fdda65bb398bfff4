// Results as JSON lines, one per case and method; the keys are listed in bench/README.md.
#include <nlohmann/json.hpp>

#include "common/quantiles.hpp"
#include "halo/report/report.hpp"

namespace halyard::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRatioBases[] = {"f", "g2", "best-mpi", "derived", "b"};
constexpr int kNumNeighbors = kNumDirections - 1;

Json machine_json(const Machine& machine) {
  return {{"cpu", machine.cpu}, {"cores", machine.cores}, {"kernel", machine.kernel}};
}

Json mpi_json(const RunFacts& run) {
  return {{"library", run.machine.mpi_library}, {"pml", run.machine.pml}, {"name", run.mpi_name}};
}

Json case_json(const CaseResult& result, const MethodResult& method) {
  const BenchCase& c = result.bench_case;
  return {{"cells", c.cells},           {"width", c.width},        {"fields", c.fields},
          {"neighbors", kNumNeighbors}, {"memory", method.memory}, {"cache", name_of(result.cache)}};
}

Json ratios_json(const CaseResult& result, const MethodResult& method) {
  Json ratios = Json::object();
  for (const std::string_view base : kRatioBases)
    if (const auto ratio = ratio_to(result, method, base))
      ratios[std::string(base)] = {{"p10", ratio->p10}, {"paired", ratio->paired}};
  return ratios;
}

void add_times(Json& line, const MethodResult& method) {
  line["median_us"] = median(method.samples_us);
  line["p10_us"] = quantile(method.samples_us, 0.1);
  line["p99_us"] = quantile(method.samples_us, 0.99);
}

Json line_of(const RunFacts& run, const CaseResult& result, const MethodResult& method) {
  Json line;
  line["bench"] = "halo";
  line["commit"] = run.commit;
  line["machine"] = machine_json(run.machine);
  line["mpi"] = mpi_json(run);
  line["ranks"] = run.num_ranks;
  line["grid"] = run.grid;
  line["case"] = case_json(result, method);
  line["method"] = method.name;
  line["path"] = method.path;
  add_times(line, method);
  line["bytes"] = result.bytes;
  line["c2c_ns"] = result.hand_over_ns ? Json(*result.hand_over_ns) : Json(nullptr);
  line["verified"] = method.is_verified;
  line["rounds"] = run.rounds;
  line["ratios"] = ratios_json(result, method);
  return line;
}

}  // namespace

std::string json_lines(const RunFacts& run, const CaseResult& result) {
  std::string lines;
  for (const MethodResult& method : result.methods)
    if (method.not_run.empty()) lines += line_of(run, result, method).dump() + "\n";
  return lines;
}

}  // namespace halyard::bench
