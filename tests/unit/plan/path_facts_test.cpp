// PathFacts::choose: the best path that reaches the peer, with a reason for each better one that does not.
#include <gtest/gtest.h>

#include "halyard/path.hpp"
#include "unit/error_text.hpp"

namespace halyard {
namespace {

// Rank 0 of 3: shared reaches rank 1 only, ucx is not built in, mpi reaches everybody.
PathFacts usual() {
  PathFacts facts;
  facts.num_ranks = 3;
  facts.of(Path::shared) = {true, "", {0, 1, 0}, "rank is on another node", {}};
  facts.of(Path::verbs) = {false, "no RDMA device", {}, "", {}};
  facts.of(Path::ucx) = {false, "this build has no UCX", {}, "", {}};
  facts.of(Path::mpi) = {true, "", {}, "", {}};
  return facts;
}

TEST(PathFacts, TakeTheBestPathThatReachesThePeer) {
  const PathChoice choice = usual().choose(1);
  EXPECT_EQ(choice.path, Path::shared);
  EXPECT_TRUE(choice.refused.empty());
}

TEST(PathFacts, SayOfEachBetterPathWhyItWasNotTaken) {
  const PathChoice choice = usual().choose(2);
  EXPECT_EQ(choice.path, Path::mpi);
  ASSERT_EQ(choice.refused.size(), 3U);
  EXPECT_EQ(choice.refused[0].path, Path::shared);
  EXPECT_EQ(choice.refused[0].reason, "rank is on another node");
  EXPECT_EQ(choice.refused[1].path, Path::verbs);
  EXPECT_EQ(choice.refused[1].reason, "no RDMA device");
  EXPECT_EQ(choice.refused[2].path, Path::ucx);
  EXPECT_EQ(choice.refused[2].reason, "this build has no UCX");
}

TEST(PathFacts, PreferARanksOwnReasonToTheGeneralOne) {
  PathFacts facts = usual();
  facts.of(Path::shared).unreachable_by_rank[2] = "rank 2 has no segment";
  EXPECT_EQ(facts.choose(2).refused[0].reason, "rank 2 has no segment");
}

TEST(PathFacts, HaveAReasonEvenWhenNobodyGaveOne) {
  PathFacts facts = usual();
  facts.of(Path::shared).unreachable = "";
  facts.of(Path::ucx).refusal = "";
  const PathChoice choice = facts.choose(2);
  EXPECT_EQ(choice.refused[0].reason, "rank is not reached");
  EXPECT_EQ(choice.refused[2].reason, "not open");
}

TEST(PathFacts, DoNotReachRanksBeyondTheirList) {
  PathFacts facts = usual();
  facts.of(Path::shared).reaches = {1};
  EXPECT_EQ(facts.choose(1).path, Path::mpi);
}

TEST(PathFacts, TakePeerForGpuMemoryOnly) {
  PathFacts facts = usual();
  facts.of(Path::peer) = {true, "", {0, 1, 0}, "rank is on another node", {}};
  EXPECT_EQ(facts.choose(1, Memory::gpu).path, Path::peer);
  EXPECT_FALSE(facts.choose(1, Memory::gpu).is_staged);
  EXPECT_EQ(facts.choose(1, Memory::host).path, Path::shared);
}

TEST(PathFacts, SayThatGpuMemoryIsStagedByAPathOfTheHostAndWhy) {
  PathFacts facts = usual();
  facts.of(Path::peer).refusal = "no CUDA driver";
  const PathChoice choice = facts.choose(1, Memory::gpu);
  EXPECT_EQ(choice.path, Path::shared);
  EXPECT_TRUE(choice.is_staged);
  ASSERT_EQ(choice.refused.size(), 1U);
  EXPECT_EQ(choice.refused[0].path, Path::peer);
  EXPECT_EQ(choice.refused[0].reason, "no CUDA driver");
}

TEST(PathFacts, AlwaysTakeSelfToThemselves) {
  PathFacts facts = usual();
  for (PathFact& fact : facts.paths) fact.is_open = false;
  EXPECT_EQ(facts.choose(0).path, Path::self);
}

TEST(PathFacts, ListEveryRefusalWhenNoPathIsLeft) {
  PathFacts facts = usual();
  facts.of(Path::mpi) = {false, "HALYARD_PATH=shared does not allow it", {}, "", {}};
  EXPECT_EQ(test::error_text(StatusCode::not_supported, [&] { (void)facts.choose(2); }),
            "choose a path from rank 0 to rank 2: none is left; allow one of these:\n"
            "  shared: rank is on another node\n"
            "  verbs: no RDMA device\n"
            "  ucx: this build has no UCX\n"
            "  mpi: HALYARD_PATH=shared does not allow it");
}

TEST(PathFacts, CanBeUniform) {
  const PathFacts facts = PathFacts::uniform(Path::ucx, 1, 4);
  EXPECT_EQ(facts.rank, 1);
  EXPECT_EQ(facts.num_ranks, 4);
  EXPECT_EQ(facts.choose(3).path, Path::ucx);
  EXPECT_EQ(facts.choose(3).refused[0].reason, "not part of these facts");
  EXPECT_EQ(facts.choose(1).path, Path::self);
}

TEST(Path, HasANameForEachValue) {
  EXPECT_EQ(name_of(Path::self), "self");
  EXPECT_EQ(name_of(Path::peer), "peer");
  EXPECT_EQ(name_of(Path::shared), "shared");
  EXPECT_EQ(name_of(Path::verbs), "verbs");
  EXPECT_EQ(name_of(Path::ucx), "ucx");
  EXPECT_EQ(name_of(Path::mpi), "mpi");
  EXPECT_EQ(name_of(static_cast<Path>(9)), "unknown");
}

}  // namespace
}  // namespace halyard
