// See numbered.hpp.
#include "pack/device/numbered.hpp"

#include <bit>
#include <cstring>

#include "device/emulated.hpp"

namespace halyard::pack::device {
namespace {

std::uint64_t bits(std::int64_t v) { return static_cast<std::uint64_t>(v); }

bool is_row(const ElementArray& array, const ElementsAt& source, const ElementsAt& target) {
  const std::int64_t scalar = array.scalar_bytes();
  return array.element.count == 1 || (source.component_stride == scalar && target.component_stride == scalar);
}

// The widest unit that all places are multiples of; a scalar where components lie apart.
std::int64_t unit_of(const ElementArray& array, const ElementsAt& source, const ElementsAt& target, std::int64_t most) {
  const bool is_one = is_row(array, source, target);
  std::uint64_t all = bits(is_one ? array.element_bytes() : array.scalar_bytes()) | source.address | target.address |
                      source.slot_bytes | target.slot_bytes | bits(source.stride) | bits(target.stride) | bits(most);
  if (!is_one) all |= bits(source.component_stride) | bits(target.component_stride);
  const std::int64_t unit = std::int64_t{1} << std::countr_zero(all);
  if (!is_one && unit != array.scalar_bytes() && most >= array.scalar_bytes())
    throw Error(StatusCode::invalid_argument,
                "move particles on a GPU: an array whose components lie apart is not aligned to its scalar; align its "
                "address and strides");
  return unit;
}

// The host twin of the copy kernel.
void copy_on_host(const Run& run, const std::uint32_t* count, const halyard::device::EmulatedDevice& device) {
  Run readable = run;
  const auto numbers = [&](const std::int32_t* at) {
    return at == nullptr ? nullptr : reinterpret_cast<const std::int32_t*>(device.host_view(at));
  };
  readable.source_numbers = numbers(run.source_numbers);
  readable.target_numbers = numbers(run.target_numbers);
  const auto* told = count == nullptr ? nullptr : reinterpret_cast<const std::uint32_t*>(device.host_view(count));
  const std::uint32_t num_units = units_of(run, told);
  for (std::uint32_t unit = 0; unit < num_units; ++unit) {
    const UnitPlaces places = places_of(readable, unit);
    std::memcpy(device.host_view(reinterpret_cast<void*>(places.target)),
                device.host_view(reinterpret_cast<void*>(places.source)), run.unit_bytes);
  }
}

Status copy_at_once(halyard::device::Device& device, int ordinal, const NumberedRuns& runs, Stream stream) {
  if (device.kind() != "emulated") return copy_numbered_cuda(runs, stream, ordinal);
  auto& emulated = static_cast<halyard::device::EmulatedDevice&>(device);
  return emulated.enqueue(stream, [runs, &emulated] {
    for (std::uint32_t r = 0; r < runs.num_runs; ++r) copy_on_host(runs.runs[r], runs.count, emulated);
  });
}

}  // namespace

ElementsAt in_array(const ElementArray& array, std::int64_t first, const std::int32_t* numbers) {
  return {array.address + bits(first * array.stride), 0, numbers, array.stride, array.component_stride};
}

ElementsAt in_message(const ElementArray& array, std::uint64_t address, std::uint64_t slot_bytes) {
  return {address, slot_bytes, nullptr, array.element_bytes(), array.scalar_bytes()};
}

Run numbered_run(const ElementArray& array, const ElementsAt& source, const ElementsAt& target, std::int64_t count,
                 std::int64_t most) {
  Run run;
  run.shape = RunShape::numbered;
  run.source = source.address;
  run.target = target.address;
  run.source_slot = source.slot_bytes;
  run.target_slot = target.slot_bytes;
  run.source_numbers = source.numbers;
  run.target_numbers = target.numbers;
  run.source_stride[0] = source.stride;
  run.target_stride[0] = target.stride;
  const std::int64_t unit = unit_of(array, source, target, most);
  const bool is_scalar = unit == array.scalar_bytes();
  run.source_stride[1] = is_scalar ? source.component_stride : unit;
  run.target_stride[1] = is_scalar ? target.component_stride : unit;
  run.unit_bytes = static_cast<std::uint32_t>(unit);
  run.scalar = array.element.scalar;
  run.row = Divisor::of(static_cast<std::uint32_t>(array.element_bytes() / unit));
  if (count * run.row.value > kMaxUnitsPerRun)
    throw Error(StatusCode::not_supported, "move particles on a GPU: more than 2^30 numbers at once; use more ranks");
  run.num_units = static_cast<std::uint32_t>(count * run.row.value);
  return run;
}

Status copy_numbered(halyard::device::Device& device, int ordinal, std::span<const Run> runs, Stream stream,
                     const std::uint32_t* count) {
  NumberedRuns now;
  now.count = count;
  Status status;
  for (std::size_t r = 0; r < runs.size() && status.ok(); ++r) {
    if (runs[r].num_units > 0) now.runs[now.num_runs++] = runs[r];
    if (now.num_runs == 0 || (now.num_runs < NumberedRuns::kMostRuns && r + 1 < runs.size())) continue;
    status = copy_at_once(device, ordinal, now, stream);
    now.num_runs = 0;
  }
  return status;
}

}  // namespace halyard::pack::device
