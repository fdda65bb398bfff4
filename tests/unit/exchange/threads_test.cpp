// One thread per rank, each with its own binding, 10,000 exchanges in all: the protocol's loads and stores under
// ThreadSanitizer, its memory under AddressSanitizer, its data under coded fields.
//
// Nothing but the exchanges orders the threads: a rank fills its fields for the next step as soon as its own wait is
// over, which is exactly what invariants I1 to I3 allow.
#include <gtest/gtest.h>

#include <thread>

#include "unit/exchange/scene.hpp"

namespace halyard::test {
namespace {

using exchange::Kind;

constexpr std::uint64_t kExchangesPerCase = 1250;  // of each kind the half; x 4 numbers of ranks x 2 forms = 10,000

class Threads : public testing::TestWithParam<std::tuple<int, Exports>> {};

INSTANTIATE_TEST_SUITE_P(Ranks, Threads,
                         testing::Combine(testing::Values(2, 3, 4, 8),
                                          testing::Values(Exports::nothing, Exports::everything)),
                         [](const auto& tested) {
                           const bool is_mailbox = std::get<1>(tested.param) == Exports::nothing;
                           return std::to_string(std::get<0>(tested.param)) + (is_mailbox ? "_mailbox" : "_in_place");
                         });

// Small boxes in as many dimensions as the ranks have factors, with every neighbor there can be.
RandomCase small_problem(int ranks) {
  const Index3 grid = balanced_ranks(ranks, {64, 64, 64});
  Index3 cells{};
  for (std::size_t a = 0; a < 3; ++a) cells[a] = grid[a] == 1 ? 1 : 2 * grid[a];
  Width width;
  for (std::size_t a = 0; a < 3; ++a) width.lo[a] = width.hi[a] = grid[a] == 1 ? 0 : 1;
  return problem_of({Decomposition::grid(Box::of_extent(cells), grid), {true, true, true}, width, Reach::full});
}

// What one rank does; the first thing that went wrong, or nothing.
std::string forward(RankFields& fields, BindingCore& binding, std::uint64_t step) {
  fields.fill(step);
  const Status status = binding.wait(binding.start(Kind::forward, {}, {}));
  return status.ok() ? fields.check(step) : status.text();
}

std::string reverse(RankFields& fields, BindingCore& binding, std::uint64_t step) {
  const auto order = step % 2 == 0 ? ReduceOrder::arrival : ReduceOrder::fixed;
  const auto ghost = static_cast<double>(step);
  fields.coded[0].fill_for_reverse(0.5, ghost);
  const Status status = binding.wait(binding.start(Kind::reverse, Reduce::sum, order));
  return status.ok() ? fields.coded[0].check_reverse_sum(0.5, ghost) : status.text();
}

TEST_P(Threads, ExchangeThousandsOfTimesAndEveryGhostIsRight) {
  const auto [ranks, exports] = GetParam();
  Scene scene(small_problem(ranks), ranks, {exports, {}, {base::WaitPolicy::kYieldEarly, 60.0}});
  std::vector<std::string> wrong(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&scene, &mine = wrong[static_cast<std::size_t>(rank)], rank] {
      for (std::uint64_t step = 0; step < kExchangesPerCase && mine.empty(); step += 2) {
        mine = forward(scene.fields(rank), scene.binding(rank), step);
        if (mine.empty()) mine = reverse(scene.fields(rank), scene.binding(rank), step + 1);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(wrong[static_cast<std::size_t>(rank)], "") << "rank " << rank;
}

// Four exchanges at a time, waited for in order, by threads that drift apart as far as the protocol lets them.
TEST_P(Threads, KeepSeveralExchangesInFlight) {
  const auto [ranks, exports] = GetParam();
  Scene scene(small_problem(ranks), ranks, {exports, {}, {base::WaitPolicy::kYieldEarly, 60.0}});
  scene.fill(1);
  std::vector<std::string> wrong(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&binding = scene.binding(rank), &mine = wrong[static_cast<std::size_t>(rank)]] {
      std::uint64_t oldest = 1;
      for (std::uint64_t last = 1; last <= 200; ++last) {
        if (binding.start(Kind::forward, {}, {}) != last) mine = "a number was left out";
        if (last < kMaxInFlight) continue;
        if (const Status status = binding.wait(oldest++); !status.ok()) mine = status.text();
      }
      for (; oldest <= 200; ++oldest)
        if (const Status status = binding.wait(oldest); !status.ok()) mine = status.text();
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) EXPECT_EQ(text, "");
  EXPECT_EQ(scene.check(1), "");
}

}  // namespace
}  // namespace halyard::test
