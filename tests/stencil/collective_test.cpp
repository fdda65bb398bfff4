// What all ranks do together: agreeing on a failure, gathering texts, and measuring the error against the eigenmode.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/agree.hpp"
#include "model/eigenmode.hpp"
#include "report/json.hpp"

namespace halyard::stencil {
namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int size_of_world() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

TEST(Agree, PassesWhenAllRanksDoWell) {
  app::agreed(MPI_COMM_WORLD, [] {});
}

TEST(Agree, ThrowsTheTextOfTheLowestRankThatFailedOnEveryRank) {
  const int last = size_of_world() - 1;
  std::string text;
  try {
    app::agreed(MPI_COMM_WORLD, [&] {
      if (rank_of_world() == last) throw std::runtime_error("no room");
    });
  } catch (const app::SetupError& error) {
    text = error.what();
  }
  EXPECT_EQ(text, last == 0 ? "no room" : "rank " + std::to_string(last) + ": no room");
}

TEST(Agree, GathersTextsInRankOrderOnRankZero) {
  const std::string all =
      app::gather_text(MPI_COMM_WORLD, std::string(static_cast<std::size_t>(rank_of_world()), 'x') + ".");
  std::string expected;
  for (int rank = 0; rank < size_of_world(); ++rank) expected += std::string(static_cast<std::size_t>(rank), 'x') + ".";
  EXPECT_EQ(all, rank_of_world() == 0 ? expected : "");
}

TEST(Paths, ReachRankZeroFromEveryRankWithAnyText) {
  const std::vector<PathLine> mine(2, {rank_of_world(), 0, "mpi", "\"quoted\"\nand broken", 1L << 40});
  const std::vector<PathLine> all = gather_paths(MPI_COMM_WORLD, mine);
  const int expected = rank_of_world() == 0 ? 2 * size_of_world() : 0;
  ASSERT_EQ(all.size(), static_cast<std::size_t>(expected));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].rank, static_cast<int>(i / 2));
    EXPECT_EQ(all[i].reason, mine[0].reason);
    EXPECT_EQ(all[i].bytes, 1L << 40);
  }
}

class Mode : public testing::Test {
 protected:
  Grid grid_ = make_grid({{9, 8, 7}, {}, {true, true, true}, {}}, rank_of_world(), size_of_world());
  Eigenmode mode_{grid_};
  Index3 extent_ = grid_.mine.extents();
  std::vector<double> memory_ = std::vector<double>(static_cast<std::size_t>(grid_.mine.num_cells()));
  Block block_{memory_.data(), extent_, extent_[0], extent_[0] * extent_[1]};

  double error(double scale) { return mode_.error(MPI_COMM_WORLD, block_, scale); }
};

TEST_F(Mode, HasNoErrorAgainstItself) {
  mode_.fill(block_);
  EXPECT_EQ(error(1.0), 0);
}

TEST_F(Mode, OfAnotherHeightIsAnError) {
  mode_.fill(block_);
  EXPECT_NEAR(error(0.5), 1.0, 1e-15);
}

TEST_F(Mode, OneWrongCellOnOneRankIsSeenByAll) {
  mode_.fill(block_);
  if (rank_of_world() == size_of_world() - 1) memory_.back() += 1e-9;
  EXPECT_GT(error(1.0), kTolerance);
}

TEST_F(Mode, ACellThatIsNotANumberIsAnInfiniteError) {
  mode_.fill(block_);
  if (rank_of_world() == 0) memory_.front() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isinf(error(1.0)));
}

TEST_F(Mode, IsMultipliedByItsFactorInOneStepOfThePeriodicGrid) {
  if (size_of_world() > 1) GTEST_SKIP() << "applies the stencil on one rank";
  mode_.fill(block_);
  const Weights w = update_weights({StencilShape::star, 1}, 0.1);
  const auto u = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return *block_.at({(x + 9) % 9, (y + 8) % 8, (z + 7) % 7});
  };
  const double next = w.center * u(0, 3, 6) +
                      w.axis[0] * (u(-1, 3, 6) + u(1, 3, 6) + u(0, 2, 6) + u(0, 4, 6) + u(0, 3, 5) + u(0, 3, 7));
  EXPECT_NEAR(next, static_cast<double>(mode_.factor(w)) * u(0, 3, 6), 1e-15);
}

}  // namespace
}  // namespace halyard::stencil
