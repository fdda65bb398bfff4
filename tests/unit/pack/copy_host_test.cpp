// copy and reversed: every row length, every layout, places beyond 4 GiB.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "unit/pack/naive.hpp"

namespace halyard::pack {
namespace {

TEST(Copy, OfAnyRowLengthTouchesTheseBytesOnly) {
  test::Draw draw(1);
  for (std::int64_t row = 1; row <= 700; ++row) {
    const std::int64_t pitch = row + 3;
    Program program;
    program.blocks.push_back({5, 7, row, {2, 1, 1}, {pitch, 0, 0}, {pitch + 1, 0, 0}, Scalar::opaque});
    const auto source = draw.bytes(static_cast<std::size_t>(2 * pitch + 16));
    auto target = draw.bytes(static_cast<std::size_t>(2 * pitch + 16));
    auto expected = target;
    test::copy_naively(program, source.data(), expected.data());
    copy(program, source.data(), target.data());
    ASSERT_EQ(target, expected) << "rows of " << row << " bytes";
  }
}

TEST(Copy, OfRandomBlocksEqualsCopyingByteByByte) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    test::Draw draw(seed);
    const std::int64_t element = draw.between(1, 64);
    const Index3 count{draw.between(1, 5), draw.between(1, 5), draw.between(1, 5)};
    const auto from = test::random_array(draw, count, element);
    const auto to = test::random_array(draw, count, element);
    Program program;
    program.blocks.push_back(normalized({static_cast<Place>(from.first), static_cast<Place>(to.first), element, count,
                                         from.stride, to.stride, Scalar::opaque}));
    const auto source = draw.bytes(static_cast<std::size_t>(from.bytes));
    auto target = draw.bytes(static_cast<std::size_t>(to.bytes));
    auto expected = target;
    test::copy_naively(program, source.data(), expected.data());
    copy(program, source.data(), target.data());
    ASSERT_EQ(target, expected) << "seed " << seed;
  }
}

TEST(Copy, OfAListFollowsItsOffsetsAtEitherEnd) {
  test::Draw draw(2);
  for (std::int64_t element = 1; element <= 64; ++element)
    for (int form = 0; form < 4; ++form) {
      const std::int64_t count = 9;
      List list{3, 1, element, count, {}, {}, Scalar::opaque};
      std::vector<std::int64_t> offsets;
      for (std::int64_t i = 0; i < count; ++i) offsets.push_back(i * element);
      draw.shuffle(offsets);
      if (form % 2 != 0) list.source_offsets = offsets;
      draw.shuffle(offsets);
      if (form / 2 != 0) list.target_offsets = offsets;
      const Program program{{}, {list}};
      const auto source = draw.bytes(static_cast<std::size_t>(count * element + 8));
      auto target = draw.bytes(source.size());
      auto expected = target;
      test::copy_naively(program, source.data(), expected.data());
      copy(program, source.data(), target.data());
      ASSERT_EQ(target, expected) << "elements of " << element << " bytes, form " << form;
    }
}

TEST(Program, IsEmptyWithoutBlocksAndLists) {
  EXPECT_TRUE(Program{}.empty());
  EXPECT_FALSE((Program{{Block{}}, {}}).empty());
  EXPECT_FALSE((Program{{}, {List{}}}).empty());
}

TEST(Program, CountsItsBytes) {
  Program program;
  program.blocks.push_back({0, 0, 24, {3, 2, 5}, {}, {}, Scalar::opaque});
  program.lists.push_back({0, 0, 12, 7, {}, {}, Scalar::opaque});
  EXPECT_EQ(program.num_bytes(), 24 * 30 + 12 * 7);
}

