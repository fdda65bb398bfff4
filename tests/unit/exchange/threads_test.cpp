// One thread per rank, each with its own binding, 10,000 exchanges in all: the protocol's loads and stores under
// ThreadSanitizer, its memory under AddressSanitizer, its data under coded fields.
//
// Nothing but the exchanges orders the threads: a rank fills its fields for the next step as soon as its own wait is
// over, which is exactly what invariants I1 to I3 allow.
#include <gtest/gtest.h>

#include <cstring>
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

// One rank in its thread. What it does answers the first thing that went wrong, or nothing.
class Rank {
 public:
  Rank(Scene& scene, int rank)
      : fields_(scene.fields(rank)), binding_(scene.binding(rank)), box_(binding_.plan().pattern().patches[0].box) {
    for_each_owned([&](double, const Index3& global) { counts_.push_back(fields_.coded[0].num_ghosts_of(global)); });
  }

  std::string forward(std::uint64_t step) {
    fields_.fill(step);
    const Status status = binding_.wait(binding_.start(Kind::forward, {}, {}));
    return status.ok() ? fields_.check(step) : status.text();
  }

  std::string reverse(std::uint64_t step) {
    const auto order = step % 4 == 1 ? ReduceOrder::arrival : ReduceOrder::fixed;
    const auto ghost = static_cast<double>(step);
    fields_.coded[0].fill_for_reverse(0.5, ghost);
    const Status status = binding_.wait(binding_.start(Kind::reverse, Reduce::sum, order));
    if (!status.ok()) return status.text();
    std::string wrong;
    auto count = counts_.begin();
    for_each_owned([&](double value, const Index3&) {
      const double expected = 0.5 + ghost * *count++;
      if (value != expected) wrong = std::to_string(value) + " instead of " + std::to_string(expected);
    });
    return wrong;
  }

 private:
  // Visits (value, global place) of each owned cell, x fastest.
  template <class Visit>
  void for_each_owned(Visit visit) const {
    const FieldView& view = fields_.views[0];
    Index3 cell{};
    for (cell[2] = box_.lo[2]; cell[2] < box_.hi[2]; ++cell[2])
      for (cell[1] = box_.lo[1]; cell[1] < box_.hi[1]; ++cell[1])
        for (cell[0] = box_.lo[0]; cell[0] < box_.hi[0]; ++cell[0]) {
          const auto* place = static_cast<const std::byte*>(view.data);
          for (std::size_t a = 0; a < 3; ++a) place += (view.origin[a] + cell[a] - box_.lo[a]) * view.stride_bytes[a];
          double value = 0;
          std::memcpy(&value, place, sizeof(value));
          visit(value, cell);
        }
  }

  RankFields& fields_;
  BindingCore& binding_;
  Box box_;
  std::vector<double> counts_;  // of ghosts of each owned cell
};

TEST_P(Threads, ExchangeThousandsOfTimesAndEveryGhostIsRight) {
  const auto [ranks, exports] = GetParam();
  Scene scene(small_problem(ranks), ranks, {exports, {}, {base::WaitPolicy::kYieldEarly, 60.0}});
  std::vector<std::string> wrong(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&scene, &mine = wrong[static_cast<std::size_t>(rank)], rank] {
      Rank self(scene, rank);
      for (std::uint64_t step = 0; step < kExchangesPerCase && mine.empty(); step += 2) {
        mine = self.forward(step);
        if (mine.empty()) mine = self.reverse(step + 1);
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
