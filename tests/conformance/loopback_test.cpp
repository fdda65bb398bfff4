// Thousands of random halo problems on 1 to 8 ranks in this process, over mailboxes and in place.
#include <gtest/gtest.h>

#include "conformance/random_case.hpp"
#include "support/loopback_world.hpp"

namespace halyard::test {
namespace {

constexpr int kRanks[] = {1, 2, 3, 4, 6, 8};
constexpr std::uint64_t kSeedsPerRankCount = 350;  // x 6 rank counts x 2 forms = 4,200 plans with their exchanges

class LoopbackConformance : public testing::TestWithParam<std::tuple<int, transport::loopback::Exports>> {};

void check_case(std::uint64_t seed, int num_ranks, transport::loopback::Exports exports) {
  const RandomCase problem = RandomCase::draw(seed, num_ranks);
  SCOPED_TRACE(problem.text);
  LoopbackWorld world(num_ranks, exports);
  std::vector<RankFields> fields;
  std::vector<Plan> plans;
  std::vector<std::vector<FieldView>> views;
  for (int rank = 0; rank < num_ranks; ++rank) {
    const Pattern pattern = box_halo(problem.halo, rank);
    fields.emplace_back(problem, pattern);
    plans.emplace_back(pattern, fields.back().shapes, world.facts(rank));
    views.push_back(fields.back().views);
  }
  auto bindings = world.bind(std::move(plans), views);
  for (std::uint64_t step = 0; step < 3; ++step) {
    for (RankFields& rank : fields) rank.fill(step);
    const Status status = LoopbackWorld::run(bindings, exchange::Kind::forward);
    ASSERT_TRUE(status.ok()) << status.text();
    for (const RankFields& rank : fields) ASSERT_EQ(rank.check(step), "");
  }
}

TEST_P(LoopbackConformance, EveryGhostHoldsItsOwnersCodeAndNothingElseIsTouched) {
  const auto [num_ranks, exports] = GetParam();
  for (std::uint64_t seed = 0; seed < kSeedsPerRankCount && !HasFatalFailure(); ++seed)
    check_case(seed, num_ranks, exports);
}

INSTANTIATE_TEST_SUITE_P(Ranks, LoopbackConformance,
                         testing::Combine(testing::ValuesIn(kRanks),
                                          testing::Values(transport::loopback::Exports::nothing,
                                                          transport::loopback::Exports::everything)));

}  // namespace
}  // namespace halyard::test
