// numbered: runs between elements of arrays by number: particles in GPU memory. Pure but for copy_numbered, which
// enqueues launches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

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

/// Enqueues copies of runs without slots or packets on a stream of GPU `ordinal`: one launch for each kMostRuns of
/// them. `count`, if any, is GPU memory that says how many elements of each run to copy; no more than the run has are.
/// Runs of one call must not read what others of it write. Nothing is waited for.
Status copy_numbered(halyard::device::Device& device, int ordinal, std::span<const Run> runs, Stream stream,
                     const std::uint32_t* count = nullptr);

/// What one launch copies.
struct NumberedRuns {
  static constexpr std::size_t kMostRuns = 8;
  Run runs[kMostRuns];
  std::uint32_t num_runs = 0;
  const std::uint32_t* count = nullptr;
};

/// Units of a run, given how many elements there are.
constexpr std::uint32_t units_of(const Run& run, const std::uint32_t* count) {
  if (count == nullptr) return run.num_units;
  const std::uint64_t units = std::uint64_t{*count} * run.row.value;
  return units < run.num_units ? static_cast<std::uint32_t>(units) : run.num_units;
}

/// The CUDA kernel; refuses in a build without CUDA.
Status copy_numbered_cuda(const NumberedRuns& runs, Stream stream, int ordinal);

}  // namespace halyard::pack::device