TEST(Reversed, CopiesBackWhatWasCopied) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    test::Draw draw(seed);
    const Index3 count{draw.between(1, 5), draw.between(1, 5), draw.between(1, 5)};
    const auto from = test::random_array(draw, count, 8);
    const auto to = test::random_array(draw, count, 8);
    Program program;
    program.blocks.push_back(
        {static_cast<Place>(from.first), static_cast<Place>(to.first), 8, count, from.stride, to.stride, Scalar::f64});
    program.lists.push_back(
        {static_cast<Place>(from.bytes), static_cast<Place>(to.bytes), 8, 3, {16, 0, 8}, {}, Scalar::f64});
    const auto original = draw.bytes(static_cast<std::size_t>(from.bytes) + 24);
    std::vector<std::byte> message(static_cast<std::size_t>(to.bytes) + 24);
    copy(program, original.data(), message.data());
    const Program back = reversed(program);
    std::vector<std::byte> returned(original.size());
    copy(back, message.data(), returned.data());
    test::for_each_row(back, [&](Place, Place target, std::int64_t bytes) {
      ASSERT_EQ(std::memcmp(returned.data() + target, original.data() + target, static_cast<std::size_t>(bytes)), 0);
    });
    EXPECT_EQ(back.num_bytes(), program.num_bytes());
    EXPECT_EQ(back.blocks[0].scalar, Scalar::f64);
  }
}

// Address space without memory: only the pages that are touched are taken.
class Sparse {
 public:
  explicit Sparse(std::size_t bytes)
      : bytes_(bytes),
        base_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  ~Sparse() {
    if (is_there()) munmap(base_, bytes_);
  }
  bool is_there() const { return base_ != MAP_FAILED; }
  std::byte* at(std::int64_t offset) const { return static_cast<std::byte*>(base_) + offset; }

 private:
  std::size_t bytes_;
  void* base_;
};

// Field case S01: nothing on the way may think that an offset fits in 32 bits.
TEST(Copy, ReachesBeyondFourGibibytes) {
  constexpr std::int64_t kPlane = (std::int64_t{5} << 30) + 4096;
  const Sparse field(static_cast<std::size_t>(3 * kPlane));
  if (!field.is_there()) GTEST_SKIP() << "15 GiB of address space cannot be had (ulimit -v?)";
  for (std::int64_t k = 0; k < 3; ++k)
    for (std::int64_t i = 0; i < 3; ++i) *field.at(k * kPlane + i * 4096) = static_cast<std::byte>(10 * k + i + 1);
  Program program;
  program.blocks.push_back(normalized({0, 0, 1, {3, 1, 3}, {4096, 0, kPlane}, {1, 0, 3}, Scalar::opaque}));
  program.lists.push_back({0, 9, 1, 2, {2 * kPlane + 8192, kPlane}, {}, Scalar::opaque});
  std::byte message[11] = {};
  copy(program, field.at(0), message);
  const std::byte expected[11] = {std::byte{1},  std::byte{2},  std::byte{3},  std::byte{11},
                                  std::byte{12}, std::byte{13}, std::byte{21}, std::byte{22},
                                  std::byte{23}, std::byte{23}, std::byte{11}};
  EXPECT_EQ(std::memcmp(message, expected, sizeof(message)), 0);
}

TEST(Copy, WritesBeyondFourGibibytes) {
  constexpr std::int64_t kFar = (std::int64_t{1} << 32) + 24;
  const Sparse field(static_cast<std::size_t>(2 * kFar));
  if (!field.is_there()) GTEST_SKIP() << "8 GiB of address space cannot be had (ulimit -v?)";
  const std::byte message[2] = {std::byte{42}, std::byte{43}};
  Program program;
  program.blocks.push_back(normalized({0, 8, 1, {2, 1, 1}, {1, 0, 0}, {kFar, 0, 0}, Scalar::opaque}));
  copy(program, message, field.at(0));
  EXPECT_EQ(*field.at(8), std::byte{42});
  EXPECT_EQ(*field.at(8 + kFar), std::byte{43});
  EXPECT_EQ(*field.at(8 + 24), std::byte{0}) << "where a 32-bit offset would have put it";
}

}  // namespace
}  // namespace halyard::pack
