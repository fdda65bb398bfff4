// Status, Error, and the version that is linked.
#include "halyard/status.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "halyard/version.hpp"

namespace halyard {
namespace {

TEST(Status, IsOkUnlessSomethingIsSaid) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::ok);
  EXPECT_EQ(status.text(), "");
  EXPECT_NO_THROW(status.or_throw());
}

TEST(Status, KeepsCodeAndText) {
  const Status status(StatusCode::timeout, "too late");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::timeout);
  EXPECT_EQ(status.text(), "too late");
}

TEST(Status, ThrowsItselfAsAnError) {
  const Status status(StatusCode::peer_failed, "rank 3 is gone");
  try {
    status.or_throw();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::peer_failed);
    EXPECT_EQ(error.status().text(), "rank 3 is gone");
    EXPECT_STREQ(error.what(), "halyard: rank 3 is gone");
  }
}

TEST(Error, IsAStandardException) { EXPECT_THROW(throw Error(StatusCode::invalid_argument, "no"), std::runtime_error); }

TEST(StatusCode, HasANameOfItsOwnForEachValue) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(StatusCode::wrong_thread); ++code)
    names.insert(name_of(static_cast<StatusCode>(code)));
  EXPECT_EQ(names.size(), 9U);
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_EQ(name_of(StatusCode::timeout), "timeout");
  EXPECT_EQ(name_of(static_cast<StatusCode>(99)), "unknown");
}

TEST(Version, IsThreeNumbers) {
  EXPECT_EQ(std::count(version().begin(), version().end(), '.'), 2);
  EXPECT_FALSE(commit().empty());
}

}  // namespace
}  // namespace halyard
