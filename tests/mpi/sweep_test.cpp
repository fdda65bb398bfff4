// Every process grid of these ranks in one, two and three dimensions with every combination of periodic axes, on every
// way. Widths, element sizes, reach, number of fields and patches run through all their values beside that.
#include <gtest/gtest.h>

#include <string_view>

#include "mpi/coded_exchange.hpp"
#include "mpi/ranks.hpp"

namespace halyard::test {
namespace {

struct Grid {
  std::size_t num_dims;
  Index3 ranks;
};

std::vector<Grid> grids_of(int num_ranks) {
  std::vector<Grid> grids;
  for (std::int64_t x = 1; x <= num_ranks; ++x)
    for (std::int64_t y = 1; x * y <= num_ranks; ++y) {
      const Index3 ranks{x, y, num_ranks / (x * y)};
      if (ranks[0] * ranks[1] * ranks[2] != num_ranks) continue;
      for (std::size_t dims = ranks[2] > 1 ? 3 : ranks[1] > 1 ? 2 : 1; dims <= 3; ++dims)
        grids.push_back({dims, ranks});
    }
  return grids;
}

// Number `turn` of a cycle through the dimensions that are not swept: the periods are pairwise prime where it matters.
RandomCase case_of(const Grid& grid, unsigned periods, std::int64_t turn) {
  constexpr std::uint32_t kBytes[] = {1, 2, 4, 8, 12, 16};
  Box domain;
  Width width;
  std::array<bool, 3> periodic{};
  Index3 patches{1, 1, 1};
  for (std::size_t a = 0; a < grid.num_dims; ++a) {
    const auto axis = static_cast<std::int64_t>(a);
    domain.hi[a] = grid.ranks[a] * (1 + (turn + axis) % 3) + turn % 2;
    width.lo[a] = (turn + axis) % 5;
    width.hi[a] = (turn / 5 + 2 * axis) % 5;
    periodic[a] = (periods >> a & 1U) != 0;
  }
  if (turn % 3 == 0) patches[static_cast<std::size_t>(turn) / 3 % grid.num_dims] = 3;
  RandomCase problem{
      {Decomposition::grid(domain, grid.ranks, patches), periodic, width, turn % 2 == 0 ? Reach::full : Reach::faces},
      {},
      "turn " + std::to_string(turn)};
  for (std::int64_t f = 0; f < (turn % 4 < 2 ? 1 : 3); ++f) {
    Storing storing;
    storing.element = ElementType::opaque(kBytes[static_cast<std::size_t>(turn + f) % 6]);
    problem.fields.push_back(storing);
  }
  return problem;
}

// Where many ranks share few cores each case runs on two or three ways instead of all five.
bool has_turn(std::int64_t turn, int num_ranks, const Way& way) {
  if (way.is_on_gpu()) return turn % gpu_thrift() == 0;
  if (turn % machine_thrift() != 0) return false;
  return num_ranks < 6 || turn % 2 == static_cast<std::int64_t>(std::string_view(way.name).size()) % 2;
}

class Sweep : public OnEveryWay {};

TEST_P(Sweep, EveryProcessGridWithEveryCombinationOfPeriodicAxesIsRight) {
  const int num_ranks = size_of(MPI_COMM_WORLD);
  if (way().is_on_gpu() && num_ranks > 4) GTEST_SKIP() << "fields on a GPU are tested on 1 to 4 ranks";
  std::int64_t turn = 0;
  for (int round = 0; round < (num_ranks == 1 ? 4 : num_ranks < 4 ? 2 : 1); ++round)
    for (const Grid& grid : grids_of(num_ranks))
      for (unsigned periods = 0; periods < 1U << grid.num_dims; ++periods, ++turn)
        if (has_turn(turn, num_ranks, way())) {
          ASSERT_EQ(wrong_in_case(MPI_COMM_WORLD, context(), way(), case_of(grid, periods, turn)), "");
        }
}

INSTANTIATE_TEST_SUITE_P(Ways, Sweep, testing::ValuesIn(kWays), name_of_way);
INSTANTIATE_TEST_SUITE_P(Rdma, Sweep, testing::ValuesIn(rdma_ways()), name_of_way);
INSTANTIATE_TEST_SUITE_P(Gpu, Sweep, testing::ValuesIn(kGpuWays), name_of_way);

}  // namespace
}  // namespace halyard::test
