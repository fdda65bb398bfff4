// The log: one line to stderr that begins with the rank, at or above the level.
#include "base/log.hpp"

#include <gtest/gtest.h>

namespace halyard::base {
namespace {

std::string logged_at(std::string_view level) {
  testing::internal::CaptureStderr();
  set_log(level, 3);
  log_error("an error");
  log_warn("a warning");
  log_info("news");
  return testing::internal::GetCapturedStderr();
}

TEST(Log, BeginsItsLinesWithTheRank) {
  EXPECT_NE(logged_at("error").find("halyard rank 3: error: an error\n"), std::string::npos);
}

TEST(Log, SaysWhatIsAtOrAboveItsLevel) {
  const std::string text = logged_at("warn");
  EXPECT_NE(text.find("a warning"), std::string::npos);
  EXPECT_NE(text.find("an error"), std::string::npos);
  EXPECT_EQ(text.find("news"), std::string::npos);
  EXPECT_NE(logged_at("info").find("news"), std::string::npos);
}

TEST(Log, IsSilentWhenOff) { EXPECT_EQ(logged_at("off"), ""); }

}  // namespace
}  // namespace halyard::base
