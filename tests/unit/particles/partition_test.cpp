// ParticleDomain and Partition: each coordinate has one owner; neighborhoods are the same seen from both ends.
#include "particles/partition.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "particles/neighborhood.hpp"
#include "unit/error_text.hpp"

namespace halyard::particles {
namespace {

using test::error_text;

ParticleDomain domain_of(const Index3& ranks, std::array<bool, 3> periodic = {true, true, true}) {
  return {{{0.1, -2, 0}, {0.7, 5, 3}}, periodic, ranks, {}};
}

ParticleDomain random_domain(std::mt19937_64& random) {
  ParticleDomain domain =
      domain_of({static_cast<std::int64_t>(random() % 4 + 1), static_cast<std::int64_t>(random() % 4 + 1),
                 static_cast<std::int64_t>(random() % 3 + 1)},
                {random() % 2 == 0, random() % 2 == 0, random() % 2 == 0});
  for (std::size_t a = 0; a < 3; ++a) {
    if (random() % 2 == 0) continue;
    std::uniform_real_distribution<double> inside(domain.box.lo[a], domain.box.hi[a]);
    auto& cuts = domain.cuts[a];
    for (std::int64_t i = 1; i < domain.ranks[a]; ++i)
      cuts.push_back(random() % 5 == 0 && !cuts.empty() ? cuts.back() : inside(random));
    cuts.push_back(domain.box.lo[a]);
    cuts.push_back(domain.box.hi[a]);
    std::sort(cuts.begin(), cuts.end());
  }
  return domain;
}

TEST(Partition, GivesEveryCoordinateTheOneRankWhoseHalfOpenBoxHoldsIt) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    const auto domain = random_domain(random);
    domain.check(domain.num_ranks());
    const Partition partition(domain);
    for (int i = 0; i < 200; ++i) {
      Point3 p{};
      for (std::size_t a = 0; a < 3; ++a) {
        const double cut =
            partition.cut(a, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(domain.ranks[a] + 1)));
        p[a] = std::uniform_real_distribution<double>(domain.box.lo[a], domain.box.hi[a])(random);
        if (random() % 3 == 0) p[a] = cut;
        if (random() % 3 == 0) p[a] = std::nextafter(cut, random() % 2 == 0 ? -100.0 : 100.0);
        p[a] = std::clamp(p[a], domain.box.lo[a], std::nextafter(domain.box.hi[a], -100.0));
      }
      int holders = 0;
      for (int r = 0; r < domain.num_ranks(); ++r) holders += partition.box_of(r).holds(p) ? 1 : 0;
      ASSERT_EQ(holders, 1);
      ASSERT_TRUE(partition.box_of(domain.owner_of(p)).holds(p));
    }
  }
}

TEST(Partition, GivesTheOutermostRanksWhatLiesBeyondTheEnds) {
  const Partition partition(domain_of({3, 1, 2}, {false, false, false}));
  EXPECT_EQ(partition.owner_of({-1e9, 0, 1}), 0);
  EXPECT_EQ(partition.owner_of({1e9, 0, 1e9}), 5);
}

TEST(Neighborhood, IsTheSameSeenFromBothEnds) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 60; ++round) {
    const auto domain = random_domain(random);
    const Partition partition(domain);
    const double reach = std::uniform_real_distribution<double>(0.01, 2.0)(random);
    std::vector<std::vector<Nearby>> all;
    for (int r = 0; r < domain.num_ranks(); ++r) all.push_back(neighborhood_of(partition, r, reach));
    for (int r = 0; r < domain.num_ranks(); ++r)
      for (const Nearby& n : all[static_cast<std::size_t>(r)]) {
        const auto& theirs = all[static_cast<std::size_t>(n.rank)];
        const Index3 back{-n.steps[0], -n.steps[1], -n.steps[2]};
        ASSERT_EQ(std::count_if(theirs.begin(), theirs.end(),
                                [&](const Nearby& t) { return t.rank == r && t.steps == back; }),
                  1);
      }
  }
}

TEST(Neighborhood, ShiftsByWholeBoxLengthsAndReachesOwnImages) {
  const Partition partition(domain_of({1, 2, 1}, {true, true, false}));
  const auto nearby = neighborhood_of(partition, 0, 0.5);
  EXPECT_EQ(nearby.size(), 8U);  // x: -1 0 1, y: -1 0 1, z: 0; without itself
  for (const Nearby& n : nearby) {
    EXPECT_DOUBLE_EQ(n.shift[0], 0.6 * static_cast<double>(n.steps[0]));
    EXPECT_DOUBLE_EQ(n.shift[1], n.steps[1] == -1 ? -7.0 : 0.0);
    EXPECT_EQ(n.rank, n.steps[1] == 0 ? 0 : 1);
  }
}

TEST(Neighborhood, OfAdjacentRanksHoldsEachOnceWithoutItself) {
  EXPECT_EQ(adjacent_ranks(Partition(domain_of({4, 1, 1})), 0), (std::vector<int>{1, 3}));
  EXPECT_EQ(adjacent_ranks(Partition(domain_of({4, 1, 1}, {false, true, true})), 0), (std::vector<int>{1}));
  EXPECT_EQ(adjacent_ranks(Partition(domain_of({1, 1, 1})), 0), std::vector<int>{});
  EXPECT_EQ(adjacent_ranks(Partition(domain_of({3, 3, 3})), 13).size(), 26U);
}

TEST(ParticleDomainCheck, RefusesWhatMakesNoSense) {
  const auto refusal = [](const ParticleDomain& domain, int num_ranks) {
    return error_text(StatusCode::invalid_argument, [&] { domain.check(num_ranks); });
  };
  auto domain = domain_of({2, 1, 1});
  EXPECT_EQ(refusal(domain, 2), "nothing was thrown");
  EXPECT_THAT(refusal(domain, 3), testing::HasSubstr("2 x 1 x 1 ranks on a communicator of 3"));
  domain.ranks[1] = 0;
  EXPECT_THAT(refusal(domain, 2), testing::HasSubstr("0 ranks on axis 1"));
  domain = domain_of({2, 1, 1});
  domain.box.hi[2] = domain.box.lo[2];
  EXPECT_THAT(refusal(domain, 2), testing::HasSubstr("must be finite and ascend"));
  domain.box.hi[2] = std::nan("");
  EXPECT_THAT(refusal(domain, 2), testing::HasSubstr("must be finite and ascend"));
  domain = domain_of({2, 1, 1});
  domain.cuts[0] = {0.1, 0.7};
  EXPECT_THAT(refusal(domain, 2), testing::HasSubstr("2 cuts on axis 0 for 2 ranks"));
  domain.cuts[0] = {0.1, 0.4, 0.8};
  EXPECT_THAT(refusal(domain, 2), testing::HasSubstr("go from 0.1 to 0.8"));
  domain = domain_of({3, 1, 1});
  domain.cuts[0] = {0.1, 0.5, 0.4, 0.7};
  EXPECT_THAT(refusal(domain, 3), testing::HasSubstr("must ascend"));
}

}  // namespace
}  // namespace halyard::particles
