// replace_file: new contents whole or not at all, and nothing left behind.
#include "metrics/output/new_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "halyard/status.hpp"
#include "unit/metrics/folder.hpp"

namespace halyard::metrics {
namespace {

namespace fs = std::filesystem;
using test::Folder;

std::string refusal(const std::string& name) {
  try {
    replace_file(name, "x");
  } catch (const Error& error) {
    return error.status().text();
  }
  return "written";
}

TEST(ReplaceFile, WritesAndReplaces) {
  const Folder folder;
  replace_file(folder.name("m.prom"), "first, longer");
  EXPECT_EQ(folder.contents("m.prom"), "first, longer");
  replace_file(folder.name("m.prom"), "second");
  EXPECT_EQ(folder.contents("m.prom"), "second");
  EXPECT_EQ(folder.num_files(), 1) << "nothing is left beside it";
}

TEST(ReplaceFile, SaysWhatTheSystemAnsweredAndLeavesNothing) {
  const Folder folder;
  const std::string missing = folder.name("none/m.prom");
  EXPECT_EQ(refusal(missing), "write " + missing +
                                  ": open: No such file or directory; is the folder there, may this user write in it, "
                                  "and is there room?");
  EXPECT_EQ(folder.num_files(), 0);
}

TEST(ReplaceFile, TakesNothingsPlaceThatIsNoRegularFile) {
  const Folder folder;
  fs::create_directory(folder.name("d"));
  EXPECT_EQ(refusal(folder.name("d")),
            "write " + folder.name("d") + ": it is there and no regular file; give another name");
  EXPECT_EQ(refusal("/dev/null"), "write /dev/null: it is there and no regular file; give another name");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace halyard::metrics
