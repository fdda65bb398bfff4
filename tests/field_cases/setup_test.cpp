// Field case Q03: a rank that leaves set-up early, or fails in it, does not leave the others waiting.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

constexpr int kOdd = 1;  // the rank with the failure

bool is_odd() { return rank_of(MPI_COMM_WORLD) == kOdd; }

TEST(Q03, AFailureInjectedOnRank1IsTheSameErrorOnEveryRank) {
  if (is_odd()) setenv("HALYARD_PATH", "warp", 1);
  const auto make = [] { Context(MPI_COMM_WORLD, options_of(kMailbox)); };
  EXPECT_EQ(
      not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"rank 1: ", "HALYARD_PATH", "'warp'"}, make),
      "");
  unsetenv("HALYARD_PATH");
}

TEST(Q03, AFailureOfRank1WhileBindingIsTheSameErrorOnEveryRank) {
  for (const Way& way : kWays) {
    Context context(MPI_COMM_WORLD, options_of(way));
    if (!closed(context, way).empty()) continue;
    const auto problem = small_halo(context.size());
    const Pattern pattern = box_halo(problem.halo, context.rank());
    RankFields fields(problem, pattern, allocate_on(context, way));
    if (is_odd()) fields.views[0].data = nullptr;
    const auto bind = [&] { Binding(context, Plan(pattern, fields.shapes, context.facts()), fields.views); };
    EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"rank 1: ", "null"}, bind), "")
        << way.name;
    EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context, way, problem), "") << "afterwards";
  }
}

TEST(Q03, ARankWhoseArenaIsTooSmallForItsMailboxesIsAnErrorOnEveryRank) {
  Options options = options_of(kMailbox);
  options.arena_bytes = is_odd() ? 1 << 20 : 0;
  Context context(MPI_COMM_WORLD, options);
  if (const auto why = closed(context, kMailbox); !why.empty()) GTEST_SKIP() << why;
  const auto large =
      plain_case(Decomposition::grid(Box::of_extent({100'000 * context.size(), 1, 1}), {context.size(), 1, 1}),
                 {true, false, false}, Width::axes(100'000, 0, 0));
  const auto bind = [&] { CodedExchange exchange(context, kMailbox, large); };
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::out_of_resources, {"rank 1: ", "HALYARD_ARENA"}, bind), "");
  EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context, kMailbox, small_halo(context.size())), "") << "afterwards";
}

TEST(Q03, ARankThatCanOpenNothingIsServedByAnotherPathAndTheReasonIsSaid) {
  // No descriptor is left to rank 1, so it gets no segment: a refusal of the path, not of the context.
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(dup(0));
  close(static_cast<int>(none.rlim_cur));
  if (is_odd()) setrlimit(RLIMIT_NOFILE, &none);
  Options options = options_of(kMailbox);
  options.path = "shared,mpi";
  Context context(MPI_COMM_WORLD, options);
  setrlimit(RLIMIT_NOFILE, &before);
  void* memory = context.allocate(1000);  // plain memory on rank 1
  EXPECT_NE(memory, nullptr);
  context.deallocate(memory);
  const auto problem = small_halo(context.size());
  CodedExchange exchange(context, kMailbox, problem);
  std::string wrong = exchange.run(1);
  for (const PlanNeighbor& neighbor : exchange.binding().plan().neighbors()) {
    if (neighbor.path == Path::self) continue;
    const bool is_mpi = neighbor.path == Path::mpi;
    if (is_mpi != (is_odd() || neighbor.rank == kOdd)) wrong += "\nwrong path";
    if (is_mpi && neighbor.refused.at(0).reason.find("make shared segment") == std::string::npos)
      wrong += neighbor.refused[0].reason;
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << exchange.binding().explain();
}

// Patches of ranks 0 and 2 touch, that of rank 1 lies apart; in the second case rank 1 has none at all.
RandomCase with_isolated_rank(bool has_patch) {
  const Box domain = Box::of_extent({20, 4, 1});
  std::vector<Patch> patches{{0, {{0, 0, 0}, {4, 4, 1}}}, {2, {{4, 0, 0}, {8, 4, 1}}}};
  if (has_patch) patches.push_back({kOdd, {{15, 0, 0}, {18, 4, 1}}});
  return plain_case(Decomposition::patches(domain, size_of(MPI_COMM_WORLD), patches), {false, false, false},
                    Width::axes(2, 2, 0));
}

TEST(Q03, ARankWithoutNeighborsOrWithoutPatchesKeepsNobodyWaiting) {
  for (const Way& way : kWays) {
    Context context(MPI_COMM_WORLD, options_of(way));
    if (!closed(context, way).empty()) continue;
    for (const bool has_patch : {true, false})
      EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context, way, with_isolated_rank(has_patch)), "") << has_patch;
  }
}

TEST(Q03, AnIsolatedRankMayCloseAtOnceWhileTheOthersStillExchange) {
  const auto problem = with_isolated_rank(true);
  {
    Context context(MPI_COMM_WORLD, options_of(kMailbox));
    CodedExchange exchange(context, kMailbox, problem);
    std::string wrong;
    for (std::uint64_t step = 0; step < (is_odd() ? 0U : 200U) && wrong.empty(); ++step) wrong = exchange.run(step);
    EXPECT_EQ(wrong, "");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace halyard::test
