// Blocks: find exactly those that a comparison one by one finds, however coordinates are laid out.
#include "particles/blocks/blocks.hpp"

#include <gtest/gtest.h>

#include <random>

namespace halyard::particles {
namespace {

enum class Layout { points, axes, records, unaligned };

// Positions of `count` particles in memory of some layout, with room for one more number before and behind.
template <class T>
class Positions {
 public:
  Positions(Layout layout, std::int64_t count) : bytes_(static_cast<std::size_t>(64 * count + 64)) {
    const auto size = static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t a = 0; a < 3; ++a) {
      ParticleArray array;
      array.data = bytes_.data() + 16;
      array.component_stride_bytes = size;
      std::int64_t component = a;
      switch (layout) {
        case Layout::points:
          array.stride_bytes = 3 * size;
          break;
        case Layout::axes:
          array.data = bytes_.data() + 16 * (1 + a * count);
          array.stride_bytes = size;
          component = 0;
          break;
        case Layout::records:
          array.stride_bytes = 5 * size;
          break;
        case Layout::unaligned:
          array.data = bytes_.data() + 17;
          array.stride_bytes = 3 * size;
          break;
      }
      columns_.emplace_back(array, component);
    }
  }

  std::array<Column<T>, 3> columns() const { return {columns_[0], columns_[1], columns_[2]}; }

 private:
  std::vector<std::byte> bytes_;
  std::vector<Column<T>> columns_;
};

template <class T>
T some_coordinate(const SpaceBox& box, std::size_t axis, std::mt19937_64& random) {
  const double end = random() % 2 == 0 ? box.lo[axis] : box.hi[axis];
  switch (random() % 60) {
    case 0:
      return std::numeric_limits<T>::quiet_NaN();
    case 1:
      return random() % 2 == 0 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    case 2:
      return static_cast<T>(end);
    case 3:
      return std::nextafter(static_cast<T>(end), random() % 2 == 0 ? T(1e30) : T(-1e30));
    case 4:
      return static_cast<T>(end + 1);
    default:
      return static_cast<T>(std::uniform_real_distribution<double>(box.lo[axis], box.hi[axis])(random));
  }
}

template <class T>
void expect_all_found(Layout layout) {
  std::mt19937_64 random(7);
  const SpaceBox box{{0.1, -2.3, 0}, {0.7, 5.9, 1.0 / 3}};  // ends that are no floats
  for (const std::int64_t count : {0, 1, 7, 63, 64, 65, 128, 1003}) {
    const Positions<T> positions(layout, count);
    const auto x = positions.columns();
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 0; i < count; ++i) {
      bool is_inside = true;
      for (std::size_t a = 0; a < 3; ++a) {
        x[a].set(i, some_coordinate<T>(box, a, random));
        const double value = static_cast<double>(x[a][i]);
        is_inside = is_inside && value >= box.lo[a] && value < box.hi[a];
      }
      if (!is_inside) expected.push_back(i);
    }
    std::vector<std::int64_t> found;
    const Bounds<T> bounds(box);
    EXPECT_TRUE(Blocks<T>(x).each(count, [&](std::int64_t first, std::size_t in_block, const T* block) {
      const std::uint64_t mask = outside(block, bounds);
      EXPECT_EQ(outside(block, bounds, Vectors::narrow), mask);
      for (std::size_t i = 0; i < in_block; ++i)
        if ((mask >> i & 1U) != 0) found.push_back(first + static_cast<std::int64_t>(i));
      return true;
    }));
    EXPECT_EQ(found, expected);
  }
}

TEST(Blocks, FindWhoIsNotInTheBoxInAnyLayout) {
  for (const Layout layout : {Layout::points, Layout::axes, Layout::records, Layout::unaligned}) {
    SCOPED_TRACE(static_cast<int>(layout));
    expect_all_found<double>(layout);
    expect_all_found<float>(layout);
  }
}

TEST(Blocks, AreSeenInOrderUntilTheVisitorHasEnough) {
  const Positions<double> positions(Layout::points, 200);
  std::vector<std::int64_t> firsts;
  EXPECT_FALSE(Blocks<double>(positions.columns()).each(200, [&](std::int64_t first, std::size_t count, const double*) {
    EXPECT_EQ(count, kBlock);
    firsts.push_back(first);
    return first < 64;
  }));
  EXPECT_EQ(firsts, (std::vector<std::int64_t>{0, 64}));
}

template <class T>
void expect_cells() {
  std::mt19937_64 random(3);
  const SpaceBox box{{-1, -1, -1}, {2, 2, 2}};
  const std::array<std::vector<double>, 3> ends{{{-0.5, 0.1, 1.7}, {}, {0.3}}};
  const Segments<T> segments(ends, {1, 4, 4});
  std::array<T, 3 * kBlock> x;
  std::array<std::int32_t, kBlock> cells;
  for (int round = 0; round < 50; ++round) {
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = random() % 20 == 0 ? T(0.1) : some_coordinate<T>(box, k % 3, random);
    find_cells(x.data(), segments, cells);
    std::array<std::int32_t, kBlock> narrow;
    find_cells(x.data(), segments, narrow, Vectors::narrow);
    EXPECT_EQ(narrow, cells);
    for (std::size_t i = 0; i < kBlock; ++i) {
      std::int32_t expected = 0;
      for (const double end : ends[0]) expected += static_cast<double>(x[3 * i]) >= end ? 1 : 0;
      for (const double end : ends[2]) expected += static_cast<double>(x[3 * i + 2]) >= end ? 4 : 0;
      ASSERT_EQ(cells[i], expected);
    }
  }
}

TEST(Blocks, FindTheCellOfEachParticle) {
  expect_cells<double>();
  expect_cells<float>();
}

TEST(Blocks, RoundBoundsUpSoThatFloatsCompareAsDoublesDo) {
  constexpr float kHuge = std::numeric_limits<float>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bound : {0.1, -0.1, 1.0, 1e-300, -1e-300, 1e300, -1e300, kInfinity, -kInfinity})
    for (const float x :
         {0.1F, std::nextafter(0.1F, 1.0F), std::nextafter(0.1F, -1.0F), -0.1F, 0.0F, 1.0F, kHuge, -kHuge})
      EXPECT_EQ(x < round_up<float>(bound), static_cast<double>(x) < bound) << x << " and " << bound;
}

}  // namespace
}  // namespace halyard::particles
