// Arena: first fit, coalescing, what is refused, and the pages that its hooks take and give back.
#include "memory/arena.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <random>
#include <vector>

#include "unit/error_text.hpp"

namespace halyard::memory {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

struct Range {
  std::size_t offset;
  std::size_t bytes;
  friend bool operator==(const Range&, const Range&) = default;
};

// An arena over memory of its own that notes what its hooks were called with.
class Recorded {
 public:
  explicit Recorded(std::size_t bytes)
      : memory_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{4096}))),
        arena(memory_.get(), bytes,
              {[this](std::size_t offset, std::size_t size) {
                 commits.push_back({offset, size});
               },
               [this](std::size_t offset, std::size_t size) {
                 decommits.push_back({offset, size});
               }}) {}

  std::byte* base() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{4096}); }
  };
  std::unique_ptr<std::byte[], Free> memory_;

 public:
  std::vector<Range> commits;
  std::vector<Range> decommits;
  Arena arena;
};

std::size_t place(Recorded& r, std::size_t bytes) { return r.arena.offset_of(r.arena.allocate(bytes)); }

TEST(Arena, WholePagesAreSharedWithNothingAndLeaveNoHole) {
  Recorded r(4 * 4096);
  EXPECT_EQ(place(r, 64), 0U);
  std::byte* pages = r.arena.allocate_pages(4097);
  EXPECT_EQ(r.arena.offset_of(pages), 4096U);
  EXPECT_EQ(r.commits.back(), (Range{4096, 8192}));
  EXPECT_EQ(place(r, 4096 - 64), 64U) << "what lies before them is used";
  EXPECT_EQ(place(r, 64), 3 * 4096U) << "and their last page is theirs";
  EXPECT_TRUE(r.arena.deallocate(pages));
  EXPECT_EQ(place(r, 8192), 4096U);
}

TEST(Arena, HandsOutPiecesOneAfterTheOther) {
  Recorded r(4096);
  EXPECT_EQ(place(r, 1), 0U);
  EXPECT_EQ(place(r, 64), 64U);
  EXPECT_EQ(place(r, 65), 128U);
  EXPECT_EQ(place(r, 64), 256U);
}

TEST(Arena, AlignsEveryPieceToSixtyFourBytes) {
  Recorded r(1 << 16);
  for (std::size_t bytes = 1; bytes < 200; bytes += 7)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(r.arena.allocate(bytes)) % Arena::kAlignment, 0U);
}

TEST(Arena, TakesNoBytesAsOne) {
  Recorded r(4096);
  EXPECT_NE(r.arena.allocate(0), r.arena.allocate(0));
  EXPECT_EQ(r.arena.bytes_in_use(), 128U);
}

TEST(Arena, TakesTheFirstGapThatFits) {
  Recorded r(4096);
  std::byte* const first = r.arena.allocate(64);
  (void)r.arena.allocate(64);
  std::byte* const large = r.arena.allocate(256);
  (void)r.arena.allocate(64);
  r.arena.deallocate(first);
  r.arena.deallocate(large);
  EXPECT_EQ(r.arena.allocate(128), large) << "the first gap is too small";
  EXPECT_EQ(r.arena.allocate(64), first);
  EXPECT_EQ(r.arena.allocate(128), large + 128) << "the rest of the gap";
}

