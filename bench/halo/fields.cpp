// Codes in and out of arrays in host memory; see fields.hpp.
#include "halo/fields.hpp"

#include <algorithm>
#include <new>

namespace halyard::bench {
namespace {

constexpr std::size_t kAlignment = 64;

}  // namespace

FieldSet::FieldSet(const Geometry& geometry, std::vector<double*> arrays)
    : geometry_(geometry), arrays_(std::move(arrays)) {}

void FieldSet::fill(int epoch) {
  const Codes codes(geometry_, epoch, GhostSource::owner);
  const Index3 m = geometry_.extents();
  const Index3 w = geometry_.widths();
  for (std::size_t f = 0; f < arrays_.size(); ++f) {
    std::fill_n(arrays_[f], geometry_.array_cells(), kUnsetCell);
    for (std::int64_t z = w[2]; z < m[2] - w[2]; ++z)
      for (std::int64_t y = w[1]; y < m[1] - w[1]; ++y)
        for (std::int64_t x = w[0]; x < m[0] - w[0]; ++x) arrays_[f][x + m[0] * (y + m[1] * z)] = codes.at(f, x, y, z);
  }
}

std::int64_t FieldSet::num_wrong(int epoch, GhostSource source) const {
  const Codes codes(geometry_, epoch, source);
  const Index3 m = geometry_.extents();
  std::int64_t wrong = 0;
  for (std::size_t f = 0; f < arrays_.size(); ++f) {
    const double* cell = arrays_[f];
    for (std::int64_t z = 0; z < m[2]; ++z)
      for (std::int64_t y = 0; y < m[1]; ++y)
        for (std::int64_t x = 0; x < m[0]; ++x) wrong += *cell++ != codes.at(f, x, y, z) ? 1 : 0;
  }
  return wrong;
}

void FieldSet::touch() {
  const Index3 m = geometry_.extents();
  const Index3 w = geometry_.widths();
  for (double* array : arrays_)
    for (std::int64_t z = w[2]; z < m[2] - w[2]; ++z)
      for (std::int64_t y = w[1]; y < m[1] - w[1]; ++y) {
        double* row = array + w[0] + m[0] * (y + m[1] * z);
        for (std::int64_t x = 0; x < m[0] - 2 * w[0]; ++x) row[x] += 0.0;
      }
}

PlainMemory::PlainMemory(const Geometry& geometry) {
  for (int f = 0; f < geometry.bench_case.fields; ++f) {
    memory_.emplace_back(static_cast<double*>(std::aligned_alloc(kAlignment, array_bytes(geometry))));
    if (!memory_.back()) throw std::bad_alloc();
  }
}

std::vector<double*> PlainMemory::arrays() const {
  std::vector<double*> arrays;
  for (const auto& memory : memory_) arrays.push_back(memory.get());
  return arrays;
}

std::size_t array_bytes(const Geometry& geometry) {
  const std::size_t bytes = static_cast<std::size_t>(geometry.array_cells()) * sizeof(double);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace halyard::bench
