// See field.hpp.
#include "gpu/cuda/field.hpp"

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "gpu/cuda/check.hpp"

namespace halyard::stencil::gpu {
namespace {

std::size_t bytes_of(const Index3& extent) {
  return sizeof(double) * static_cast<std::size_t>(extent[0] * extent[1] * extent[2]);
}

void check_fits(std::size_t bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  check("ask for the free memory of a GPU", cudaMemGetInfo(&free, &total));
  if (2 * bytes <= total) return;
  throw std::runtime_error("allocate two fields of " + std::to_string(bytes >> 20) + " MiB each: this GPU has " +
                           std::to_string(total >> 20) + " MiB of memory; use fewer --cells or more ranks and GPUs");
}

Array allocate(const Index3& all) {
  check_fits(bytes_of(all));
  return Array("u", static_cast<std::size_t>(all[0]), static_cast<std::size_t>(all[1]),
               static_cast<std::size_t>(all[2]));
}

}  // namespace

Field::Field(const Index3& owned, const Width& width)
    : owned_(owned), width_(width), array_(allocate(grown(Box::of_extent(owned), width).extents())) {}

FieldView Field::view() const { return FieldView::grid(array_.data(), owned_, width_, Storage::x_fastest, "u"); }

HostCopy::HostCopy(const Array& array, const Index3& owned, const Width& width)
    : values_(Kokkos::create_mirror_view(array)) {
  const auto sy = static_cast<std::int64_t>(values_.extent(0));
  const auto sz = sy * static_cast<std::int64_t>(values_.extent(1));
  block_ = {values_.data() + width.lo[0] + sy * width.lo[1] + sz * width.lo[2], owned, sy, sz};
}

}  // namespace halyard::stencil::gpu
