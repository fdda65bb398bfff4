// Reverse exchanges over random problems, against the oracle of CodedField and against forward.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "unit/exchange/scene.hpp"

namespace halyard::test {
namespace {

using exchange::Kind;

constexpr int kRanks[] = {1, 2, 3, 4, 8};
constexpr std::uint64_t kSeeds = 50;

class Reverse : public testing::TestWithParam<Exports> {};

INSTANTIATE_TEST_SUITE_P(Forms, Reverse, testing::Values(Exports::nothing, Exports::everything), name_of_form);

// The double in each cell of `box`, counted from the first owned cell of a view.
template <class Visit>
void for_each_double(const FieldView& view, const Box& box, Visit visit) {
  Index3 cell{};
  for (cell[2] = box.lo[2]; cell[2] < box.hi[2]; ++cell[2])
    for (cell[1] = box.lo[1]; cell[1] < box.hi[1]; ++cell[1])
      for (cell[0] = box.lo[0]; cell[0] < box.hi[0]; ++cell[0]) {
        auto* place = static_cast<std::byte*>(view.data);
        for (std::size_t a = 0; a < 3; ++a) place += (view.origin[a] + cell[a]) * view.stride_bytes[a];
        double value = 0;
        std::memcpy(&value, place, sizeof(value));
        visit(value, cell);
        std::memcpy(place, &value, sizeof(value));
      }
}

template <class Visit>
void for_each_owned(Scene& scene, Visit visit) {
  for (int rank = 0; rank < scene.num_ranks(); ++rank) {
    const auto& patches = scene.binding(rank).plan().pattern().patches;
    auto& coded = scene.fields(rank).coded;
    for (std::size_t i = 0; i < coded.size(); ++i) {
      const LocalPatch& patch = patches[i % patches.size()];
      for_each_double(coded[i].view(), Box::of_extent(patch.box.extents()), [&](double& value, const Index3& cell) {
        visit(value, coded[i], Index3{patch.box.lo[0] + cell[0], patch.box.lo[1] + cell[1], patch.box.lo[2] + cell[2]});
      });
    }
  }
}

template <class Visit>
void for_each_ghost(Scene& scene, Visit visit) {
  for (int rank = 0; rank < scene.num_ranks(); ++rank) {
    const Pattern& pattern = scene.binding(rank).plan().pattern();
    auto& coded = scene.fields(rank).coded;
    for (std::size_t f = 0; f < coded.size(); f += pattern.patches.size())
      for (const PatternNeighbor& neighbor : pattern.neighbors)
        for (const Piece& piece : neighbor.receives)
          for_each_double(coded[f + static_cast<std::size_t>(piece.here.patch)].view(), piece.here.cells,
                          [&](double& value, const Index3&) { visit(value); });
  }
}

TEST_P(Reverse, SumAddsOnceForEachGhostOfACell) {
  for (const int ranks : kRanks)
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      Scene scene(reducible(seed, ranks), ranks, {GetParam(), {}});
      SCOPED_TRACE(scene.problem().text);
      for (int step = 1; step <= 2; ++step) {
        scene.fill_for_reverse(0.5, step);
        const Status status =
            scene.run(Kind::reverse, Reduce::sum, seed % 2 == 0 ? ReduceOrder::arrival : ReduceOrder::fixed);
        ASSERT_TRUE(status.ok()) << status.text();
        for (int rank = 0; rank < ranks; ++rank)
          for (const CodedField& field : scene.fields(rank).coded) ASSERT_EQ(field.check_reverse_sum(0.5, step), "");
      }
    }
}

TEST_P(Reverse, MinAndMaxMeetEachCellWithItsGhosts) {
  for (const int ranks : kRanks)
    for (std::uint64_t seed = 0; seed < kSeeds / 2; ++seed) {
      Scene scene(reducible(seed, ranks), ranks, {GetParam(), {}});
      SCOPED_TRACE(scene.problem().text);
      for (const Reduce op : {Reduce::min, Reduce::max})
        for (const double ghost : {-3.0, 7.0}) {
          scene.fill_for_reverse(2.0, ghost);
          ASSERT_TRUE(scene.run(Kind::reverse, op).ok());
          const double met = op == Reduce::min ? std::min(2.0, ghost) : std::max(2.0, ghost);
          for_each_owned(scene, [&](double value, const CodedField& field, const Index3& global) {
            EXPECT_EQ(value, field.num_ghosts_of(global) == 0 ? 2.0 : met);
          });
          for_each_ghost(scene, [&](double value) { EXPECT_EQ(value, ghost) << "ghosts keep theirs"; });
          if (HasFailure()) return;
        }
    }
}

// <ghosts, forward(owned)> = <reverse(ghosts), owned> for any values: each ghost gives back to where it came from.
TEST_P(Reverse, SumIsTheTransposeOfForward) {
  for (const int ranks : kRanks)
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      Scene scene(reducible(seed, ranks), ranks, {GetParam(), {}});
      SCOPED_TRACE(scene.problem().text);
      std::mt19937_64 random(seed);
      const auto draw = [&] { return static_cast<double>(random() % 2001) - 1000; };  // integers: the sums are exact
      std::vector<double> owned;
      for_each_owned(scene, [&](double& value, const auto&, const auto&) { owned.push_back(value = draw()); });
      ASSERT_TRUE(scene.run(Kind::forward).ok());
      double left = 0;
      for_each_ghost(scene, [&](double& value) {
        const double mine = draw();
        left += mine * value;
        value = mine;
      });
      for_each_owned(scene, [](double& value, const auto&, const auto&) { value = 0; });
      ASSERT_TRUE(scene.run(Kind::reverse).ok());
      double right = 0;
      auto next = owned.begin();
      for_each_owned(scene, [&](double value, const auto&, const auto&) { right += value * *next++; });
      ASSERT_EQ(left, right);
    }
}

