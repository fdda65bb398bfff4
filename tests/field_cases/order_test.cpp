// Field cases about who does what first: Q01 (both send first) and Y05 (the fast sender and the slow receiver).
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"
#include "mpi/ways.hpp"

namespace halyard::test {
namespace {

// Two ranks side by side on one axis, each with `cells` cells of which all go to the other one.
BoxHalo side_by_side(std::int64_t cells) {
  return {Decomposition::grid(Box::of_extent({2 * cells, 1, 1}), {2, 1, 1}),
          {false, false, false},
          Width::axes(cells, 0, 0)};
}

class Q01 : public OnEveryWay {};

TEST_P(Q01, BothRanksSendFirstAndMessagesOf64BytesTo64MebibytesEnd) {
  const int rank = context().rank();
  for (const std::int64_t bytes :
       {std::int64_t{64}, std::int64_t{4096}, std::int64_t{64} << 10, std::int64_t{2} << 20, std::int64_t{64} << 20}) {
    const std::int64_t cells = bytes / 8;
    const BoxHalo halo = side_by_side(cells);
    // Only the halo that exists: rank 0's lies above its cells, rank 1's below.
    const Width own = rank == 0 ? Width{{0, 0, 0}, {cells, 0, 0}} : Width{{cells, 0, 0}, {0, 0, 0}};
    const auto memory = this->memory()(static_cast<std::size_t>(16 * cells));
    auto* values = reinterpret_cast<std::int64_t*>(memory.get());
    std::int64_t* owned = rank == 0 ? values : values + cells;
    const std::int64_t* ghosts = rank == 0 ? values + cells : values;
    HaloExchange exchange(context(), box_halo(halo, rank), {FieldView::grid(values, {cells, 1, 1}, own)});
    std::string wrong = other_way(exchange.binding(), way());
    for (std::int64_t step = 0; step < 2 && wrong.empty(); ++step) {
      for (std::int64_t i = 0; i < cells; ++i) owned[i] = 2 * i + rank + step;
      wrong = exchange.forward().wait().text();
      for (std::int64_t i = 0; i < cells && wrong.empty(); ++i)
        if (ghosts[i] != 2 * i + 1 - rank + step) wrong = "cell " + std::to_string(i);
    }
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << bytes << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, Q01, testing::ValuesIn(kWays), name_of_way);

class Y05 : public OnEveryWay {};

// Rank 0 sends, rank 1 is slow: it does not look at step n before rank 0 has done all it can to spoil it.
TEST_P(Y05, ASlowReceiverSeesStepNInStepNFor50Steps) {
  constexpr std::int64_t kCells = 4096;
  constexpr int kMaySpoil = 1;
  const bool is_sender = context().rank() == 0;
  IndexHalo lists;
  for (std::int64_t i = 0; i < kCells; ++i) (is_sender ? lists.owned : lists.ghosts).push_back(i);
  const auto memory = this->memory()(kCells * sizeof(std::int64_t));
  auto* values = reinterpret_cast<std::int64_t*>(memory.get());
  HaloExchange exchange(context(), index_halo(context(), lists), {FieldView::list(values, kCells)});
  const bool is_in_place = way().path == Path::shared && way().is_in_halyard_memory(0);
  std::string wrong;
  for (std::int64_t step = 0; step < 50; ++step) {
    if (is_sender) {
      std::fill(values, values + kCells, step);
      Transfer transfer = exchange.forward();
      bool is_over = false;
      for (int i = 0; i < 2000 && !is_over; ++i) is_over = transfer.ready();
      // In place the fields belong to the exchange until the receiver has read them, and it has not begun to.
      if (is_over && is_in_place) wrong = "step " + std::to_string(step) + " was over before the receiver had it";
      if (is_over) std::fill(values, values + kCells, -1);
      MPI_Send(nullptr, 0, MPI_BYTE, 1, kMaySpoil, MPI_COMM_WORLD);
      if (const Status status = transfer.wait(); !status.ok()) wrong = status.text();
    } else {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, kMaySpoil, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      std::fill(values, values + kCells, -2);
      if (const Status status = exchange.forward().wait(); !status.ok()) wrong = status.text();
      for (std::int64_t i = 0; i < kCells && wrong.empty(); ++i)
        if (values[i] != step) wrong = "step " + std::to_string(step) + " shows " + std::to_string(values[i]);
    }
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

// The sender writes step n + 1 as soon as wait() allows, with nothing but the exchange to hold it back.
TEST_P(Y05, ASenderThatNeverPausesDoesNotOverwriteWhatIsBeingRead) {
  constexpr std::int64_t kCells = 10'000;
  const bool is_sender = context().rank() == 0;
  IndexHalo lists;
  for (std::int64_t i = 0; i < kCells; ++i) (is_sender ? lists.owned : lists.ghosts).push_back(i);
  const auto memory = this->memory()(kCells * sizeof(std::int64_t));
  auto* values = reinterpret_cast<std::int64_t*>(memory.get());
  HaloExchange exchange(context(), index_halo(context(), lists), {FieldView::list(values, kCells)});
  std::string wrong;
  for (std::int64_t step = 0; step < 500 && wrong.empty(); ++step) {
    if (is_sender) std::fill(values, values + kCells, step);
    wrong = exchange.forward().wait().text();
    for (std::int64_t i = 0; i < kCells && wrong.empty() && !is_sender; ++i)
      if (values[i] != step) wrong = "step " + std::to_string(step) + " shows " + std::to_string(values[i]);
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, Y05, testing::ValuesIn(kWays), name_of_way);

}  // namespace
}  // namespace halyard::test
