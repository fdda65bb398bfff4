// Rows along the file's fastest axis are read and written whole; where the box spans that axis, a
// whole plane at once.
#include "io/npy.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace halyard::stencil {
namespace {

static_assert(std::endian::native == std::endian::little, "files are written in the machine's own order");

/// An open file to read from; closed when dropped.
class Source {
 public:
  explicit Source(const std::string& path) : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fail(std::generic_category().message(errno) + "; name a NumPy file that all ranks can read");
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    if (fd_ >= 0) close(fd_);
  }

  [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error("read " + path_ + ": " + what); }

  std::int64_t regular_size() const {
    struct stat found {};
    if (fstat(fd_, &found) != 0) fail(std::generic_category().message(errno));
    if (!S_ISREG(found.st_mode)) fail("it is not a regular file; name a NumPy file");
    return found.st_size;
  }

  /// Reads up to `bytes`, fewer only at the end of the file.
  std::size_t read_some(std::int64_t offset, char* to, std::size_t bytes) const {
    std::size_t done = 0;
    while (done < bytes) {
      const ssize_t got = pread(fd_, to + done, bytes - done, offset + static_cast<std::int64_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(std::generic_category().message(errno));
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  std::string path_;
  int fd_;
};

/// The axes of a file from the fastest to the slowest, and distances between elements.
struct FileOrder {
  std::array<std::size_t, 3> axes;
  Index3 stride;  // in elements, by axis

  FileOrder(const Index3& shape, bool is_fortran_order) : axes{0, 1, 2} {
    if (!is_fortran_order) axes = {2, 1, 0};
    stride[axes[0]] = 1;
    stride[axes[1]] = shape[axes[0]];
    stride[axes[2]] = shape[axes[0]] * shape[axes[1]];
  }
  std::int64_t index(const Index3& cell) const {
    return cell[0] * stride[0] + cell[1] * stride[1] + cell[2] * stride[2];
  }
};

/// Visits the longest contiguous runs of `box` in the file: visit(first cell, rows in the run).
template <class Visit>
void for_each_run(const Box& box, const Index3& shape, const FileOrder& order, Visit&& visit) {
  const auto [fast, mid, slow] = order.axes;
  const bool is_plane = box.extent(fast) == shape[fast];
  const std::int64_t rows = is_plane ? box.extent(mid) : 1;
  if (box.empty()) return;
  Index3 cell = box.lo;
  for (cell[slow] = box.lo[slow]; cell[slow] < box.hi[slow]; ++cell[slow])
    for (cell[mid] = box.lo[mid]; cell[mid] < box.hi[mid]; cell[mid] += rows) visit(cell, rows);
}

template <class Bits>
Bits swapped(Bits bits) {
  auto* bytes = reinterpret_cast<unsigned char*>(&bits);
  std::reverse(bytes, bytes + sizeof(bits));
  return bits;
}

double decode(const char* from, const NpyHeader& header) {
  if (header.element_bytes == 4) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, from, 4);
    return std::bit_cast<float>(header.is_big_endian ? swapped(bits) : bits);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, 8);
  return std::bit_cast<double>(header.is_big_endian ? swapped(bits) : bits);
}

Index3 minus(const Index3& a, const Index3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

}  // namespace

NpyHeader inspect_npy(const std::string& path) {
  const Source source(path);
  const std::int64_t size = source.regular_size();
  std::string head(kMaxNpyHead, '\0');
  head.resize(source.read_some(0, head.data(), head.size()));
  NpyHeader header;
  try {
    header = parse_npy_header(head);
  } catch (const std::invalid_argument& error) {
    source.fail(std::string(error.what()));
  }
  if (size < header.file_bytes())
    source.fail("it has " + std::to_string(size) + " bytes where its head promises " +
                std::to_string(header.file_bytes()) + "; it was cut off, write it again");
  return header;
}

void read_npy(const std::string& path, const NpyHeader& header, const Box& box, const Block& block) {
  const Source source(path);
  const FileOrder order(header.shape, header.is_fortran_order);
  const auto [fast, mid, slow] = order.axes;
  const auto bytes = static_cast<std::int64_t>(header.element_bytes);
  std::vector<char> buffer;
  for_each_run(box, header.shape, order, [&](const Index3& cell, std::int64_t rows) {
    const std::int64_t length = box.extent(fast);
    buffer.resize(static_cast<std::size_t>(rows * length * bytes));
    if (source.read_some(header.data_at + order.index(cell) * bytes, buffer.data(), buffer.size()) != buffer.size())
      source.fail("it ends before its last cell; it was cut off while it was read");
    double* const first = block.at(minus(cell, box.lo));
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t i = 0; i < length; ++i)
        first[row * block.stride(mid) + i * block.stride(fast)] =
            decode(&buffer[static_cast<std::size_t>((row * length + i) * bytes)], header);
  });
}

void write_npy_header(app::StagedFile& file, const Index3& cells) { file.write(format_npy_header(cells)); }

void write_npy_part(const app::StagedFile& file, const Index3& cells, const Box& box, const Block& block) {
  const auto data_at = static_cast<std::int64_t>(format_npy_header(cells).size());
  const FileOrder order(cells, true);
  std::vector<double> buffer;
  for_each_run(box, cells, order, [&](const Index3& cell, std::int64_t rows) {
    const std::int64_t length = box.extent(0);
    buffer.resize(static_cast<std::size_t>(rows * length));
    const double* const first = block.at(minus(cell, box.lo));
    for (std::int64_t row = 0; row < rows; ++row)
      std::copy_n(first + row * block.stride_y, length, buffer.begin() + row * length);
    file.write_at(data_at + order.index(cell) * static_cast<std::int64_t>(sizeof(double)),
                  std::as_bytes(std::span(buffer)));
  });
}

}  // namespace halyard::stencil
