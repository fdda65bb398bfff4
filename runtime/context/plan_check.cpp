// See plan_check.hpp.
#include "context/plan_check.hpp"

#include <fmt/format.h>

#include "plan/byte_text.hpp"

namespace halyard::context {
namespace {

// What a rank says of its messages with another one; zeros where there are none.
struct Claim {
  std::uint64_t send_hash = 0;
  std::uint64_t receive_hash = 0;
  std::int64_t send_bytes = 0;
  std::int64_t receive_bytes = 0;
  std::uint64_t num_fields = 0;
  std::uint64_t path = 0;
};

std::vector<Claim> claims_of(const Plan& plan) {
  std::vector<Claim> claims(static_cast<std::size_t>(plan.pattern().num_ranks));
  for (const PlanNeighbor& n : plan.neighbors())
    claims[static_cast<std::size_t>(n.rank)] = {n.send.hash,          n.receive.hash,
                                                n.send.bytes,         n.receive.bytes,
                                                plan.fields().size(), static_cast<std::uint64_t>(n.path)};
  return claims;
}

std::string difference(const Claim& mine, const Claim& theirs, int rank, int peer) {
  if (mine.num_fields != 0 && theirs.num_fields != 0 && mine.num_fields != theirs.num_fields)
    return fmt::format("rank {} plans {} field(s), rank {} plans {}", rank, mine.num_fields, peer, theirs.num_fields);
  if (mine.send_bytes != theirs.receive_bytes)
    return fmt::format("rank {} sends {} to rank {}, which expects {}", rank, plan::byte_text(mine.send_bytes), peer,
                       plan::byte_text(theirs.receive_bytes));
  if (mine.receive_bytes != theirs.send_bytes)
    return fmt::format("rank {} expects {} from rank {}, which sends {}", rank, plan::byte_text(mine.receive_bytes),
                       peer, plan::byte_text(theirs.send_bytes));
  if (mine.path != theirs.path)
    return fmt::format("rank {} takes path {} to rank {}, which takes {}", rank, name_of(static_cast<Path>(mine.path)),
                       peer, name_of(static_cast<Path>(theirs.path)));
  return fmt::format("ranks {} and {} send the same number of bytes, but other cells, elements or axis orders", rank,
                     peer);
}

bool fits(const Claim& mine, const Claim& theirs) {
  return mine.send_hash == theirs.receive_hash && mine.receive_hash == theirs.send_hash && mine.path == theirs.path;
}

}  // namespace

void check_plans(Bootstrap& bootstrap, const Plan& plan) {
  std::vector<Claim> mine;
  bootstrap.together("check a plan", [&] {
    if (plan.pattern().num_ranks != bootstrap.size() || plan.pattern().rank != bootstrap.rank())
      throw Error(
          StatusCode::invalid_argument,
          fmt::format(
              "bind a plan of rank {} of {} on rank {} of {}: make the plan for the communicator of its context",
              plan.pattern().rank, plan.pattern().num_ranks, bootstrap.rank(), bootstrap.size()));
    mine = claims_of(plan);
  });
  const auto theirs = bootstrap.all_to_all(mine);
  bootstrap.together("check a plan", [&] {
    for (std::size_t r = 0; r < mine.size(); ++r)
      if (!fits(mine[r], theirs[r]))
        throw Error(
            StatusCode::disagreement,
            fmt::format("plans do not fit together: {}; all ranks must give the same decomposition, widths, fields and "
                        "orders",
                        difference(mine[r], theirs[r], bootstrap.rank(), static_cast<int>(r))));
  });
}

}  // namespace halyard::context
