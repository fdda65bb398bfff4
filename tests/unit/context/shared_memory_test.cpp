// SharedMemory: pieces of the arena where there is one, plain memory where there is none, and a memory resource.
#include "context/shared_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/log.hpp"
#include "unit/error_text.hpp"

namespace halyard::context {
namespace {

class SharedMemoryTest : public testing::TestWithParam<bool> {
 protected:
  alignas(64) std::byte range_[1 << 14];
  memory::Arena arena_{range_, sizeof(range_), {[](std::size_t, std::size_t) {}, [](std::size_t, std::size_t) {}}};
  SharedMemory memory_{GetParam() ? &arena_ : nullptr};
};

INSTANTIATE_TEST_SUITE_P(From, SharedMemoryTest, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "an_arena" : "the_heap"; });

TEST_P(SharedMemoryTest, IsAlignedToCacheLinesAndComesFromTheArenaIfThereIsOne) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
    void* const piece = memory_.take(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 64, 0U);
    EXPECT_EQ(arena_.contains(piece, 1), GetParam());
    memory_.give_back(piece);
  }
  EXPECT_EQ(arena_.bytes_in_use(), 0U);
}

TEST_P(SharedMemoryTest, IsAMemoryResourceForStandardContainers) {
  std::pmr::vector<double> field(100, 2.5, &memory_);
  EXPECT_EQ(arena_.contains(field.data(), 800), GetParam());
  field.resize(300);
  EXPECT_EQ(field[99], 2.5);
}

TEST_P(SharedMemoryTest, RefusesMoreAlignmentThanItHas) {
  EXPECT_EQ(halyard::test::error_text(StatusCode::invalid_argument, [&] { (void)memory_.allocate(8, 128); }),
            "allocate with alignment 128: Halyard's memory is aligned to 64");
}

TEST_P(SharedMemoryTest, LeavesMemoryOfOthersAloneAndSaysSo) {
  base::set_log("error", 0);
  const auto other = std::make_unique<int>(7);
  testing::internal::CaptureStderr();
  memory_.give_back(other.get());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("memory that this context did not allocate: left alone"));
  EXPECT_EQ(*other, 7);
}

TEST_P(SharedMemoryTest, TakesNullBackSilently) {
  testing::internal::CaptureStderr();
  memory_.give_back(nullptr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_P(SharedMemoryTest, IsEqualToItselfOnly) {
  SharedMemory other(nullptr);
  EXPECT_TRUE(memory_.is_equal(memory_));
  EXPECT_FALSE(memory_.is_equal(other));
}

TEST(SharedMemoryOfTheHeap, FreesWhatWasForgotten) {
  SharedMemory memory(nullptr);
  (void)memory.take(100);  // the leak checker looks on
}

}  // namespace
}  // namespace halyard::context
