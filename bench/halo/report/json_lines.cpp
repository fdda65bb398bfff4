// Results as JSON lines, one per case and method; the keys are listed in bench/README.md.
#include "common/machine_json.hpp"
#include "common/quantiles.hpp"
#include "halo/report/report.hpp"

namespace halyard::bench {
namespace {

using Json = nlohmann::ordered_json;

Json case_json(const CaseResult& result, const MethodResult& method) {
  const BenchCase& c = result.bench_case;
  return {{"cells", c.cells},        {"width", c.width},
          {"fields", c.fields},      {"neighbors", result.num_neighbors},
          {"memory", method.memory}, {"cache", name_of(result.cache)}};
}

Json ratios_json(const RunFacts& run, const CaseResult& result, const MethodResult& method) {
  Json ratios = Json::object();
  for (const RatioBase& base : run.ratio_bases)
    if (const auto ratio = ratio_to(result, method, base.method))
      ratios[std::string(base.method)] = {{"p10", ratio->p10}, {"median", ratio->median}, {"paired", ratio->paired}};
  return ratios;
}

void add_times(Json& line, const MethodResult& method) {
  line["median_us"] = median(method.samples_us);
  line["p10_us"] = quantile(method.samples_us, 0.1);
  line["p99_us"] = quantile(method.samples_us, 0.99);
}

void add_device(Json& line, const GpuFacts& gpu, const MethodResult& method) {
  line["mode"] = method.mode;
  line["device"] = "cuda";
  line["gpu"] = gpu.name;
  line["gpus"] = gpu.num_gpus;
  line["driver"] = gpu.driver;
}

Json line_of(const RunFacts& run, const CaseResult& result, const MethodResult& method) {
  Json line;
  line["bench"] = "halo";
  line["commit"] = run.commit;
  line["machine"] = machine_json(run.machine);
  line["mpi"] = mpi_json(run.machine, run.mpi_name);
  line["ranks"] = run.num_ranks;
  line["grid"] = result.grid;
  line["case"] = case_json(result, method);
  line["method"] = method.name;
  line["path"] = method.path;
  const int axis = result.bench_case.axis;
  line["axis"] = axis == kAllAxes ? "all" : std::string(1, "xyz"[axis]);
  if (!run.gpu.name.empty()) add_device(line, run.gpu, method);
  add_times(line, method);
  line["bytes"] = result.bytes;
  if (method.packets) line["packets"] = *method.packets;
  line["c2c_ns"] = result.hand_over_ns ? Json(*result.hand_over_ns) : Json(nullptr);
  line["verified"] = method.is_verified;
  line["rounds"] = run.rounds;
  line["batch_ms"] = run.batch_ms;
  line["ratios"] = ratios_json(run, result, method);
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
