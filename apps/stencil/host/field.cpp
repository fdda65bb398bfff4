// Allocates a field. A request that this machine can never hold is refused before the first page is
// touched.
#include "host/field.hpp"

#include <unistd.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace halyard::stencil {
namespace {

std::size_t bytes_of(const Index3& extent) {
  return sizeof(double) * static_cast<std::size_t>(extent[0] * extent[1] * extent[2]);
}

void check_fits(std::size_t bytes) {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return;
  const std::size_t memory = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  if (2 * bytes <= memory) return;
  throw std::runtime_error("allocate two fields of " + std::to_string(bytes >> 20) + " MiB each: this machine has " +
                           std::to_string(memory >> 20) + " MiB of memory; use fewer --cells or more ranks");
}

Index3 with_ghosts(const Index3& owned, const Width& width) { return grown(Box::of_extent(owned), width).extents(); }

}  // namespace

Field::Field(Context& context, Memory memory, const Index3& owned, const Width& width) : owned_(owned), width_(width) {
  const Index3 all = with_ghosts(owned, width);
  check_fits(bytes_of(all));
  const auto nx = static_cast<std::size_t>(all[0]);
  const auto ny = static_cast<std::size_t>(all[1]);
  const auto nz = static_cast<std::size_t>(all[2]);
  if (memory == Memory::user) {
    managed_ = Managed("u", nx, ny, nz);
    array_ = managed_;
  } else {
    allocated_ = {context.allocate(bytes_of(all)), [&context](void* p) { context.deallocate(p); }};
    array_ = Array(static_cast<double*>(allocated_.get()), nx, ny, nz);
  }
  Kokkos::deep_copy(array_, 0.0);
}

FieldView Field::view() const { return FieldView::grid(array_.data(), owned_, width_, Storage::x_fastest, "u"); }

Block Field::block() const {
  Block block{array_.data(), owned_, static_cast<std::int64_t>(array_.extent(0)), 0};
  block.stride_z = block.stride_y * static_cast<std::int64_t>(array_.extent(1));
  block.first += width_.lo[0] + block.stride_y * width_.lo[1] + block.stride_z * width_.lo[2];
  return block;
}

}  // namespace halyard::stencil
