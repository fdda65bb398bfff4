// Patterns and decompositions that cannot be: refused where they are built, with what is wrong in numbers. Building is
// local, so every rank refuses by itself; index halos are built together and refused together.
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

using Words = std::vector<std::string>;

class BadPattern : public testing::Test {
 protected:
  void refused(const Words& words, const std::function<void()>& step) {
    EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, words, step), "");
  }
  void still_works() {
    EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context_, kMailbox, small_halo(context_.size())), "") << "afterwards";
  }
  Context context_{MPI_COMM_WORLD, options_of(kMailbox)};
};

TEST_F(BadPattern, DomainsOfZeroOrNegativeExtentAreRefusedWithAxisAndExtent) {
  refused({"extent 0", "axis 1", "at least 1"}, [] { Decomposition::grid(Box::of_extent({4, 0, 1}), {1, 1, 1}); });
  refused({"extent -3", "axis 2"}, [] { Decomposition::grid(Box{{0, 0, 5}, {4, 4, 2}}, {1, 1, 1}); });
}

TEST_F(BadPattern, ProcessGridsOfZeroOrNegativeSizeAreRefused) {
  refused({"0 ranks", "axis 0"}, [] { Decomposition::grid(Box::of_extent({4, 4, 4}), {0, 1, 1}); });
  refused({"-2 ranks", "axis 2"}, [] { Decomposition::grid(Box::of_extent({4, 4, 4}), {1, 1, -2}); });
  refused({"0 patches", "axis 1"}, [] { Decomposition::grid(Box::of_extent({4, 4, 4}), {1, 1, 1}, {1, 0, 1}); });
  refused({"0 ranks"}, [] { balanced_ranks(0, {4, 4, 4}); });
}

TEST_F(BadPattern, CutsThatDoNotAscendAreRefused) {
  refused({"cuts", "axis 0", "ascending"}, [] { Decomposition::cuts({{{0, 5, 3}, {0, 1}, {0, 1}}}); });
  refused({"axis 1"}, [] { Decomposition::cuts({{{0, 5}, {0}, {0, 1}}}); });
  refused({"axis 2"}, [] { Decomposition::cuts({{{0, 5}, {0, 1}, {4, 4}}}); });
}

TEST_F(BadPattern, PatchesThatOverlapLeaveTheDomainOrNameNoRankAreRefused) {
  const Box domain = Box::of_extent({8, 4, 1});
  const auto patches = [&](std::vector<Patch> list) { Decomposition::patches(domain, 2, std::move(list)); };
  refused({"0", "1"}, [&] { patches({{0, {{0, 0, 0}, {5, 4, 1}}}, {1, {{4, 0, 0}, {8, 4, 1}}}}); });
  refused({"domain"}, [&] { patches({{0, {{0, 0, 0}, {9, 4, 1}}}}); });
  refused({"rank"}, [&] { patches({{2, {{0, 0, 0}, {4, 4, 1}}}}); });
  refused({"rank"}, [&] { patches({{-1, {{0, 0, 0}, {4, 4, 1}}}}); });
}

TEST_F(BadPattern, NegativeWidthsAreRefusedWithTheAxis) {
  auto halo = small_halo(context_.size()).halo;
  halo.width.hi[1] = -1;
  refused({"width", "-1", "axis 1"}, [&] { box_halo(halo, 0); });
}

TEST_F(BadPattern, ARankOutsideTheDecompositionIsRefused) {
  const auto halo = small_halo(2).halo;
  refused({"rank 2", "0 to 1"}, [&] { box_halo(halo, 2); });
  refused({"rank -1"}, [&] { box_halo(halo, -1); });
}

TEST_F(BadPattern, AnIdWithTwoOwnersIsRefusedOnEveryRankWithIdAndOwners) {
  // The last rank claims what rank 0 owns; alone, it lists an id twice.
  const int last = context_.size() - 1;
  IndexHalo mine{{context_.rank() * 10, context_.rank() * 10 + 1}, {}, {}, {}};
  if (context_.rank() == last) mine.owned.push_back(1);
  refused({"id 1 ", "rank 0", "rank " + std::to_string(last), "exactly one owner"},
          [&] { index_halo(context_, mine); });
  still_works();
}

TEST_F(BadPattern, AGhostWithoutAnOwnerIsRefusedOnEveryRankWithIdAndHolder) {
  const int last = context_.size() - 1;
  IndexHalo mine{{context_.rank()}, {}, {}, {}};
  if (context_.rank() == last) mine.ghosts.push_back(4711);
  refused({"4711", "rank " + std::to_string(last), "no rank owns"}, [&] { index_halo(context_, mine); });
  still_works();
}

TEST_F(BadPattern, ListsAndPositionsOfDifferentLengthOnOneRankAreRefusedOnEveryRank) {
  IndexHalo mine{{context_.rank()}, {}, {}, {}};
  if (context_.rank() == context_.size() - 1) mine.owned_at = {0, 1};
  refused({"1 owned ids", "2 positions"}, [&] { index_halo(context_, mine); });
  mine.owned_at.clear();
  if (context_.rank() == 0) mine.owned_at = {-5};
  refused({"rank 0", "position -5"}, [&] { index_halo(context_, mine); });
  still_works();
}

}  // namespace
}  // namespace halyard::test
