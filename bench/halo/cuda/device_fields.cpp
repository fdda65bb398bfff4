// Codes in and out of GPU memory; see device_fields.hpp.
#include "halo/cuda/device_fields.hpp"

#include <algorithm>

#include "halo/cuda/copies.hpp"

namespace halyard::bench {
namespace {

std::size_t largest_box(const Geometry& geometry) {
  std::int64_t most = 1;
  for (const Halo& halo : geometry.halos) most = std::max({most, halo.border.num_cells(), halo.ghosts.num_cells()});
  return static_cast<std::size_t>(most);
}

template <class Visit>
void for_each_cell(const Box& box, Visit&& visit) {
  for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z)
    for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y)
      for (std::int64_t x = box.lo[0]; x < box.hi[0]; ++x) visit(x, y, z);
}

std::size_t bytes_of(const Box& box) { return static_cast<std::size_t>(box.num_cells()) * sizeof(double); }

}  // namespace

DeviceFieldSet::DeviceFieldSet(const Geometry& geometry, cudaStream_t stream)
    : DeviceFieldMemory(geometry),
      FieldSet(geometry, {memory.get()}),
      stream_(stream),
      largest_box_(largest_box(geometry)),
      packed_(allocate_device<double>(largest_box_)),
      host_(allocate_pinned<double>(largest_box_)) {}

void DeviceFieldSet::fill(int epoch) {
  const Codes codes(geometry(), epoch, GhostSource::owner);
  for (const Halo& halo : geometry().halos) {
    double* cell = host_.get();
    for_each_cell(halo.border, [&](auto x, auto y, auto z) { *cell++ = codes.at(0, x, y, z); });
    upload(halo.border);
    std::fill_n(host_.get(), halo.ghosts.num_cells(), kUnsetCell);
    upload(halo.ghosts);
  }
}

std::int64_t DeviceFieldSet::num_wrong(int epoch, GhostSource source) const {
  const Codes codes(geometry(), epoch, source);
  std::int64_t wrong = 0;
  for (const Halo& halo : geometry().halos)
    wrong += num_wrong_in(halo.ghosts, codes) + num_wrong_in(halo.border, codes);
  return wrong;
}

std::int64_t DeviceFieldSet::num_wrong_in(const Box& box, const Codes& codes) const {
  download(box);
  const double* cell = host_.get();
  std::int64_t wrong = 0;
  for_each_cell(box, [&](auto x, auto y, auto z) { wrong += *cell++ != codes.at(0, x, y, z) ? 1 : 0; });
  return wrong;
}

void DeviceFieldSet::upload(const Box& box) {
  check_cuda(cudaMemcpyAsync(packed_.get(), host_.get(), bytes_of(box), cudaMemcpyHostToDevice, stream_), "upload");
  launch_plain_copy(packed(packed_.get(), box), box_of(memory.get(), geometry().extents(), box), box.extents(),
                    stream_);
  check_cuda(cudaStreamSynchronize(stream_), "fill of a box");
}

void DeviceFieldSet::download(const Box& box) const {
  launch_plain_copy(box_of(memory.get(), geometry().extents(), box), packed(packed_.get(), box), box.extents(),
                    stream_);
  check_cuda(cudaMemcpyAsync(host_.get(), packed_.get(), bytes_of(box), cudaMemcpyDeviceToHost, stream_), "download");
  check_cuda(cudaStreamSynchronize(stream_), "check of a box");
}

}  // namespace halyard::bench
