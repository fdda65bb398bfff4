// NumPy files: parts of an array in either order and any element type, files that are cut off,
// files written in parts.
#include "io/npy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

namespace halyard::stencil {
namespace {

constexpr Index3 kShape{5, 4, 3};

double code(const Index3& cell) { return 1 + static_cast<double>(cell[0] + 10 * cell[1] + 100 * cell[2]); }

struct Kind {
  std::size_t element_bytes;
  bool is_big_endian;
  bool is_fortran_order;
};

std::string encoded(double value, const Kind& kind) {
  std::string bytes(kind.element_bytes, '\0');
  const auto single = static_cast<float>(value);
  std::memcpy(bytes.data(), kind.element_bytes == 4 ? static_cast<const void*>(&single) : &value, kind.element_bytes);
  if (kind.is_big_endian) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

std::string file_bytes(const Kind& kind) {
  std::string dictionary =
      std::string("{'descr': '") + (kind.is_big_endian ? ">" : "<") + "f" + std::to_string(kind.element_bytes) +
      "', 'fortran_order': " + (kind.is_fortran_order ? "True" : "False") + ", 'shape': (5, 4, 3)}";
  std::string bytes = std::string("\x93NUMPY\x01") + '\0' + static_cast<char>(dictionary.size()) + '\0';
  bytes += dictionary;
  for (std::int64_t i = 0; i < 60; ++i) {
    const Index3 cell = kind.is_fortran_order ? Index3{i % 5, i / 5 % 4, i / 20} : Index3{i / 12, i / 3 % 4, i % 3};
    bytes += encoded(code(cell), kind);
  }
  return bytes;
}

class Npy : public testing::Test {
 protected:
  void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  ~Npy() override { unlink(path_.c_str()); }

  std::string path_ = testing::TempDir() + "halyard_npy_test_" + std::to_string(getpid()) + ".npy";
};

/// Reads `box` into a block with ghosts of 99 around it, and checks every double.
void expect_part(const std::string& path, const Box& box) {
  const Index3 n = box.extents();
  std::vector<double> memory(static_cast<std::size_t>((n[0] + 2) * (n[1] + 2) * (n[2] + 2)), 99.0);
  const std::int64_t sy = n[0] + 2;
  const std::int64_t sz = sy * (n[1] + 2);
  const Block block{memory.data() + 1 + sy + sz, n, sy, sz};
  read_npy(path, inspect_npy(path), box, block);
  std::size_t num_ghosts = 0;
  for (const double value : memory) num_ghosts += value == 99.0;
  EXPECT_EQ(num_ghosts, memory.size() - static_cast<std::size_t>(box.num_cells()));
  for (std::int64_t i = 0; i < box.num_cells(); ++i) {
    const Index3 at{i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
    EXPECT_EQ(*block.at(at), code({box.lo[0] + at[0], box.lo[1] + at[1], box.lo[2] + at[2]}));
  }
}

TEST_F(Npy, PartsAreReadInBothOrdersBothSizesAndBothEndiannesses) {
  for (int bits = 0; bits < 8; ++bits) {
    write(file_bytes({(bits & 1) ? 4U : 8U, (bits & 2) != 0, (bits & 4) != 0}));
    expect_part(path_, Box::of_extent(kShape));
    expect_part(path_, {{1, 2, 1}, {3, 4, 2}});
    expect_part(path_, {{0, 1, 0}, {5, 3, 3}});
    expect_part(path_, {{2, 0, 0}, {3, 4, 3}});
  }
}

TEST_F(Npy, AnEmptyPartReadsNothing) {
  write(file_bytes({8, false, true}));
  read_npy(path_, inspect_npy(path_), {{1, 1, 1}, {1, 3, 3}}, {});
}

std::string refusal(const std::string& path) {
  try {
    inspect_npy(path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST_F(Npy, AMissingFileAFolderAndACutOffFileAreRefusedByName) {
  EXPECT_NE(refusal(path_).find(path_ + ": No such file"), std::string::npos) << refusal(path_);
  EXPECT_NE(refusal("/tmp").find("not a regular file"), std::string::npos) << refusal("/tmp");
  const std::string bytes = file_bytes({8, false, false});
  write(bytes.substr(0, bytes.size() - 1));
  EXPECT_NE(refusal(path_).find("cut off"), std::string::npos) << refusal(path_);
  write("not numpy");
  EXPECT_NE(refusal(path_).find(path_ + ": it does not begin"), std::string::npos) << refusal(path_);
}

TEST_F(Npy, AFileThatShrinksWhileItIsReadIsReported) {
  const std::string bytes = file_bytes({8, false, true});
  write(bytes);
  const NpyHeader header = inspect_npy(path_);
  write(bytes.substr(0, bytes.size() - 8));
  std::vector<double> memory(60);
  EXPECT_THROW(read_npy(path_, header, Box::of_extent(kShape), {memory.data(), kShape, 5, 20}), std::runtime_error);
}

TEST_F(Npy, PartsThatAreWrittenMakeOneFileThatReadsBack) {
  {
    app::StagedFile file = app::StagedFile::create(path_);
    write_npy_header(file, kShape);
    const app::StagedFile other = app::StagedFile::join(path_);
    for (const Box& box : {Box{{0, 0, 0}, {2, 4, 3}}, Box{{2, 0, 0}, {5, 4, 1}}, Box{{2, 0, 1}, {5, 4, 3}}}) {
      const Index3 n = box.extents();
      std::vector<double> memory(static_cast<std::size_t>(box.num_cells()));
      const Block block{memory.data(), n, n[0], n[0] * n[1]};
      for (std::int64_t i = 0; i < box.num_cells(); ++i)
        memory[static_cast<std::size_t>(i)] =
            code({box.lo[0] + i % n[0], box.lo[1] + i / n[0] % n[1], box.lo[2] + i / (n[0] * n[1])});
      write_npy_part(other, kShape, box, block);
    }
    EXPECT_NE(access(path_.c_str(), F_OK), 0) << "seen before it was whole";
    file.commit();
  }
  expect_part(path_, Box::of_extent(kShape));
}

}  // namespace
}  // namespace halyard::stencil
