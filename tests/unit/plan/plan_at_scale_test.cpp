// The plan of one rank of 4,096 on one core: it must cost what its 26 neighbors cost, whatever the number of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "halyard/plan.hpp"

namespace halyard {
namespace {

constexpr int kRank = 137;

BoxHalo halo_of_4096_ranks() {
  return {Decomposition::grid(Box::of_extent({16 * 64, 16 * 64, 16 * 64}), {16, 16, 16}),
          {true, true, true},
          Width::all(1),
          Reach::full};
}

Plan build() {
  return Plan(box_halo(halo_of_4096_ranks(), kRank), {{"p", ElementType::of<double>(), {0, 1, 2}}},
              PathFacts::uniform(Path::ucx, kRank, 4096));
}

TEST(PlanAtScale, OfRank137Of4096HasItsTwentySixNeighbors) {
  const Plan plan = build();
  ASSERT_EQ(plan.neighbors().size(), 26U);
  std::int64_t bytes = 0;
  for (const PlanNeighbor& neighbor : plan.neighbors()) bytes += neighbor.send.bytes;
  EXPECT_EQ(bytes, 6 * 64 * 64 * 8 + 12 * 64 * 8 + 8 * 16) << "6 faces, 12 edges, 8 corners of one aligned double each";
}

TEST(PlanAtScale, TakesLessThanOneMegabyte) {
  const std::size_t bytes = build().memory_bytes();
  RecordProperty("memory_bytes", static_cast<int>(bytes));
  std::printf("[  note    ] plan of rank 137 of 4,096: %zu bytes\n", bytes);
  EXPECT_LT(bytes, 1'000'000U);
  EXPECT_GT(bytes, 26U * 2U * sizeof(Piece)) << "memory_bytes counts the pieces";
}

TEST(PlanAtScale, IsBuiltInLessThanTenMilliseconds) {
  using Clock = std::chrono::steady_clock;
  double best_ms = 1e9;
  for (int build_number = 0; build_number < 20; ++build_number) {
    const auto start = Clock::now();
    const Plan plan = build();
    best_ms = std::min(best_ms, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    ASSERT_EQ(plan.neighbors().size(), 26U);
  }
  std::printf("[  note    ] plan of rank 137 of 4,096: %.3f ms, best of 20\n", best_ms);
  EXPECT_LT(best_ms, 10.0);
}

}  // namespace
}  // namespace halyard
