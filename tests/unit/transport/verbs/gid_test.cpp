// Which GID is taken from a table (field case N01). Tables are written like those of real devices.
#include "transport/verbs/device/gid.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "halyard/status.hpp"

namespace halyard::transport::verbs {
namespace {

GidRow row(int index, GidType type, const char* address) {
  GidRow made;
  made.index = index;
  made.type = type;
  if (inet_pton(AF_INET6, address, made.bytes.data()) != 1) ADD_FAILURE() << "no address: " << address;
  return made;
}

constexpr GidType kV1 = GidType::roce_v1;
constexpr GidType kV2 = GidType::roce_v2;
constexpr GidType kIb = GidType::infiniband;

struct Table {
  const char* name;
  std::vector<GidRow> rows;
  int expected;  // index; -1: none
};

std::vector<Table> tables() {
  return {
      {"pairs of v1 and v2, link-local first",
       {row(0, kV1, "fe80::e42:a1ff:fe9c:1"), row(1, kV2, "fe80::e42:a1ff:fe9c:1"), row(2, kV1, "::ffff:10.1.2.3"),
        row(3, kV2, "::ffff:10.1.2.3")},
       3},
      {"soft-RoCE: v2 only", {row(0, kV2, "fe80::1"), row(1, kV2, "::ffff:10.77.0.1")}, 1},
      {"v2 comes before v1 of the same address", {row(0, kV2, "::ffff:10.0.0.1"), row(1, kV1, "::ffff:10.0.0.1")}, 0},
      {"link-local v2 is better than routable v1", {row(0, kV1, "::ffff:10.0.0.1"), row(1, kV2, "fe80::1")}, 1},
      {"v1 where there is nothing else", {row(0, kV1, "fe80::1"), row(1, kV1, "::ffff:10.0.0.1")}, 1},
      {"IPv6 without IPv4", {row(0, kV2, "fe80::1"), row(4, kV2, "2001:db8::7")}, 4},
      {"IPv4 before IPv6", {row(2, kV2, "2001:db8::7"), row(5, kV2, "::ffff:192.168.0.9")}, 5},
      {"IPv4 link-local is link-local", {row(2, kV2, "::ffff:169.254.3.4"), row(5, kV2, "2001:db8::7")}, 5},
      {"the lower of two equals", {row(7, kV2, "::ffff:10.0.0.2"), row(3, kV2, "::ffff:10.0.0.1")}, 3},
      {"empty rows between", {row(0, kV2, "::"), row(1, kV2, "fe80::"), row(2, kV2, "::ffff:10.0.0.1")}, 2},
      {"InfiniBand", {row(0, kIb, "fe80::e42:a1ff:fe9c:1"), row(1, kIb, "fec0::e42:a1ff:fe9c:1")}, 0},
      {"nothing but empty rows", {row(0, kV2, "::"), row(1, kV2, "fe80::")}, -1},
      {"no rows", {}, -1},
  };
}

TEST(Gid, N01TheBestRowIsTakenWhateverItsIndex) {
  for (const Table& table : tables()) {
    for (int turn = 0; turn < 2; ++turn) {  // the order of rows does not matter
      std::vector<GidRow> rows = table.rows;
      if (turn == 1) std::reverse(rows.begin(), rows.end());
      const auto chosen = choose_gid(rows);
      EXPECT_EQ(chosen ? chosen->index : -1, table.expected) << table.name;
    }
  }
}

TEST(Gid, AnIndexThatIsAskedForIsTaken) {
  const std::vector<GidRow> rows{row(0, kV1, "fe80::1"), row(3, kV2, "::ffff:10.1.2.3")};
  EXPECT_EQ(gid_at(rows, 0).type, kV1);
  EXPECT_EQ(gid_at(rows, 3).type, kV2);
}

TEST(Gid, AnIndexWithoutARowIsRefusedWithTheRowsThereAre) {
  const std::vector<GidRow> rows{row(0, kV2, "fe80::1"), row(1, kV2, "::ffff:10.1.2.3"), row(2, kV2, "::")};
  for (const int index : {2, 3, 1000}) {
    try {
      (void)gid_at(rows, index);
      ADD_FAILURE() << "index " << index;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), StatusCode::invalid_argument);
      EXPECT_THAT(error.what(), testing::HasSubstr("GID index " + std::to_string(index) + " (HALYARD_VERBS_GID)"));
      EXPECT_THAT(error.what(), testing::HasSubstr("RoCE v2 GID 0 (fe80::1), RoCE v2 GID 1 (10.1.2.3)"));
    }
  }
}

TEST(Gid, APortWithoutAnyIsToldWhatToDo) {
  try {
    (void)gid_at({}, 1);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("give its network interface an address"));
  }
}

}  // namespace
}  // namespace halyard::transport::verbs