std::vector<double> sums_in_random_turns(Exports exports, ReduceOrder order, std::uint64_t run) {
  const BoxHalo halo{
      Decomposition::grid(Box::of_extent({4, 4, 4}), {2, 2, 2}), {true, true, true}, Width::all(1), Reach::full};
  Scene scene(problem_of(halo), 8, {exports, {}});
  std::mt19937_64 values(7);
  const auto draw = [&] {
    return std::ldexp(static_cast<double>(values() % 1000003), static_cast<int>(values() % 60) - 30);
  };
  for_each_owned(scene, [&](double& value, const auto&, const auto&) { value = draw(); });
  for_each_ghost(scene, [&](double& value) { value = draw(); });
  std::mt19937_64 turns(run);
  std::vector<int> ranks{0, 1, 2, 3, 4, 5, 6, 7};
  std::shuffle(ranks.begin(), ranks.end(), turns);
  std::vector<std::uint64_t> numbers(8);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    numbers[static_cast<std::size_t>(ranks[i])] = scene.start_reverse(ranks[i], Reduce::sum, order);
    // Those that have started look for messages while the others have not.
    for (std::size_t look = 0; look < 8; ++look) {
      const int rank = ranks[turns() % (i + 1)];
      (void)scene.binding(rank).ready(numbers[static_cast<std::size_t>(rank)]);
    }
  }
  drive_in_random_turns(scene.bindings(), numbers, turns);
  for (const Status& status : outcomes(scene.bindings(), numbers)) EXPECT_TRUE(status.ok()) << status.text();
  std::vector<double> sums;
  for_each_owned(scene, [&](double value, const auto&, const auto&) { sums.push_back(value); });
  return sums;
}

TEST_P(Reverse, InFixedOrderGivesTheSameBitsHoweverTheRanksRun) {
  const auto first = sums_in_random_turns(GetParam(), ReduceOrder::fixed, 0);
  for (std::uint64_t run = 1; run < 20; ++run)
    ASSERT_EQ(sums_in_random_turns(GetParam(), ReduceOrder::fixed, run), first) << "run " << run;
}

TEST_P(Reverse, InOrderOfArrivalDoesNotPromiseThatAndHereShowsIt) {
  const auto first = sums_in_random_turns(GetParam(), ReduceOrder::arrival, 0);
  bool has_differed = false;
  for (std::uint64_t run = 1; run < 20; ++run)
    has_differed = has_differed || sums_in_random_turns(GetParam(), ReduceOrder::arrival, run) != first;
  EXPECT_TRUE(has_differed) << "else the test of fixed order above proves nothing: choose values that round";
}

}  // namespace
}  // namespace halyard::test
