// Gathers against the plain loop: each kind of list at each end, elements beside each other, in planes and in records,
// with and without a shift; and what reduce does with them.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "pack/program.hpp"

namespace halyard::pack {
namespace {

constexpr std::int64_t kRoom = 64;

// Memory for kRoom elements with the strides of one layout.
struct Side {
  Gather::Strides strides;
  std::vector<std::byte> memory;
};

Side side_of(const ElementType& element, int layout) {
  const auto scalar = static_cast<std::int64_t>(bytes_of(element.scalar));
  const auto bytes = static_cast<std::int64_t>(element.bytes());
  Side side;
  if (layout == 0) side.strides = {bytes, scalar};
  if (layout == 1) side.strides = {scalar, scalar * kRoom};
  if (layout == 2) side.strides = {bytes + 13, scalar};  // in records, unaligned
  side.memory.resize(static_cast<std::size_t>(kRoom * (bytes + 16)));
  return side;
}

template <class T>
class GatherOf : public testing::Test {};
using Scalars = testing::Types<float, double, std::int32_t, std::int64_t, std::uint8_t, std::int16_t>;
TYPED_TEST_SUITE(GatherOf, Scalars);

template <class T>
T value_at(const Side& side, std::int64_t element, std::int64_t component) {
  T value;
  std::memcpy(&value, side.memory.data() + element * side.strides.element + component * side.strides.component,
              sizeof(T));
  return value;
}

template <class T>
void fill(Side& side, std::uint32_t components, std::mt19937& random) {
  for (std::int64_t i = 0; i < kRoom; ++i)
    for (std::int64_t c = 0; c < components; ++c) {
      const T value = static_cast<T>(random() % 100);
      std::memcpy(side.memory.data() + i * side.strides.element + c * side.strides.component, &value, sizeof(T));
    }
}

std::vector<std::int32_t> permutation(std::mt19937& random) {
  std::vector<std::int32_t> numbers(kRoom);
  for (std::int32_t i = 0; i < kRoom; ++i) numbers[static_cast<std::size_t>(i)] = i;
  std::shuffle(numbers.begin(), numbers.end(), random);
  return numbers;
}

TYPED_TEST(GatherOf, CopiesShiftsAndReducesLikeThePlainLoop) {
  using T = TypeParam;
  constexpr bool kMayShift = std::is_floating_point_v<T>;
  std::mt19937 random(5);
  for (const std::uint32_t components : {1U, 2U, 3U, 5U})
    for (int variant = 0; variant < 3 * 3 * 4 * 5; ++variant) {
      const auto element = ElementType::of<T>(components);
      Side from = side_of(element, variant % 3);
      Side to = side_of(element, variant / 3 % 3);
      const int lists = variant / 9 % 4;
      const int action = variant / 36;  // copy, copy with a shift, sum, min, max
      if (action == 1 && (!kMayShift || components > 3)) continue;
      fill<T>(from, components, random);
      fill<T>(to, components, random);
      const Side before = to;
      const auto sources = permutation(random);
      const auto targets = permutation(random);
      Gather gather;
      gather.source_stride = from.strides;
      gather.target_stride = to.strides;
      gather.source_numbers = (lists & 1) != 0 ? sources.data() : nullptr;
      gather.target_numbers = (lists & 2) != 0 ? targets.data() : nullptr;
      gather.num_elements = 40;
      gather.element = element;
      gather.has_shift = action == 1;
      gather.shift = {10, -20, 0.5};
      Program program;
      program.gathers.push_back(gather);
      EXPECT_EQ(program.num_bytes(), static_cast<std::int64_t>(40 * element.bytes()));
      if (action < 2) copy(program, from.memory.data(), to.memory.data());
      if (action >= 2) reduce(program, static_cast<Reduce>(action - 2), from.memory.data(), to.memory.data());
      for (std::int64_t i = 0; i < 40; ++i)
        for (std::int64_t c = 0; c < components; ++c) {
          const std::int64_t s = (lists & 1) != 0 ? sources[static_cast<std::size_t>(i)] : i;
          const std::int64_t t = (lists & 2) != 0 ? targets[static_cast<std::size_t>(i)] : i;
          const T came = value_at<T>(from, s, c);
          const T own = value_at<T>(before, t, c);
          T expected = came;
          if (action == 1) expected = static_cast<T>(came + static_cast<T>(gather.shift[static_cast<std::size_t>(c)]));
          if (action == 2) expected = static_cast<T>(own + came);
          if (action == 3) expected = came < own ? came : own;
          if (action == 4) expected = own < came ? came : own;
          ASSERT_EQ(value_at<T>(to, t, c), expected) << "variant " << variant << ", " << components << " components";
        }
      for (std::int64_t c = 0; c < components && lists < 2; ++c)  // nothing behind the last target
        ASSERT_EQ(value_at<T>(to, 40, c), value_at<T>(before, 40, c));
    }
}

TEST(Gather, ReversedSwapsItsEndsAndForgetsTheShift) {
  const std::vector<std::int32_t> numbers{3, 1, 2};
  double owned[4] = {0, 1, 2, 3};
  double ghosts[3] = {0, 0, 0};
  Gather gather;
  gather.source = place_of(owned);
  gather.target = place_of(ghosts);
  gather.source_stride = gather.target_stride = {8, 8};
  gather.source_numbers = numbers.data();
  gather.num_elements = 3;
  gather.element = ElementType::of<double>();
  gather.has_shift = true;
  gather.shift = {100, 0, 0};
  Program program;
  program.gathers.push_back(gather);
  copy(program, nullptr, nullptr);
  EXPECT_THAT(ghosts, testing::ElementsAre(103, 101, 102));
  reduce(reversed(program), Reduce::sum, nullptr, nullptr);
  EXPECT_THAT(owned, testing::ElementsAre(0, 102, 104, 106));
}

}  // namespace
}  // namespace halyard::pack