TEST(Arena, JoinsFreedPiecesWithTheGapsOnBothSides) {
  for (const auto& order :
       std::vector<std::vector<std::size_t>>{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    Recorded r(3 * 64);
    std::vector<std::byte*> pieces;
    for (int i = 0; i < 3; ++i) pieces.push_back(r.arena.allocate(64));
    for (const std::size_t i : order) EXPECT_TRUE(r.arena.deallocate(pieces[i]));
    EXPECT_EQ(r.arena.allocate(3 * 64), r.base());
  }
}

TEST(Arena, GivesItsLastByteAndNotOneMore) {
  Recorded r(1024);
  std::byte* const all = r.arena.allocate(1024);
  EXPECT_EQ(all, r.base());
  EXPECT_THROW((void)r.arena.allocate(1), Error);
  EXPECT_TRUE(r.arena.deallocate(all));
  EXPECT_NO_THROW((void)r.arena.allocate(961));
}

TEST(Arena, SaysWhatItHasWhenItIsFull) {
  Recorded r(1024);
  (void)r.arena.allocate(1000);
  EXPECT_EQ(
      test::error_text(StatusCode::out_of_resources, [&] { (void)r.arena.allocate(300); }),
      "allocate 300 bytes of shared memory: the arena of 1024 bytes has no such piece left; raise HALYARD_ARENA or "
      "free fields that are not used");
}

TEST(Arena, RefusesMoreThanAnythingCouldHold) {
  Recorded r(1024);
  EXPECT_THROW((void)r.arena.allocate(SIZE_MAX), Error);
  EXPECT_THROW((void)r.arena.allocate(SIZE_MAX - 62), Error) << "rounding up must not wrap around to something small";
  EXPECT_EQ(r.arena.bytes_in_use(), 0U);
}

TEST(Arena, RefusesToFreeWhatIsNotItsOwn) {
  Recorded r(1024);
  std::byte* const piece = r.arena.allocate(128);
  int other = 0;
  EXPECT_FALSE(r.arena.deallocate(&other));
  EXPECT_FALSE(r.arena.deallocate(nullptr));
  EXPECT_FALSE(r.arena.deallocate(piece + 64)) << "inside a piece, not its beginning";
  EXPECT_TRUE(r.arena.deallocate(piece));
  EXPECT_FALSE(r.arena.deallocate(piece)) << "freed already";
}

TEST(Arena, ContainsWhatLiesInItsRangeAndNothingThatSticksOut) {
  Recorded r(1024);
  EXPECT_TRUE(r.arena.contains(r.base(), 1024));
  EXPECT_TRUE(r.arena.contains(r.base() + 1023, 1));
  EXPECT_FALSE(r.arena.contains(r.base() + 1, 1024));
  EXPECT_FALSE(r.arena.contains(r.base() - 1, 1));
  EXPECT_FALSE(r.arena.contains(r.base() + 1024, 1));
  EXPECT_FALSE(r.arena.contains(r.base() + 8, SIZE_MAX)) << "end wraps around";
  EXPECT_FALSE(r.arena.contains(nullptr, 1));
}

TEST(Arena, CommitsTheWholePagesThatAPieceTouches) {
  Recorded r(kMiB);
  (void)r.arena.allocate(100);
  (void)r.arena.allocate(2 * 4096);
  EXPECT_EQ(r.commits, (std::vector<Range>{{0, 4096}, {0, 3 * 4096}}));
}

TEST(Arena, DecommitsOnlyThePagesThatALargePieceHasForItself) {
  Recorded r(4 * kMiB);
  (void)r.arena.allocate(64);
  std::byte* const small = r.arena.allocate(4096);
  std::byte* const large = r.arena.allocate(kMiB);
  (void)r.arena.allocate(64);
  r.arena.deallocate(small);
  EXPECT_TRUE(r.decommits.empty()) << "small pieces keep their pages";
  r.arena.deallocate(large);
  const std::size_t first = 2 * 4096;  // `large` begins 128 bytes into page 1
  EXPECT_EQ(r.decommits, (std::vector<Range>{{first, kMiB - 4096}}));
}

TEST(Arena, StaysAsItWasWhenTheSystemHasNoPages) {
  std::byte memory[1024];
  bool is_full = true;
  Arena arena(memory, sizeof(memory),
              {[&](std::size_t, std::size_t) {
                 if (is_full) throw Error(StatusCode::out_of_resources, "no pages");
               },
               [](std::size_t, std::size_t) {}});
  EXPECT_THROW((void)arena.allocate(64), Error);
  EXPECT_EQ(arena.num_pieces(), 0U);
  is_full = false;
  EXPECT_EQ(arena.allocate(1024), memory) << "nothing of the range was lost";
}

TEST(Arena, CountsWhatIsInUse) {
  Recorded r(4096);
  std::byte* const a = r.arena.allocate(65);
  std::byte* const b = r.arena.allocate(64);
  EXPECT_EQ(r.arena.bytes_in_use(), 192U);
  EXPECT_EQ(r.arena.num_pieces(), 2U);
  r.arena.deallocate(a);
  r.arena.deallocate(b);
  EXPECT_EQ(r.arena.bytes_in_use(), 0U);
  EXPECT_EQ(r.arena.num_pieces(), 0U);
}

TEST(Arena, SurvivesRandomUseWithoutOverlapAndIsWholeAgainAtTheEnd) {
  Recorded r(1 << 16);
  std::mt19937_64 random(4);
  std::vector<std::pair<std::byte*, std::size_t>> held;
  for (int step = 0; step < 5000; ++step) {
    if (held.size() < 40 && random() % 3 != 0) {
      const std::size_t bytes = 1 + random() % 900;
      std::byte* const piece = r.arena.allocate(bytes);
      for (const auto& [other, size] : held) EXPECT_TRUE(piece + bytes <= other || other + size <= piece);
      held.emplace_back(piece, bytes);
    } else if (!held.empty()) {
      std::swap(held[random() % held.size()], held.back());
      EXPECT_TRUE(r.arena.deallocate(held.back().first));
      held.pop_back();
    }
  }
  for (const auto& [piece, bytes] : held) r.arena.deallocate(piece);
  EXPECT_EQ(r.arena.bytes_in_use(), 0U);
  EXPECT_EQ(r.arena.allocate(1 << 16), r.base());
}

}  // namespace
}  // namespace halyard::memory
