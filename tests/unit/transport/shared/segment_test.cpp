// Segment: shared memory that only its owner's user may open, that is gone by name once unlinked, and that never
// confuses two segments.
#include "transport/shared/segment.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "unit/error_text.hpp"

namespace halyard::transport::shared {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

std::string file_of(const Segment& segment) { return std::string("/dev/shm") + segment.address().name; }

TEST(Segment, IsSeenByWhoeverOpensIt) {
  Segment own = Segment::make(kBytes);
  const Segment peer = Segment::open(own.address());
  EXPECT_NE(own.base(), peer.base());
  EXPECT_EQ(peer.bytes(), kBytes);
  own.commit(Segment::kHeaderBytes, 8);
  own.base()[Segment::kHeaderBytes] = std::byte{42};
  EXPECT_EQ(peer.base()[Segment::kHeaderBytes], std::byte{42});
}

TEST(Segment, IsOpenToItsOwnersUserOnly) {
  const Segment own = Segment::make(kBytes);
  struct stat status {};
  ASSERT_EQ(stat(file_of(own).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(status.st_uid, geteuid());
}

TEST(Segment, TakesPagesOnlyWhenTheyAreCommitted) {
  const Segment own = Segment::make(std::size_t{1} << 30);
  struct stat status {};
  ASSERT_EQ(stat(file_of(own).c_str(), &status), 0);
  EXPECT_LE(status.st_blocks * 512, 2 << 20);
  own.commit(4 << 20, 8 << 20);
  ASSERT_EQ(stat(file_of(own).c_str(), &status), 0);
  EXPECT_GE(status.st_blocks * 512, 8 << 20);
  own.decommit(4 << 20, 8 << 20);
  ASSERT_EQ(stat(file_of(own).c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 8 << 20);
}

TEST(Segment, KeepsItsMemoryButNotItsNameOnceUnlinked) {
  Segment own = Segment::make(kBytes);
  const Segment peer = Segment::open(own.address());
  own.unlink();
  EXPECT_NE(access(file_of(own).c_str(), F_OK), 0);
  own.commit(Segment::kHeaderBytes, 8);
  own.base()[Segment::kHeaderBytes] = std::byte{7};
  EXPECT_EQ(peer.base()[Segment::kHeaderBytes], std::byte{7});
}

TEST(Segment, LosesItsNameWhenItsOwnerIsGone) {
  std::string file;
  {
    const Segment own = Segment::make(kBytes);
    file = file_of(own);
    EXPECT_EQ(access(file.c_str(), F_OK), 0);
  }
  EXPECT_NE(access(file.c_str(), F_OK), 0);
}

TEST(Segment, CannotBeOpenedUnderANameThatIsNotThere) {
  SegmentAddress address;
  std::snprintf(address.name, sizeof(address.name), "/halyard.test.nobody");
  address.bytes = kBytes;
  EXPECT_EQ(halyard::test::error_text(StatusCode::not_supported, [&] { (void)Segment::open(address); }),
            "open segment /halyard.test.nobody: No such file or directory; ranks in different containers need a common "
            "/dev/shm and IPC namespace; run 'halyard doctor --check namespaces'");
}

TEST(Segment, RecognizesAnotherSegmentOfTheSameName) {
  const Segment own = Segment::make(kBytes);
  SegmentAddress other = own.address();
  other.nonce ^= 1;
  const std::string text = std::string("open segment ") + own.address().name + ": another segment bears that name";
  EXPECT_EQ(halyard::test::error_text(StatusCode::not_supported, [&] { (void)Segment::open(other); }), text);
  other = own.address();
  other.bytes *= 2;
  EXPECT_EQ(halyard::test::error_text(StatusCode::not_supported, [&] { (void)Segment::open(other); }), text);
}

}  // namespace
}  // namespace halyard::transport::shared
