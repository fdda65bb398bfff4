// Stamp: its seal fits one content in one place only; who waited for nothing was free from the beginning.
#include "pack/device/stamps/stamp.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>

namespace halyard::pack::device {
namespace {

constexpr std::uint64_t kSlots = 64;

Stamp some_stamp() { return stamp_of({10, 20, 30, 40, 50}, 7, StampKind::both, 0x301, 60); }

TEST(Stamp, IsFoundInThePlaceThatItWasSealedFor) {
  for (const std::uint64_t place : {UINT64_C(0), UINT64_C(5), UINT64_C(69), UINT64_C(1) << 39}) {
    const auto found = place_of(sealed(some_stamp(), place), place % kSlots, kSlots);
    ASSERT_TRUE(found.has_value()) << place;
    EXPECT_EQ(*found, place);
    EXPECT_FALSE(place_of(sealed(some_stamp(), place), (place + 1) % kSlots, kSlots).has_value());
  }
}

TEST(Stamp, ThatIsBeingWrittenIsNone) {
  EXPECT_FALSE(place_of(Stamp{}, 0, kSlots).has_value()) << "memory that nobody has written";
  using Words = std::array<std::uint64_t, kStampWords>;
  Stamp later = some_stamp();
  later.begin += 1000;
  later.may_send += 1000;
  later.sent += 1000;
  later.arrived += 1000;
  later.end += 1000;
  later.word += 1U << 8;
  later.what += 1U << 8;
  const auto before = std::bit_cast<Words>(sealed(some_stamp(), 3));
  const auto after = std::bit_cast<Words>(sealed(later, 3 + kSlots));
  for (unsigned mask = 1; mask + 1 < 1U << kStampWords; ++mask) {  // any of the words may have come already
    Words mixed = before;
    for (unsigned i = 0; i < kStampWords; ++i)
      if ((mask >> i & 1U) != 0) mixed[i] = after[i];
    EXPECT_FALSE(place_of(std::bit_cast<Stamp>(mixed), 3, kSlots).has_value()) << mask;
  }
}

TEST(Stamp, OfAKernelHasTheMomentsOfWhatItDid) {
  const Moments seen{10, 0, 30, 40, 50};
  const Stamp start = stamp_of(seen, 7, StampKind::start, 0x301, 60);
  EXPECT_EQ(start.begin, 10U);
  EXPECT_EQ(start.may_send, 10U) << "it waited for nobody";
  EXPECT_EQ(start.sent, 30U);
  EXPECT_EQ(start.arrived, 0U);
  EXPECT_EQ(start.owner(), 7U);
  EXPECT_EQ(start.kind(), StampKind::start);
  const Stamp finish = stamp_of(seen, 7, StampKind::finish, 0x301, 60);
  EXPECT_EQ(finish.begin, 40U);
  EXPECT_EQ(finish.sent, 0U);
  EXPECT_EQ(finish.arrived, 50U);
  EXPECT_EQ(stamp_of(seen, 7, StampKind::both, 0x301, 60).begin, 10U);
}

TEST(Stamp, TakesNothingFromLaunchesBefore) {
  const Stamp both = stamp_of({100, 20, 30, 40, 50}, 7, StampKind::both, 0x301, 160);
  EXPECT_EQ(both.may_send, 100U);
  EXPECT_EQ(both.sent, 100U);
  EXPECT_EQ(both.arrived, 100U);
}

}  // namespace
}  // namespace halyard::pack::device
