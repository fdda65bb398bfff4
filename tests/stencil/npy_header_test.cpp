// Heads of NumPy files: the three versions, how Python may write them, and every way to be
// malformed.
#include "io/npy_header.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace halyard::stencil {
namespace {

std::string head(const std::string& dictionary, char major = 1) {
  std::string bytes = std::string("\x93NUMPY") + major + '\0';
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i) bytes += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
  return bytes + dictionary;
}

std::string refusal(const std::string& bytes) {
  try {
    parse_npy_header(bytes);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kGood = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4), }   \n";

TEST(NpyHeader, IsReadInVersionsOneTwoAndThree) {
  for (const char major : {'\x01', '\x02', '\x03'}) {
    const NpyHeader header = parse_npy_header(head(kGood, major) + "data");
    EXPECT_EQ(header.shape, (Index3{2, 3, 4}));
    EXPECT_FALSE(header.is_fortran_order);
    EXPECT_EQ(header.element_bytes, 8U);
    EXPECT_EQ(header.data_at, static_cast<std::int64_t>(head(kGood, major).size()));
  }
}

TEST(NpyHeader, MayHaveItsKeysInAnyOrderAndStyle) {
  const NpyHeader header =
      parse_npy_header(head("{ \"shape\" : (2L,3L,4L) , \"fortran_order\":True,\"descr\":\">f4\"}"));
  EXPECT_EQ(header.shape, (Index3{2, 3, 4}));
  EXPECT_TRUE(header.is_fortran_order);
  EXPECT_TRUE(header.is_big_endian);
  EXPECT_EQ(header.element_bytes, 4U);
}

TEST(NpyHeader, CountsTheBytesOfTheFile) {
  const NpyHeader header = parse_npy_header(head(kGood));
  EXPECT_EQ(header.file_bytes(), header.data_at + 24 * 8);
}

TEST(NpyHeader, ThatIsWrittenIsAlignedAndReadBack) {
  const std::string bytes = format_npy_header({100, 7, 1});
  EXPECT_EQ(bytes.size() % 64, 0U);
  EXPECT_EQ(bytes.back(), '\n');
  const NpyHeader header = parse_npy_header(bytes);
  EXPECT_EQ(header.shape, (Index3{100, 7, 1}));
  EXPECT_TRUE(header.is_fortran_order);
  EXPECT_EQ(header.data_at, static_cast<std::int64_t>(bytes.size()));
}

struct Malformed {
  std::string bytes;
  const char* reason;
};
class MalformedHeads : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedHeads, AreRefusedWithTheReason) {
  const std::string text = refusal(GetParam().bytes);
  EXPECT_NE(text.find(GetParam().reason), std::string::npos) << text;
}

std::string with_shape(const std::string& shape) {
  return head("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "}");
}
std::string with_descr(const std::string& descr) {
  return head("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2, 3, 4)}");
}

INSTANTIATE_TEST_SUITE_P(
    Npy, MalformedHeads,
    testing::Values(Malformed{"", "begin as a NumPy"}, Malformed{"PK\x03\x04 an npz", "begin as a NumPy"},
                    Malformed{"\x93NUMPY", "ends within"}, Malformed{head(kGood).substr(0, 9), "ends within"},
                    Malformed{head(kGood).substr(0, 40), "ends within"}, Malformed{head(kGood, 4), "version is 4.0"},
                    Malformed{std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13), "more than any real one"},
                    Malformed{with_shape("(2, 3)"), "2 dimensions"}, Malformed{with_shape("()"), "0 dimensions"},
                    Malformed{with_shape("(2, 3, 4, 5)"), "4 dimensions"},
                    Malformed{with_shape("(2, 0, 4)"), "no cells"}, Malformed{with_shape("(2, -3, 4)"), "whole number"},
                    Malformed{with_shape("(2, 3, 4"), "','"},
                    Malformed{with_shape("(2147483647, 2147483647, 2147483647)"), "larger than any file"},
                    Malformed{with_shape("(99999999999999999999, 1, 1)"), "whole number"},
                    Malformed{with_descr("'<i4'"), "neither f4 nor f8"}, Malformed{with_descr("'<c16'"), "neither"},
                    Malformed{with_descr("'|O'"), "neither"}, Malformed{with_descr("''"), "neither"},
                    Malformed{with_descr("[('a', '<f8')]"), "records"},
                    Malformed{head("{'descr': '<f8"), "with an end"},
                    Malformed{head("{'descr': '<f8', 'shape': (2, 3, 4)}"), "lacks 'fortran_order'"},
                    Malformed{head("{'descr': '<f8', 'descr': '<f8'}"), "twice"},
                    Malformed{head("{'color': 'red'}"), "unknown key 'color'"}, Malformed{head("{}"), "lacks 'descr'"},
                    Malformed{head("{'fortran_order': Maybe}"), "True or False"},
                    Malformed{head(kGood + "x"), "followed by"}, Malformed{head("descr"), "'{'"}));

}  // namespace
}  // namespace halyard::stencil
