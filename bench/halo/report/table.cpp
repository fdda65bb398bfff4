// Text of the halo bench's table; see table.hpp.
#include "halo/report/table.hpp"

#include <fmt/format.h>

#include "common/quantiles.hpp"
#include "halo/method.hpp"

namespace halyard::bench {
namespace {

/// GB/s into one rank, where fields lie on GPUs; nothing for host memory, which has no wire.
std::string speed_text(const RunFacts& run, const CaseResult& in, const MethodResult& method) {
  constexpr double kBytesPerUs = 1e3;  // of 1 GB/s
  if (run.gpu.name.empty()) return "";
  if (method.memory == kNoMemory) return fmt::format(" {:>6}", "-");
  return fmt::format(" {:>6.1f}", static_cast<double>(in.bytes) / median(method.samples_us) / kBytesPerUs);
}

std::string label_of(const MethodResult& method) {
  return method.mode.empty() ? method.name : method.name + " " + method.mode;
}

std::string ratios_text(const RunFacts& run, const CaseResult& in, const MethodResult& method) {
  std::string text;
  for (const RatioBase& base : run.ratio_bases) {
    if (base.column.empty()) continue;
    const auto ratio = ratio_to(in, method, base.method);
    text += ratio ? fmt::format(" {:6.2f}", ratio->p10) : fmt::format(" {:>6}", "-");
  }
  return text;
}

std::string ratio_heads(const RunFacts& run) {
  std::string text;
  for (const RatioBase& base : run.ratio_bases)
    if (!base.column.empty()) text += fmt::format(" {:>6}", base.column);
  return text;
}

int path_columns(const RunFacts& run) { return run.gpu.name.empty() ? 16 : 9; }

std::string method_line(const RunFacts& run, const CaseResult& in, const MethodResult& method) {
  if (!method.not_run.empty())
    return fmt::format("{:<21} not run: {}\n", label_of(method), method.not_run.substr(0, 69));
  return fmt::format("{0:<21} {1:<{2}.{2}} {3:>8.1f} {4:>8.1f} {5:>8.1f}{6}{7}  {8}\n", label_of(method), method.path,
                     path_columns(run), median(method.samples_us), quantile(method.samples_us, 0.1),
                     quantile(method.samples_us, 0.99), speed_text(run, in, method), ratios_text(run, in, method),
                     method.is_verified ? "yes" : "WRONG");
}

std::string reach_text(const CaseResult& result) {
  const int axis = result.bench_case.axis;
  return axis == kAllAxes ? "26 neighbors" : fmt::format("faces {}", "xyz"[axis]);
}

}  // namespace

std::string table_head(const RunFacts& run) {
  const Machine& m = run.machine;
  std::string head = fmt::format("halyard {} bench halo\n", run.commit);
  head += fmt::format("{}, {} cores, Linux {}\n", m.cpu, m.cores, m.kernel);
  if (!run.gpu.name.empty())
    head += fmt::format("{} of {}, driver {}\n", run.gpu.num_gpus, run.gpu.name, run.gpu.driver);
  head += fmt::format("{}, pml {}{}, named \"{}\"\n", m.mpi_library, m.pml,
                      m.ucx_tuning.empty() ? "" : ", UCX_RNDV_THRESH=" + m.ucx_tuning, run.mpi_name);
  head += fmt::format("{} ranks, periodic; {} rounds; ratios of p10\n", run.num_ranks, run.rounds);
  return head;
}

std::string table_of(const RunFacts& run, const CaseResult& result) {
  const BenchCase& c = result.bench_case;
  const std::string hand_over = result.hand_over_ns ? fmt::format("{:.0f} ns", *result.hand_over_ns) : "-";
  std::string text = fmt::format(
      "\n{0}^3 cells a rank, {1}, width {2}, {3} field{4}, {5}; ranks {6} x {7} x {8}; {9:.1f} KiB; c2c {10}\n",
      c.cells, reach_text(result), c.width, c.fields, c.fields == 1 ? "" : "s", name_of(result.cache), result.grid[0],
      result.grid[1], result.grid[2], static_cast<double>(result.bytes) / 1024.0, hand_over);
  text += fmt::format("{:<21} {:<{}} {:>8} {:>8} {:>8}{}{}  {}\n", "method", "path", path_columns(run), "med us",
                      "p10 us", "p99 us", run.gpu.name.empty() ? "" : "   GB/s", ratio_heads(run), "right");
  for (const MethodResult& method : result.methods) text += method_line(run, result, method);
  return text;
}

}  // namespace halyard::bench
