// BorderLists: who lies within reach of a part is listed for it, once and in ascending order, wherever it has strayed.
#include "particles/borders/border_lists.hpp"

#include <gtest/gtest.h>

#include <random>

namespace halyard::particles {
namespace {

struct Case {
  ParticleDomain domain;
  double reach;
  Shell shell = Shell::full;
};

std::vector<double> random_positions(const SpaceBox& box, std::size_t count, std::mt19937_64& random) {
  std::vector<double> x(3 * count);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double length = box.hi[i % 3] - box.lo[i % 3];
    x[i] = std::uniform_real_distribution<double>(box.lo[i % 3] - 0.1 * length, box.hi[i % 3] + 0.1 * length)(random);
  }
  x[6] = 1e30;
  x[7] = -1e30;
  return x;
}

bool is_within(const std::vector<BorderLists::Interval>& intervals, std::int64_t step, double x) {
  for (const auto& interval : intervals)
    if (interval.step == step) return x >= interval.lo && x <= interval.hi;
  return false;
}

void expect_lists(const Case& given) {
  std::mt19937_64 random(11);
  const Partition partition(given.domain);
  for (int rank = 0; rank < given.domain.num_ranks(); ++rank) {
    BorderLists lists(partition, rank, {.reach = given.reach, .shell = given.shell}, Scalar::f64);
    for (const std::size_t count : {std::size_t{400}, std::size_t{30}, std::size_t{900}}) {
      auto x = random_positions(partition.box_of(rank), count, random);
      Particles particles;
      particles.arrays = {ParticleArray::interleaved<double>("x", x.data(), 3)};
      particles.num_owned = particles.capacity = static_cast<std::int64_t>(count);
      lists.list(particles, roles_of(particles));
      for (const BorderTo& to : lists.to()) {
        std::vector<std::int32_t> expected;
        for (std::size_t g = 0; g < to.groups.size(); ++g) {
          const std::size_t before = expected.size();
          for (std::size_t i = 0; i < count; ++i) {
            bool is_ghost = true;
            for (std::size_t a = 0; a < 3; ++a)
              is_ghost = is_ghost && is_within(lists.axes()[a].intervals, to.groups[g].steps[a], x[3 * i + a]);
            if (is_ghost) expected.push_back(static_cast<std::int32_t>(i));
          }
          EXPECT_EQ(to.counts[g], static_cast<std::int64_t>(expected.size() - before));
        }
        ASSERT_EQ(to.numbers, expected) << "from " << rank << " to " << to.rank;
      }
    }
    lists.clear();
    for (const BorderTo& to : lists.to()) EXPECT_TRUE(to.numbers.empty() && to.num_elements() == 0);
  }
}

TEST(BorderLists, ListEveryoneWithinReachOfAPart) {
  const SpaceBox box{{0, -1, 2}, {4, 5, 7}};
  expect_lists({{box, {true, true, true}, {2, 1, 1}, {}}, 0.4});
  expect_lists({{box, {true, false, true}, {3, 2, 2}, {}}, 0.9});
  expect_lists({{box, {false, false, false}, {2, 2, 1}, {}}, 1.1, Shell::half});
}

TEST(BorderLists, ListForPartsSeveralStepsAway) {
  const SpaceBox box{{0, 0, 0}, {1, 1, 1}};
  expect_lists({{box, {true, true, true}, {4, 1, 1}, {{{0, 0.1, 0.3, 0.9, 1}, {}, {}}}}, 0.35});
  expect_lists({{box, {true, true, false}, {1, 1, 1}, {}}, 2.2});
}

}  // namespace
}  // namespace halyard::particles
