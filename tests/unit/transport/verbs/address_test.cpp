// What one end of a verbs channel tells the other.
#include "transport/verbs/address.hpp"

#include <gtest/gtest.h>

#include "halyard/status.hpp"

namespace halyard::transport::verbs {
namespace {

RemoteEnd two_rails() {
  RemoteEnd end;
  end.slab = 0x7f0000001000;
  end.layout = {5'000'000'000, 6};
  end.gpu_slots = 0x7f0000001000;
  end.gpu_stride = 512;
  end.keys = {11, 12};
  end.gpu_keys = {13, 14};
  end.queue_pairs.resize(2);
  end.queue_pairs[1].number = 17;
  end.queue_pairs[1].gid[15] = 9;
  return end;
}

TEST(VerbsAddress, ComesOutAsItWentIn) {
  const ChannelAddress address = decode(encode(3, two_rails()));
  EXPECT_EQ(address.binding, 3U);
  EXPECT_EQ(address.end.slab, 0x7f0000001000U);
  EXPECT_EQ(address.end.layout.send_bytes, 5'000'000'000U);
  EXPECT_EQ(address.end.layout.receive_bytes, 6U);
  EXPECT_EQ(address.end.gpu_slots, 0x7f0000001000U);
  EXPECT_EQ(address.end.gpu_stride, 512U);
  EXPECT_EQ(address.end.keys, (std::vector<std::uint32_t>{11, 12}));
  EXPECT_EQ(address.end.gpu_keys, (std::vector<std::uint32_t>{13, 14}));
  ASSERT_EQ(address.end.queue_pairs.size(), 2U);
  EXPECT_EQ(address.end.queue_pairs[1].number, 17U);
  EXPECT_EQ(address.end.queue_pairs[1].gid[15], 9);
}

TEST(VerbsAddress, RefusesWhatIsNotOne) {
  const Blob good = encode(3, two_rails());
  for (std::size_t bytes = 0; bytes < good.size(); ++bytes)
    EXPECT_THROW((void)decode(std::span(good).first(bytes)), Error) << bytes;
  Blob other = good;
  other[0] ^= std::byte{1};
  EXPECT_THROW((void)decode(other), Error);
}

}  // namespace
}  // namespace halyard::transport::verbs
