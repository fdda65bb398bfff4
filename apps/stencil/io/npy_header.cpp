// Checks each part of the head in the order in which it lies in the file.
#include "io/npy_header.hpp"

#include <limits>
#include <set>
#include <stdexcept>

#include "io/python_literal.hpp"

namespace halyard::stencil {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionEnd = 8;

[[noreturn]] void fail(const std::string& what) { throw std::invalid_argument(what); }

/// Little-endian length of the dictionary: two bytes in version 1, four from version 2 on.
std::size_t dictionary_length(std::string_view head, std::size_t length_bytes) {
  if (head.size() < kVersionEnd + length_bytes) fail("it ends within its head");
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(head[kVersionEnd + i]);
  return length;
}

void read_descr(NpyHeader& header, PythonLiteral& literal) {
  if (literal.next() != '\'' && literal.next() != '"')
    fail("its elements are records; convert it with numpy.ascontiguousarray(a['field'])");
  const std::string descr = literal.take_string();
  const std::string type = descr.empty() ? "" : descr.substr(1);
  const bool has_order = !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
  if (!has_order || descr[0] == '|' || (type != "f4" && type != "f8"))
    fail("its elements are '" + descr + "', neither f4 nor f8; convert it with a.astype('f8')");
  header.is_big_endian = descr[0] == '>';
  header.element_bytes = type == "f4" ? 4 : 8;
}

void read_shape(NpyHeader& header, PythonLiteral& literal) {
  const std::vector<std::int64_t> shape = literal.take_numbers();
  if (shape.size() != 3) fail("it has " + std::to_string(shape.size()) + " dimensions; 3 are needed, a[x, y, z]");
  for (std::size_t a = 0; a < 3; ++a) header.shape[a] = shape[a];
  std::int64_t room = std::numeric_limits<std::int64_t>::max() / 16;
  for (const std::int64_t n : shape) {
    if (n == 0) fail("it has no cells");
    if (n > std::numeric_limits<std::int32_t>::max() || n > room) fail("its shape is larger than any file");
    room /= n;
  }
}

void read_dictionary(NpyHeader& header, std::string_view text) {
  PythonLiteral literal(text);
  std::set<std::string> seen;
  literal.take('{');
  while (!literal.takes('}')) {
    const std::string key = literal.take_string();
    literal.take(':');
    if (!seen.insert(key).second) fail("its dictionary has '" + key + "' twice");
    if (key == "descr")
      read_descr(header, literal);
    else if (key == "fortran_order")
      header.is_fortran_order = literal.take_bool();
    else if (key == "shape")
      read_shape(header, literal);
    else
      fail("its dictionary has the unknown key '" + key + "'");
    if (literal.takes('}')) break;
    literal.take(',');
  }
  if (!literal.at_end()) fail("its dictionary is followed by something else");
  for (const char* key : {"descr", "fortran_order", "shape"})
    if (!seen.contains(key)) fail(std::string("its dictionary lacks '") + key + "'");
}

}  // namespace

NpyHeader parse_npy_header(std::string_view head) {
  if (head.substr(0, kMagic.size()) != kMagic) fail("it does not begin as a NumPy file (\\x93NUMPY)");
  if (head.size() < kVersionEnd) fail("it ends within its head");
  const int major = static_cast<unsigned char>(head[6]);
  const int minor = static_cast<unsigned char>(head[7]);
  if (major < 1 || major > 3 || minor != 0)
    fail("its format version is " + std::to_string(major) + "." + std::to_string(minor) +
         "; 1.0, 2.0 and 3.0 are read");
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t length = dictionary_length(head, length_bytes);
  const std::size_t begin = kVersionEnd + length_bytes;
  if (length > kMaxNpyHead - begin)
    fail("its head claims " + std::to_string(length) + " bytes, more than any real one");
  if (head.size() < begin + length) fail("it ends within its head");
  NpyHeader header;
  header.data_at = static_cast<std::int64_t>(begin + length);
  read_dictionary(header, head.substr(begin, length));
  return header;
}

std::string format_npy_header(const Index3& shape) {
  std::string text = "{'descr': '<f8', 'fortran_order': True, 'shape': (";
  for (std::size_t a = 0; a < 3; ++a) text += std::to_string(shape[a]) + (a < 2 ? ", " : "), }");
  const std::size_t begin = kVersionEnd + 2;
  while ((begin + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string head(kMagic);
  head += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return head + text;
}

}  // namespace halyard::stencil
