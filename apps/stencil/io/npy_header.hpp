// NpyHeader: what the head of a NumPy file says, and the text that says it.
//
// Format: numpy.lib.format, versions 1.0, 2.0 and 3.0: magic, version, length of a Python
// dictionary, dictionary, data. Pure functions on bytes; no file is opened here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/box.hpp"

namespace halyard::stencil {

struct NpyHeader {
  std::size_t element_bytes = 8;  // 4 or 8, IEEE floating point
  bool is_big_endian = false;
  bool is_fortran_order = true;  // first index varies fastest
  Index3 shape{0, 0, 0};
  std::int64_t data_at = 0;  // bytes from the start of the file

  std::int64_t num_cells() const { return shape[0] * shape[1] * shape[2]; }
  std::int64_t file_bytes() const { return data_at + num_cells() * static_cast<std::int64_t>(element_bytes); }
};

/// The longest head that is read; NumPy itself refuses more than 10,000 bytes of dictionary.
inline constexpr std::size_t kMaxNpyHead = 65536;

/// Reads a head from the first bytes of a file. Throws std::invalid_argument that says what is
/// wrong with it; the caller names the file.
NpyHeader parse_npy_header(std::string_view head);

/// The head of a version 1.0 file of little-endian doubles in Fortran order; a multiple of 64
/// bytes.
std::string format_npy_header(const Index3& shape);

}  // namespace halyard::stencil
