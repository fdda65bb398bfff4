// Files that appear only when whole, base64, and the VTK files' texts.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "common/staged_file.hpp"
#include "io/base64.hpp"
#include "io/vtk.hpp"

namespace halyard::stencil {
namespace {

std::string scratch_path(const std::string& name) {
  return testing::TempDir() + "halyard_files_test_" + std::to_string(getpid()) + name;
}

std::string contents(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

TEST(StagedFile, AppearsUnderItsNameWhenCommitted) {
  const std::string path = scratch_path("committed");
  app::StagedFile file = app::StagedFile::create(path);
  file.write("one ");
  file.write("two");
  EXPECT_FALSE(exists(path));
  file.commit();
  EXPECT_EQ(contents(path), "one two");
  EXPECT_FALSE(exists(path + ".part"));
  unlink(path.c_str());
}

TEST(StagedFile, LeavesNothingWhenDropped) {
  const std::string path = scratch_path("dropped");
  {
    app::StagedFile file = app::StagedFile::create(path);
    file.write("half");
    app::StagedFile moved = std::move(file);
  }
  EXPECT_FALSE(exists(path) || exists(path + ".part"));
}

TEST(StagedFile, KeepsTheFormerFileWhenDropped) {
  const std::string path = scratch_path("former");
  std::ofstream(path) << "former";
  { app::StagedFile::create(path).write("half"); }
  EXPECT_EQ(contents(path), "former");
  unlink(path.c_str());
}

TEST(StagedFile, RefusesAFolderAndAPathInNoFolder) {
  EXPECT_THROW(app::StagedFile::create("/tmp"), std::runtime_error);
  EXPECT_THROW(app::StagedFile::create("/no-such-folder/file"), std::runtime_error);
}

TEST(StagedFile, ReportsAFullDevice) {
  if (!exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const std::string path = scratch_path("full");
  ASSERT_EQ(symlink("/dev/full", (path + ".part").c_str()), 0);
  app::StagedFile file = app::StagedFile::create(path);
  EXPECT_THROW(file.write("anything"), std::runtime_error);
}

std::string base64_of(const std::vector<std::string>& pieces) {
  Base64 base64;
  std::string text;
  for (const std::string& piece : pieces) text += base64.add(std::as_bytes(std::span(piece)));
  return text + base64.finish();
}

TEST(Base64, EncodesTheExamplesOfItsSpecification) {
  EXPECT_EQ(base64_of({""}), "");
  EXPECT_EQ(base64_of({"f"}), "Zg==");
  EXPECT_EQ(base64_of({"fo"}), "Zm8=");
  EXPECT_EQ(base64_of({"foobar"}), "Zm9vYmFy");
}

TEST(Base64, DoesNotDependOnHowBytesArriveInPieces) {
  EXPECT_EQ(base64_of({"f", "oob", "", "ar", "!"}), base64_of({"foobar!"}));
}

TEST(Vtk, IndexListsThePiecesOfRanksThatOwnCells) {
  const std::string path = scratch_path("index.pvti");
  const auto decomposition = Decomposition::grid(Box::of_extent({2, 3, 4}), {3, 1, 1});
  app::StagedFile file = app::StagedFile::create(path);
  write_pvti(file, decomposition, "/some/where/a&b");
  file.commit();
  const std::string text = contents(path);
  EXPECT_NE(text.find("WholeExtent=\"0 2 0 3 0 4\""), std::string::npos) << text;
  EXPECT_NE(text.find("Source=\"a&amp;b_1.vti\""), std::string::npos) << text;
  EXPECT_EQ(text.find("a&amp;b_0.vti"), std::string::npos) << "rank 0 owns nothing here\n" << text;
  unlink(path.c_str());
}

}  // namespace
}  // namespace halyard::stencil
