// numbered: runs between elements of arrays by number: particles in GPU memory. Pure but for copy_numbered, which
// enqueues one launch.
#pragma once

#include <cstdint>
#include <optional>

#include "device/device.hpp"
#include "pack/device/tables.hpp"

namespace halyard::pack::device {

/// An array of elements whose components lie anywhere, at device addresses.
struct ElementArray {
  std::uint64_t address = 0;  // component 0 of element 0
  std::int64_t stride = 0;
  std::int64_t component_stride = 0;
  ElementType element;
  std::optional<std::size_t> first_axis = {};  // of positions: component c lies on axis first_axis + c

  std::int64_t scalar_bytes() const { return static_cast<std::int64_t>(bytes_of(element.scalar)); }
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(element.bytes()); }
};

/// One end of a run: elements `numbers` of an array, or its first ones (null).
struct ElementsAt {
  std::uint64_t address = 0;
  std::uint64_t slot_bytes = 0;
  const std::int32_t* numbers = nullptr;
  std::int64_t stride = 0;
  std::int64_t component_stride = 0;
};

/// Elements from `first` on.
ElementsAt in_array(const ElementArray& array, std::int64_t first, const std::int32_t* numbers = nullptr);
/// The same elements, one after the other.
ElementsAt in_message(const ElementArray& array, std::uint64_t address, std::uint64_t slot_bytes = 0);

/// `count` elements in units of at most `most` bytes. Throws Error(invalid_argument) when components lie apart and are
/// not aligned to their scalar.
Run numbered_run(const ElementArray& array, const ElementsAt& source, const ElementsAt& target, std::int64_t count,
                 std::int64_t most);

/// Enqueues the copy of one run without slots or packets on a stream of GPU `ordinal`. Nothing is waited for.
Status copy_numbered(halyard::device::Device& device, int ordinal, const Run& run, Stream stream);

/// The CUDA kernel; refuses in a build without CUDA.
Status copy_numbered_cuda(const Run& run, Stream stream, int ordinal);

}  // namespace halyard::pack::device
