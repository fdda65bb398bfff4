// Reverse exchanges between real processes, on every way: each owned cell must hold its own value and those of exactly
// the ranks that hold it as a ghost; nothing else may change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "mpi/coded_exchange.hpp"
#include "mpi/holders.hpp"
#include "mpi/ranks.hpp"

namespace halyard::test {
namespace {

double own_value(int rank) { return 3.5 + rank; }
double ghost_value(int rank) { return rank % 2 == 0 ? 1.0 + rank : 100.0 + rank; }

double expected_in(const BoxHalo& halo, const Index3& cell, int rank, Reduce op) {
  double value = own_value(rank);
  for (const int holder : holders_of(halo, cell)) {
    const double other = ghost_value(holder);
    value = op == Reduce::sum ? value + other : op == Reduce::min ? std::min(value, other) : std::max(value, other);
  }
  return value;
}

template <class Visit>
void for_each_owned(const FieldView& view, const LocalPatch& patch, Visit visit) {
  Index3 cell{};
  for (cell[2] = 0; cell[2] < patch.box.extent(2); ++cell[2])
    for (cell[1] = 0; cell[1] < patch.box.extent(1); ++cell[1])
      for (cell[0] = 0; cell[0] < patch.box.extent(0); ++cell[0]) {
        auto* place = static_cast<std::byte*>(view.data);
        Index3 global{};
        for (std::size_t a = 0; a < 3; ++a) {
          place += (view.origin[a] + cell[a]) * view.stride_bytes[a];
          global[a] = patch.box.lo[a] + cell[a];
        }
        visit(place, global);
      }
}

// The whole array, padding included (CodedField's arrays are dense from their first byte on).
std::vector<std::byte> bytes_of(const FieldView& view) {
  std::int64_t bytes = 0;
  for (std::size_t a = 0; a < 3; ++a) bytes = std::max(bytes, view.extent[a] * view.stride_bytes[a]);
  const auto* first = static_cast<const std::byte*>(view.data);
  return {first, first + bytes};
}

// Compares the owned cells with the oracle, puts the old values back and compares the rest with what was there before.
std::string check(const BoxHalo& halo, const LocalPatch& patch, const FieldView& view, int rank, Reduce op,
                  const std::vector<std::byte>& before) {
  std::string wrong;
  for_each_owned(view, patch, [&](std::byte* place, const Index3& global) {
    double got = 0;
    std::memcpy(&got, place, sizeof(got));
    const double expected = expected_in(halo, global, rank, op);
    if (got != expected && wrong.empty())
      wrong = "cell (" + std::to_string(global[0]) + ", " + std::to_string(global[1]) + ", " +
              std::to_string(global[2]) + ") holds " + std::to_string(got) + " instead of " + std::to_string(expected);
    const double own = own_value(rank);
    std::memcpy(place, &own, sizeof(own));
  });
  return wrong.empty() && bytes_of(view) != before ? "a cell changed that this rank does not own" : wrong;
}

RandomCase doubles_of(std::uint64_t seed, int num_ranks) {
  auto problem = RandomCase::draw(seed, num_ranks);
  for (Storing& storing : problem.fields) storing.element = ElementType::of<double>();
  return problem;
}

std::string wrong_after(CodedExchange& exchange, const BoxHalo& halo, int rank, Reduce op, ReduceOrder order) {
  const Pattern& pattern = exchange.binding().plan().pattern();
  RankFields& fields = exchange.fields();
  std::vector<std::vector<std::byte>> before;
  for (CodedField& field : fields.coded) {
    field.fill_for_reverse(own_value(rank), ghost_value(rank));
    before.push_back(bytes_of(field.view()));
  }
  if (const Status status = exchange.binding().reverse(op, order).wait(); !status.ok()) return status.text();
  for (std::size_t i = 0; i < before.size(); ++i)
    if (auto wrong = check(halo, pattern.patches[i % pattern.patches.size()], fields.views[i], rank, op, before[i]);
        !wrong.empty())
      return wrong;
  return {};
}

std::string wrong_in(Context& context, const Way& way, const RandomCase& problem) {
  CodedExchange exchange(context, way, problem);
  std::string wrong = exchange.other_way();
  for (const Reduce op : {Reduce::sum, Reduce::min, Reduce::max})
    for (const ReduceOrder order : {ReduceOrder::arrival, ReduceOrder::fixed})
      if (wrong.empty()) wrong = wrong_after(exchange, problem.halo, context.rank(), op, order);
  return wrong;
}

class Reverse : public OnEveryWay {};

TEST_P(Reverse, EachOwnedCellReceivesTheValuesOfExactlyItsGhosts) {
  const int num_ranks = size_of(MPI_COMM_WORLD);
  for (std::uint64_t seed = 0; seed < (num_ranks <= 4 ? 25U : 12U); ++seed) {
    const auto problem = doubles_of(seed + 500, num_ranks);
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong_in(context(), way(), problem)), "") << problem.text;
  }
}

TEST_P(Reverse, ForwardAndReverseTakeTurnsOnOneBinding) {
  const auto problem = doubles_of(77, size_of(MPI_COMM_WORLD));
  CodedExchange exchange(context(), way(), problem);
  std::string wrong;
  for (std::uint64_t step = 0; step < 6 && wrong.empty(); ++step) {
    wrong = exchange.run(step);
    if (wrong.empty()) wrong = wrong_after(exchange, problem.halo, context().rank(), Reduce::sum, ReduceOrder::arrival);
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << problem.text;
}

INSTANTIATE_TEST_SUITE_P(Ways, Reverse, testing::ValuesIn(kWays), name_of_way);
INSTANTIATE_TEST_SUITE_P(Rdma, Reverse, testing::ValuesIn(rdma_ways()), name_of_way);

}  // namespace
}  // namespace halyard::test
