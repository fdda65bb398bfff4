// Contexts: several side by side, closed in any order, and bindings that outlive them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

// A context with a binding that may be closed before or after it. Fields in Halyard's memory go with the context's
// core.
class Pair {
 public:
  explicit Pair(const Way& way) : way_(way), context_(std::make_unique<Context>(MPI_COMM_WORLD, options_of(way))) {
    if (!closed(*context_, way).empty()) return;
    const auto problem = small_halo(context_->size());
    const Pattern pattern = box_halo(problem.halo, context_->rank());
    fields_ = std::make_unique<RankFields>(problem, pattern, memory());
    binding_ = std::make_unique<Binding>(*context_, Plan(pattern, fields_->shapes, context_->facts()), fields_->views);
  }

  void close_context() { context_.reset(); }
  void close_binding() { binding_.reset(); }

  void start(std::uint64_t step) {
    if (binding_ == nullptr) return;
    fields_->fill(step);
    transfer_ = binding_->forward();
  }
  bool is_ready() { return transfer_.ready(); }
  std::string finish(std::uint64_t step) {
    if (binding_ == nullptr) return {};
    const Status status = transfer_.wait();
    return status.ok() ? fields_->check(step) : std::string(way_.name) + ": " + status.text();
  }

 private:
  // Never given back, since the context may be gone by then: its core frees the whole segment.
  Allocate memory() {
    if (!way_.is_in_halyard_memory(context_->rank())) return allocate_plain;
    return [this](std::size_t bytes) {
      return std::shared_ptr<std::byte[]>(static_cast<std::byte*>(context_->allocate(bytes)), [](std::byte*) {});
    };
  }

  Way way_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<RankFields> fields_;
  std::unique_ptr<Binding> binding_;
  Transfer transfer_;
};

std::vector<Pair> two_of_each_way() {
  std::vector<Pair> pairs;
  for (int i = 0; i < 2; ++i)
    for (const Way& way : kWays) pairs.emplace_back(way);
  return pairs;
}

TEST(Contexts, SeveralSideBySideDoNotDisturbEachOther) {
  auto pairs = two_of_each_way();
  std::string wrong;
  for (std::uint64_t step = 0; step < 5 && wrong.empty(); ++step) {
    for (Pair& pair : pairs) pair.start(step);
    // Ranks wait in the same order: while one waits for a binding, it drives no other.
    std::reverse(pairs.begin(), pairs.end());
    for (Pair& pair : pairs)
      if (wrong.empty()) wrong = pair.finish(step);
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST(Contexts, SeveralAreDrivenByPollingInAnotherOrderOnEachRank) {
  auto pairs = two_of_each_way();
  std::rotate(pairs.begin(), pairs.begin() + 3 * rank_of(MPI_COMM_WORLD), pairs.end());
  std::string wrong;
  for (std::uint64_t step = 0; step < 5 && wrong.empty(); ++step) {
    for (Pair& pair : pairs) pair.start(step);
    for (bool all_ready = false; !all_ready;) {
      all_ready = true;
      for (Pair& pair : pairs) all_ready = pair.is_ready() && all_ready;
    }
    for (Pair& pair : pairs)
      if (wrong.empty()) wrong = pair.finish(step);
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST(Contexts, ABindingWorksOnAfterItsContextIsGone) {
  for (const Way& way : kWays) {
    Pair pair(way);
    pair.close_context();
    pair.start(1);
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, pair.finish(1)), "") << way.name;
  }
}

TEST(Contexts, ContextsAndBindingsMayBeClosedInAnyOrderAndInAnotherOnEachRank) {
  std::vector<int> order{0, 1, 2, 3};
  do {
    Pair first(kDirect);
    Pair second(kMailbox);
    for (Pair* pair : {&first, &second}) pair->start(1);
    std::string wrong = first.finish(1) + second.finish(1);
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
    const std::function<void()> closings[] = {[&] { first.close_context(); }, [&] { first.close_binding(); },
                                              [&] { second.close_context(); }, [&] { second.close_binding(); }};
    auto mine = order;
    std::rotate(mine.begin(), mine.begin() + rank_of(MPI_COMM_WORLD) % 4, mine.end());
    for (const int closing : mine) closings[closing]();
  } while (std::next_permutation(order.begin(), order.end()) && std::next_permutation(order.begin(), order.end()));
}

TEST(Contexts, MayBeMovedWhileTheirBindingsRun) {
  Context first(MPI_COMM_WORLD, options_of(kMailbox));
  CodedExchange exchange(first, kMailbox, small_halo(first.size()));
  Context second = std::move(first);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, exchange.run(1)), "");
  EXPECT_EQ(second.size(), size_of(MPI_COMM_WORLD));
}

TEST(Contexts, WorkOnPartsOfTheWorldAtTheSameTime) {
  MPI_Comm half = MPI_COMM_NULL;
  const int rank = rank_of(MPI_COMM_WORLD);
  // Reversed order of ranks, so that context ranks are not world ranks.
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  for (const Way& way : kWays) {
    Context context(half, options_of(way));
    if (!closed(context, way).empty()) continue;
    EXPECT_EQ(wrong_in_case(half, context, way, small_halo(context.size())), "");
  }
  MPI_Comm_free(&half);
}

TEST(Contexts, APathThatOneRankForbidsIsTakenByNeitherEndAndTheReasonNamesThatRank) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank needs no path to another";
  const bool forbids = rank_of(MPI_COMM_WORLD) == 1;
  if (forbids) setenv("HALYARD_PATH", "mpi", 1);
  Options options;
  options.path = "shared,mpi";
  Context context(MPI_COMM_WORLD, options);
  unsetenv("HALYARD_PATH");
  CodedExchange exchange(context, kMailbox, small_halo(context.size()));
  std::string wrong = exchange.run(1);
  for (const PlanNeighbor& neighbor : exchange.binding().plan().neighbors()) {
    if (neighbor.path == Path::self) continue;
    const bool is_kept_from_shared = forbids || neighbor.rank == 1;
    if ((neighbor.path == Path::mpi) != is_kept_from_shared) wrong += "wrong path to " + std::to_string(neighbor.rank);
    if (!is_kept_from_shared) continue;
    const std::string reason = neighbor.refused.at(0).reason;
    const char* expected = forbids ? "HALYARD_PATH=mpi does not allow it" : "rank 1 does not offer it";
    if (reason.find(expected) == std::string::npos) wrong += " reason: " + reason;
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST(Contexts, ExplainSaysOfEachPathWhetherItIsOpenOrWhyNot) {
  Options options;
  options.path = "^ucx";
  const Context context(MPI_COMM_WORLD, options);
  const std::string text = context.explain();
  for (const char* word : {"rank ", "core(s)", "shared", "ucx", "not open: HALYARD_PATH=^ucx does not allow it", "mpi"})
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
}

}  // namespace
}  // namespace halyard::test
