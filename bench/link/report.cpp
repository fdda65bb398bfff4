// The table and the file; see report.hpp.
#include "link/report.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "common/quantiles.hpp"

namespace halyard::bench {
namespace {

constexpr double kMiB = 1 << 20;

std::string head_of(const LinkFacts& facts) {
  const Machine& m = facts.machine;
  std::string head = fmt::format("halyard {} bench link\n{}, {} cores, Linux {}\n{}, pml {}, named \"{}\"\n",
                                 facts.commit, m.cpu, m.cores, m.kernel, m.mpi_library, m.pml, facts.mpi_name);
  for (const std::string& detail : facts.details) head += detail + "\n";
  return head + "one way: half of there and back; stream: messages from rank 0 to rank 1\n";
}

std::string line_of(std::int64_t bytes, const LinkResult& r) {
  if (!r.not_run.empty()) return fmt::format("{:<13} not run: {}\n", r.method, r.not_run);
  const double rate = median(r.messages_a_s);
  return fmt::format("{:<13} {:<24.24} {:>9.1f} {:>9.1f} {:>9.1f} {:>11.0f} {:>9.1f}  {}\n", r.method, r.path,
                     median(r.one_way_us), quantile(r.one_way_us, 0.1), quantile(r.one_way_us, 0.99), rate,
                     rate * static_cast<double>(bytes) / kMiB, r.is_verified ? "yes" : "WRONG");
}

}  // namespace

LinkReport::LinkReport(MPI_Comm comm, LinkFacts facts, const std::string& json_file)
    : facts_(std::move(facts)), json_(comm, json_file) {
  if (json_.is_writer()) fmt::print("{}", head_of(facts_));
}

void LinkReport::add(std::int64_t bytes, const std::vector<LinkResult>& results) {
  if (!json_.is_writer()) return;
  fmt::print("\n{} bytes\n{:<13} {:<24} {:>9} {:>9} {:>9} {:>11} {:>9}  right\n", bytes, "method", "path", "med us",
             "p10 us", "p99 us", "messages/s", "MiB/s");
  for (const LinkResult& result : results) fmt::print("{}", line_of(bytes, result));
  std::fflush(stdout);
  json_.write(json_lines(facts_, bytes, results));
}

}  // namespace halyard::bench
