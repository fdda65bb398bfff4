// See wait_policy.hpp.
#include "context/launch/wait_policy.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <vector>

#include "transport/mpi/handles.hpp"

namespace halyard::context {
namespace {

bool yields_early(const Options& options, const NodeShape& node) {
  return options.wait == Wait::yield || (options.wait == Wait::automatic && node.num_ranks > node.num_cores);
}

}  // namespace

NodeShape node_shape(MPI_Comm comm) {
  const auto node = transport::mpi::split_by_node(comm);
  NodeShape shape;
  MPI_Comm_size(node.get(), &shape.num_ranks);
  MPI_Comm_rank(node.get(), &shape.rank_on_node);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  shape.ranks.resize(static_cast<std::size_t>(shape.num_ranks));
  MPI_Allgather(&rank, 1, MPI_INT, shape.ranks.data(), 1, MPI_INT, node.get());
  std::sort(shape.ranks.begin(), shape.ranks.end());
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof(mine), &mine);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(shape.num_ranks));
  constexpr int kBytes = static_cast<int>(sizeof(cpu_set_t));
  MPI_Allgather(&mine, kBytes, MPI_BYTE, all.data(), kBytes, MPI_BYTE, node.get());
  for (const cpu_set_t& set : all) CPU_OR(&mine, &mine, &set);
  shape.num_cores = CPU_COUNT(&mine);
  return shape;
}

base::WaitPolicy wait_policy(const Options& options, const NodeShape& node) {
  base::WaitPolicy policy;
  policy.deadline_s = options.deadline_s;
  if (options.wait == Wait::spin) policy.spins_before_yield = base::WaitPolicy::kNeverYield;
  if (yields_early(options, node)) policy.spins_before_yield = base::WaitPolicy::kYieldEarly;
  return policy;
}

std::string wait_text(const Options& options, const NodeShape& node) {
  const char* how = options.wait == Wait::spin    ? "spins"
                    : yields_early(options, node) ? "yields early"
                                                  : "spins, then yields";
  return fmt::format("{} rank(s) on {} core(s) of this node: a waiting rank {}", node.num_ranks, node.num_cores, how);
}

}  // namespace halyard::context
