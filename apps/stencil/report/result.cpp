// Sums and verdicts over a Result, and the plan's neighbors as lines.
#include "report/result.hpp"

#include "model/eigenmode.hpp"

namespace halyard::stencil {
namespace {

std::string reason_of(const PlanNeighbor& neighbor) {
  std::string reason;
  for (const Refusal& refusal : neighbor.refused) {
    if (!reason.empty()) reason += "; ";
    reason += std::string(halyard::name_of(refusal.path)) + ": " + refusal.reason;
  }
  return reason.empty() ? "best path" : reason;
}

}  // namespace

std::int64_t Result::bytes_per_step() const {
  std::int64_t bytes = 0;
  for (const PathLine& line : paths) bytes += line.bytes;
  return bytes;
}

bool Result::is_verified() const { return error && *error <= kTolerance; }

std::vector<PathLine> path_lines(const Plan& plan) {
  std::vector<PathLine> lines;
  for (const PlanNeighbor& neighbor : plan.neighbors())
    lines.push_back({plan.pattern().rank, neighbor.rank, std::string(halyard::name_of(neighbor.path)),
                     reason_of(neighbor), neighbor.send.bytes});
  return lines;
}

}  // namespace halyard::stencil
