#include "device/factory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/error_text.hpp"

namespace halyard::device {
namespace {

using ::testing::HasSubstr;

TEST(Factory, gives_nothing_for_none_and_says_so) {
  const Opened opened = open("none");
  EXPECT_EQ(opened.device, nullptr);
  EXPECT_EQ(opened.text, "no GPU was asked for");
}

TEST(Factory, gives_every_caller_the_same_emulated_device) {
  const Opened first = open("emulated");
  ASSERT_NE(first.device, nullptr);
  EXPECT_EQ(first.device->kind(), "emulated");
  EXPECT_EQ(first.device, open("emulated").device);
  EXPECT_EQ(first.text, "2 emulated GPUs");
}

TEST(Factory, names_the_choices_when_it_is_given_another_word) {
  EXPECT_THAT(test::error_text(StatusCode::invalid_argument, [] { open("hip"); }),
              HasSubstr("use auto, none, cuda or emulated"));
}

TEST(Factory, auto_is_cuda_or_nothing_with_a_reason) {
  const Opened opened = open("auto");
  if (opened.device) {
    EXPECT_EQ(opened.device->kind(), "cuda");
    EXPECT_EQ(open("cuda").device, opened.device);
    return;
  }
  EXPECT_FALSE(opened.text.empty());
  EXPECT_THAT(test::error_text(StatusCode::not_supported, [] { open("cuda"); }), HasSubstr(opened.text));
}

}  // namespace
}  // namespace halyard::device
