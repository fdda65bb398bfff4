// Bundles: what is written is read again; what somebody else wrote is not trusted.
#include "facts/capture/tar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "facts/capture/tar_header.hpp"
#include "halyard/status.hpp"
#include "support/machine/tree_text.hpp"

namespace halyard::facts {
namespace {

std::string trouble_with(std::string_view archive) {
  TreeRoot tree("bundle");
  try {
    read_tar(archive, tree);
  } catch (const Error& error) {
    return error.status().text();
  }
  return "";
}

// One member as an attacker would write it.
std::string archive_of(const std::string& name, char type, const std::string& link = "") {
  TarHeader header{};
  std::copy_n(name.data(), name.size(), header.name.data());
  std::copy_n(link.data(), link.size(), header.link.data());
  std::copy_n("0000644", 7, header.mode.data());
  std::copy_n("00000000000", 11, header.size.data());
  header.type = type;
  std::snprintf(header.checksum.data(), 8, "%06o", static_cast<unsigned>(tar_checksum(header)));
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + std::string(1024, '\0');
}

TEST(Tar, KeepsFilesLinksFoldersDevicesAndRefusals) {
  const std::string long_name = "/sys/" + std::string(90, 'a') + "/" + std::string(90, 'b');
  auto tree =
      test::tree_of("/a/b: 1\\0\\n\n/a/link -> b\n/empty/\n/dev/uverbs0 device 0660\n/secret !\n" + long_name + ": x");
  tree->put_link("/a/long", std::string(150, 'x'));
  tree->nodes().find("/dev/uverbs0")->second.group = 115;
  tree->nodes().find("/empty")->second.access = Access::refused;
  tree->nodes().find("/empty")->second.mode = 0;
  TreeRoot again("bundle");
  read_tar(tar_of(*tree), again);
  ASSERT_EQ(again.nodes().size(), tree->nodes().size());
  for (const auto& [path, node] : tree->nodes()) {
    const auto& read = again.nodes().find(path)->second;
    EXPECT_EQ(read.text, node.text) << path;
    EXPECT_EQ(read.kind, node.kind) << path;
    EXPECT_EQ(read.access, node.access) << path;
    EXPECT_EQ(read.mode, node.mode) << path;
    EXPECT_EQ(read.group, node.group) << path;
  }
}

TEST(Tar, RefusesMembersAndLinksThatPointOutside) {
  EXPECT_EQ(trouble_with(archive_of("sys/a", '0')), "");
  EXPECT_EQ(trouble_with(archive_of("./sys/class/a", '2', "../devices/a")), "");
  const std::pair<std::string, const char*> cases[] = {
      {archive_of("../etc/passwd", '0'), "leads above the root"},
      {archive_of("sys/../../x", '0'), "leads above the root"},
      {archive_of("/etc/passwd", '0'), "an absolute path"},
      {archive_of("sys/a", '2', "/etc/passwd"), "a link to '/etc/passwd', outside"},
      {archive_of("sys/a", '2', "../../etc/passwd"), "a link to '../../etc/passwd', outside"},
      {archive_of("sys/a", '1', "etc/passwd"), "type '1'"},
  };
  for (const auto& [archive, what] : cases) EXPECT_THAT(trouble_with(archive), testing::HasSubstr(what));
}

TEST(Tar, RefusesDamage) {
  const std::string good = tar_of(*test::tree_of("/a/b: 12345"));
  EXPECT_EQ(trouble_with(good), "");
  EXPECT_THAT(trouble_with(""), testing::HasSubstr("not a tar archive"));
  EXPECT_THAT(trouble_with(std::string(4096, 'x')), testing::HasSubstr("checksum"));
  EXPECT_THAT(trouble_with(good.substr(0, 1024)), testing::HasSubstr("larger than the archive"));
  std::string flipped = good;
  flipped[515] = static_cast<char>(flipped[515] ^ 1);
  EXPECT_THAT(trouble_with(flipped), testing::HasSubstr("checksum"));
  EXPECT_THAT(trouble_with(archive_of("a", 'x').substr(0, 512) + std::string(512, 'y')), testing::HasSubstr("a"));
}

TEST(Tar, SurvivesBytesThatAreChangedAtRandom) {
  const std::string good = tar_of(*test::fixture("one_gpu_one_nic"));
  std::mt19937 random(7);  // NOLINT: the same cases each time
  for (int turn = 0; turn < 300; ++turn) {
    std::string damaged = good;
    for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    trouble_with(damaged.substr(0, turn % 3 == 0 ? random() % damaged.size() : damaged.size()));
  }
}

}  // namespace
}  // namespace halyard::facts
