#include "device/exported.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/error_text.hpp"

namespace halyard::device {
namespace {

using ::testing::HasSubstr;

Exported example() {
  Exported exported;
  exported.process = {7, 8, 9};
  exported.uuid[3] = std::byte{5};
  exported.buffer_id = 11;
  exported.base = 0x7000;
  exported.bytes = 100;
  exported.offset = 99;
  exported.handle[0] = 'h';
  return exported;
}

TEST(Exported, comes_back_as_it_was_written) {
  const Exported read = decode("cuda", encode("cuda", example()));
  EXPECT_EQ(read.process, example().process);
  EXPECT_EQ(read.uuid, example().uuid);
  EXPECT_EQ(read.buffer_id, 11u);
  EXPECT_EQ(read.base, 0x7000u);
  EXPECT_EQ(read.bytes, 100u);
  EXPECT_EQ(read.offset, 99u);
  EXPECT_EQ(read.handle, example().handle);
}

TEST(Exported, of_the_other_twin_is_refused) {
  const auto text =
      test::error_text(StatusCode::invalid_argument, [] { decode("emulated", encode("cuda", example())); });
  EXPECT_THAT(text, HasSubstr("it is of kind cuda, this process uses emulated"));
}

TEST(Exported, cut_short_or_overwritten_is_refused) {
  auto bytes = encode("cuda", example());
  bytes[0] = std::byte{0};
  EXPECT_THAT(test::error_text(StatusCode::invalid_argument, [&] { decode("cuda", bytes); }),
              HasSubstr("does not begin as it should"));
  bytes.pop_back();
  EXPECT_THAT(test::error_text(StatusCode::invalid_argument, [&] { decode("cuda", bytes); }),
              HasSubstr("bytes instead"));
}

TEST(Exported, with_an_offset_behind_its_end_is_refused) {
  Exported wrong = example();
  wrong.offset = wrong.bytes;
  EXPECT_THAT(test::error_text(StatusCode::invalid_argument, [&] { decode("cuda", encode("cuda", wrong)); }),
              HasSubstr("outside its allocation"));
}

}  // namespace
}  // namespace halyard::device
