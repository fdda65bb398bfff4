// Root: links are resolved below the root, and nowhere else; what cannot be read says why.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "facts/capture/bundle.hpp"
#include "facts/file_root.hpp"
#include "facts/tree_root.hpp"
#include "halyard/status.hpp"
#include "support/machine/folder.hpp"
#include "support/machine/tree_text.hpp"

namespace halyard::facts {
namespace {

constexpr const char* kTree = R"(
/sys/devices/a/b/value: 42
/sys/class/net/eth0 -> ../../devices/a/b
/sys/devices/a/up -> ..
/sys/loop -> loop
/sys/ping -> pong
/sys/pong -> ping
/sys/above -> ../../../etc/passwd
/sys/absolute -> /etc/passwd
/sys/dangling -> nowhere
/secret/inside: 1
)";

/// The same tree as a folder and in memory.
class RootTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto tree = test::tree_of(kTree);
    if (GetParam()) {
      folder.fill(*tree);
      root = std::make_unique<FileRoot>(folder.path());
    } else {
      root = std::move(tree);
    }
  }
  test::Folder folder;
  std::unique_ptr<Root> root;
};

TEST_P(RootTest, FollowsLinksBelowItself) {
  EXPECT_EQ(root->read("/sys/class/net/eth0/value").text, "42\n");
  EXPECT_EQ(root->read("/sys/class/net/eth0/../up/a/b/value").text, "42\n");
  EXPECT_EQ(root->resolve("/sys/class/net/eth0").text, "/sys/devices/a/b");
  EXPECT_EQ(root->link("/sys/class/net/eth0").text, "../../devices/a/b");
  EXPECT_EQ(root->resolve("/").text, "/");
  EXPECT_EQ(root->list("/").names, (std::vector<std::string>{"secret", "sys"}));
}

TEST_P(RootTest, RefusesLinksThatLeaveItOrGoRound) {
  for (const char* path : {"/sys/above", "/sys/absolute", "/sys/loop", "/sys/ping", "/sys/../../../etc/passwd"}) {
    EXPECT_EQ(root->read(path).access, Access::outside) << path;
    EXPECT_EQ(root->list(path).access, Access::outside) << path;
    EXPECT_EQ(root->entry(path).access, Access::outside) << path;
  }
  EXPECT_THAT(root->read("/sys/absolute").trouble, testing::HasSubstr("absolute path /etc/passwd"));
  EXPECT_EQ(root->read("/" + std::string(5000, 'a')).access, Access::outside);
}

TEST_P(RootTest, TellsMissingFromUnusable) {
  EXPECT_EQ(root->read("/sys/dangling").access, Access::missing);
  EXPECT_EQ(root->read("/sys/nothing").access, Access::missing);
  EXPECT_EQ(root->read("/sys/devices/a/b/value/below").access, Access::missing);
  EXPECT_EQ(root->read("/sys/devices").access, Access::unusable);
  EXPECT_EQ(root->link("/sys/devices").access, Access::unusable);
  EXPECT_EQ(root->output("ucx_info -v").access, Access::missing);
}

TEST_P(RootTest, CutsWhatIsLongerThanAsked) {
  const Reading cut = root->read("/sys/devices/a/b/value", 2);
  EXPECT_EQ(cut.text, "42");
  EXPECT_TRUE(cut.is_cut);
  EXPECT_FALSE(root->read("/sys/devices/a/b/value", 3).is_cut);
}

INSTANTIATE_TEST_SUITE_P(InMemoryAndOnDisk, RootTest, testing::Bool());

TEST(TreeRoot, HidesWhatLiesInAFolderThatMayNotBeEntered) {
  const auto tree = test::tree_of("/a/b/c: 1\n/a/b !");
  EXPECT_EQ(tree->list("/a/b").access, Access::refused);
  EXPECT_EQ(tree->read("/a/b/c").access, Access::refused);
  EXPECT_EQ(tree->entry("/a/b").access, Access::ok);
}

TEST(TreeRoot, TakesPlainAbsolutePathsOnly) {
  TreeRoot tree("test");
  for (const char* path : {"", "/", "a", "/a/", "/a//b", "/a/../b", "/./a"})
    EXPECT_FALSE(tree.put_file(path, "")) << path;
  EXPECT_TRUE(tree.put_file("/a", "file"));
  EXPECT_FALSE(tree.put_file("/a/below", "")) << "a file has nothing below it";
}

TEST(TreeRoot, ListsSiblingsWhoseNamesSortBetweenAFolderAndItsContent) {
  const auto tree = test::tree_of("/x/a/1: \n/x/a-b: 1\n/x/a.c: 1\n/x/a0: 1");
  EXPECT_EQ(tree->list("/x").names, (std::vector<std::string>{"a", "a-b", "a.c", "a0"}));
}

TEST(FileRoot, ReadsNoPipesAndBoundsHugeFiles) {
  test::Folder folder;
  ASSERT_EQ(mkfifo((folder.path() + "/pipe").c_str(), 0600), 0);
  std::ofstream(folder.path() + "/huge").close();
  std::filesystem::resize_file(folder.path() + "/huge", std::uintmax_t{1} << 30);
  const FileRoot root(folder.path());
  EXPECT_EQ(root.read("/pipe").access, Access::unusable);
  const Reading huge = root.read("/huge");
  EXPECT_EQ(huge.text.size(), Root::kMostBytes);
  EXPECT_TRUE(huge.is_cut);
}

TEST(FileRoot, SaysPermissionDenied) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  test::Folder folder;
  std::ofstream(folder.path() + "/secret") << "x";
  ASSERT_EQ(chmod((folder.path() + "/secret").c_str(), 0), 0);
  EXPECT_EQ(FileRoot(folder.path()).read("/secret").access, Access::refused);
}

TEST(OpenRoot, NamesWhatItCannotOpen) {
  for (const char* path : {"/no/such/place", "/dev/null"}) {
    try {
      open_root(path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(path));
    }
  }
}

TEST(LiveRoot, RunsATrialOnceAndKeepsWhatItThrows) {
  LiveRoot root;
  int runs = 0;
  root.add_trial("count", [&] { return std::to_string(++runs); });
  root.add_trial("break", []() -> std::string { throw Error(StatusCode::not_supported, "no GPU"); });
  EXPECT_EQ(root.output("trial count").text, "1");
  EXPECT_EQ(root.output("trial count").text, "1");
  EXPECT_EQ(root.output("trial break").access, Access::unusable);
  EXPECT_THAT(root.output("trial break").trouble, testing::HasSubstr("no GPU"));
  EXPECT_EQ(root.output("trial unknown").access, Access::missing);
  EXPECT_TRUE(root.read("/proc/self/status").ok());
}

}  // namespace
}  // namespace halyard::facts
