// Text of the halo bench's table; see table.hpp.
#include "halo/report/table.hpp"

#include <fmt/format.h>

#include "common/quantiles.hpp"

namespace halyard::bench {
namespace {

std::string ratio_text(const CaseResult& in, const MethodResult& method, std::string_view base) {
  const auto ratio = ratio_to(in, method, base);
  return ratio ? fmt::format("{:6.2f}", ratio->p10) : fmt::format("{:>6}", "-");
}

std::string method_line(const CaseResult& in, const MethodResult& method) {
  if (!method.not_run.empty()) return fmt::format("{:<18} not run: {}\n", method.name, method.not_run.substr(0, 71));
  return fmt::format("{:<18} {:<17.17} {:>8.1f} {:>8.1f} {:>8.1f} {} {} {} {}  {}\n", method.name, method.path,
                     median(method.samples_us), quantile(method.samples_us, 0.1), quantile(method.samples_us, 0.99),
                     ratio_text(in, method, "f"), ratio_text(in, method, "g2"), ratio_text(in, method, "best-mpi"),
                     ratio_text(in, method, "b"), method.is_verified ? "yes" : "WRONG");
}

}  // namespace

std::string table_head(const RunFacts& run) {
  const Machine& m = run.machine;
  std::string head = fmt::format("halyard {} bench halo\n", run.commit);
  head += fmt::format("{}, {} cores, Linux {}\n", m.cpu, m.cores, m.kernel);
  head += fmt::format("{}, pml {}{}, named \"{}\"\n", m.mpi_library, m.pml,
                      m.ucx_tuning.empty() ? "" : ", UCX_RNDV_THRESH=" + m.ucx_tuning, run.mpi_name);
  head += fmt::format("{} ranks as {} x {} x {}, periodic, 26 neighbors; {} rounds; ratios of p10\n", run.num_ranks,
                      run.grid[0], run.grid[1], run.grid[2], run.rounds);
  return head;
}

std::string table_of(const CaseResult& result) {
  const BenchCase& c = result.bench_case;
  const std::string hand_over = result.hand_over_ns ? fmt::format("{:.0f} ns", *result.hand_over_ns) : "-";
  std::string text = fmt::format(
      "\n{0} x {0} x {0} cells a rank, width {1}, {2} field{3}, {4} caches; {5:.1f} KiB; c2c {6}\n", c.cells, c.width,
      c.fields, c.fields == 1 ? "" : "s", name_of(result.cache), static_cast<double>(result.bytes) / 1024.0, hand_over);
  text += fmt::format("{:<18} {:<17} {:>8} {:>8} {:>8} {:>6} {:>6} {:>6} {:>6}  {}\n", "method", "path", "med us",
                      "p10 us", "p99 us", "/f", "/g2", "/best", "/b", "right");
  for (const MethodResult& method : result.methods) text += method_line(result, method);
  return text;
}

}  // namespace halyard::bench
