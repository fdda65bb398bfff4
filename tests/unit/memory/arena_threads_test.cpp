// Arena hammered by threads: pieces never overlap (each thread writes its own number into them), none is lost.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "halyard/status.hpp"
#include "memory/arena.hpp"

namespace halyard::memory {
namespace {

constexpr int kThreads = 4;
constexpr int kSteps = 2000;

struct Piece {
  std::byte* memory;
  std::size_t bytes;
};

bool still_holds(const Piece& piece, std::byte mark) {
  for (std::size_t i = 0; i < piece.bytes; ++i)
    if (piece.memory[i] != mark) return false;
  return true;
}

// Allocates and frees in random order; answers how many pieces were found overwritten.
int hammer(Arena& arena, int thread) {
  std::mt19937_64 random(static_cast<std::uint64_t>(thread));
  const auto mark = static_cast<std::byte>(thread + 1);
  std::vector<Piece> held;
  int num_spoiled = 0;
  for (int step = 0; step < kSteps; ++step) {
    if (held.size() < 16 && random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % 300;
      held.push_back({arena.allocate(bytes), bytes});
      std::memset(held.back().memory, static_cast<int>(mark), bytes);
    } else if (!held.empty()) {
      num_spoiled += still_holds(held.back(), mark) ? 0 : 1;
      num_spoiled += arena.deallocate(held.back().memory) ? 0 : 1;
      held.pop_back();
    }
    (void)arena.bytes_in_use();
  }
  for (const Piece& piece : held) arena.deallocate(piece.memory);
  return num_spoiled;
}

TEST(ArenaThreads, NeverHandsTheSameBytesToTwoThreadsAndEndsEmpty) {
  alignas(4096) static std::byte memory[1 << 16];
  std::atomic<std::size_t> num_commits{0};
  Arena arena(memory, sizeof(memory),
              {[&](std::size_t, std::size_t) { ++num_commits; }, [](std::size_t, std::size_t) {}});
  std::atomic<int> num_spoiled{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { num_spoiled += hammer(arena, t); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_spoiled, 0);
  EXPECT_EQ(arena.bytes_in_use(), 0U);
  EXPECT_EQ(arena.num_pieces(), 0U);
  EXPECT_GT(num_commits, 0U);
  EXPECT_EQ(arena.allocate(sizeof(memory)), memory) << "all gaps have joined again";
}

}  // namespace
}  // namespace halyard::memory
