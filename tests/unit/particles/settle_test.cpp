// plan_moves: whoever leaves, the rest is dense afterwards, in the promised order and with the promised few copies.
#include "particles/migrate/settle.hpp"

#include <gtest/gtest.h>

#include <random>

namespace halyard::particles {
namespace {

struct Outcome {
  std::vector<ParticleOrigin> left;
  std::int64_t num_copied = 0;
};

// Elements numbered 0 … total - 1, without the leavers.
Outcome settled(MigrateOrder order, const std::vector<std::int32_t>& leavers, std::int64_t total) {
  std::vector<Move> moves;
  plan_moves(order, leavers, total, moves);
  Outcome outcome;
  for (std::int64_t i = 0; i < total; ++i) outcome.left.push_back({0, i});
  run_moves(moves, outcome.left);
  outcome.left.resize(static_cast<std::size_t>(total) - leavers.size());
  for (const Move& move : moves) outcome.num_copied += move.count;
  return outcome;
}

std::vector<std::int32_t> random_leavers(std::int64_t total, double fraction, std::mt19937& random) {
  std::vector<std::int32_t> leavers;
  for (std::int32_t i = 0; i < total; ++i)
    if (static_cast<double>(random() % 1000) < 1000 * fraction) leavers.push_back(i);
  return leavers;
}

TEST(Settle, KeepsEveryStayerOnceInAnyOrderAndInItsPlaceInAStableOne) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const auto total = static_cast<std::int64_t>(random() % 40);
    const auto leavers = random_leavers(total, std::array{0.0, 0.1, 0.5, 0.9, 1.0}[random() % 5], random);
    std::vector<ParticleOrigin> expected;
    for (std::int64_t i = 0; i < total; ++i)
      if (!std::binary_search(leavers.begin(), leavers.end(), i)) expected.push_back({0, i});
    ASSERT_EQ(settled(MigrateOrder::stable, leavers, total).left, expected);
    auto any = settled(MigrateOrder::any, leavers, total);
    ASSERT_LE(any.num_copied, static_cast<std::int64_t>(leavers.size()));
    std::sort(any.left.begin(), any.left.end(), [](auto& a, auto& b) { return a.index < b.index; });
    ASSERT_EQ(any.left, expected);
  }
}

TEST(Settle, InAnyOrderMovesOnlyTheLastIntoHoles) {
  EXPECT_EQ(settled(MigrateOrder::any, {1, 4}, 8).left,
            (std::vector<ParticleOrigin>{{0, 0}, {0, 7}, {0, 2}, {0, 3}, {0, 6}, {0, 5}}));
  EXPECT_EQ(settled(MigrateOrder::any, {6, 7}, 8).num_copied, 0);
  EXPECT_EQ(settled(MigrateOrder::any, {0, 7}, 8).left.front(), (ParticleOrigin{0, 6}));
}

}  // namespace
}  // namespace halyard::particles
