// PathFilter: which paths HALYARD_PATH allows.
#include "context/path_filter.hpp"

#include <gtest/gtest.h>

#include "unit/error_text.hpp"

namespace halyard::context {
namespace {

// The allowed ones of shared, ucx and mpi, one letter each.
std::string allowed(std::string_view text) {
  const PathFilter filter(text);
  std::string paths;
  if (filter.allows(Path::shared)) paths += 's';
  if (filter.allows(Path::ucx)) paths += 'u';
  if (filter.allows(Path::mpi)) paths += 'm';
  EXPECT_TRUE(filter.allows(Path::self)) << "self is always allowed";
  return paths;
}

std::string refusal(std::string_view text) {
  return test::error_text(StatusCode::invalid_argument, [&] { PathFilter filter(text); });
}

TEST(PathFilter, AllowsEverythingWhenNothingIsSaid) { EXPECT_EQ(allowed(""), "sum"); }

TEST(PathFilter, AllowsWhatIsNamedAndNothingElse) {
  EXPECT_EQ(allowed("shared"), "s");
  EXPECT_EQ(allowed("mpi,ucx"), "um");
  EXPECT_EQ(allowed("self"), "");
}

TEST(PathFilter, AllowsAllButWhatIsNamedAfterACaret) {
  EXPECT_EQ(allowed("^ucx"), "sm");
  EXPECT_EQ(allowed("^shared,ucx"), "m");
  EXPECT_EQ(allowed("^"), "sum");
  EXPECT_EQ(allowed("^self"), "sum");
}

TEST(PathFilter, NamesTheNearestPathToAnUnknownOne) {
  EXPECT_EQ(refusal("shred"),
            "HALYARD_PATH or Options::path names 'shred', which is no path; did you mean shared? Paths are self, peer, "
            "shared, verbs, "
            "ucx, mpi");
  EXPECT_EQ(refusal("mpi,ucy").find("HALYARD_PATH or Options::path names 'ucy', which is no path; did you mean ucx?"),
            0U);
}

TEST(PathFilter, RefusesCaseBlanksAndACaretInTheMiddle) {
  for (const char* bad : {"MPI", "mpi, ucx", "mpi,^ucx", "^^ucx", ",mpi"})
    EXPECT_NE(refusal(bad), "nothing was thrown") << bad;
}

TEST(PathFilter, SaysWhyAPathIsNotAllowed) {
  EXPECT_EQ(PathFilter("^ucx").refusal(), "HALYARD_PATH=^ucx does not allow it");
}

}  // namespace
}  // namespace halyard::context
