// Codes in and out of the bench's arrays; see fields.hpp.
#include "halo/fields.hpp"

#include <algorithm>
#include <new>

namespace halyard::bench {
namespace {

constexpr double kUnset = -1.0;
constexpr std::size_t kAlignment = 64;

}  // namespace

FieldSet::FieldSet(const Geometry& geometry, std::vector<double*> arrays)
    : geometry_(geometry), arrays_(std::move(arrays)) {}

void FieldSet::fill(int epoch) {
  const std::int64_t m = geometry_.extent();
  const std::int64_t w = geometry_.bench_case.width;
  const AxisCodes x_codes = axis_codes(0, GhostSource::owner);
  const AxisCodes y_codes = axis_codes(1, GhostSource::owner);
  const AxisCodes z_codes = axis_codes(2, GhostSource::owner);
  for (std::size_t f = 0; f < arrays_.size(); ++f) {
    std::fill_n(arrays_[f], m * m * m, kUnset);
    const double first = first_code(epoch, f);
    for (std::int64_t z = w; z < m - w; ++z)
      for (std::int64_t y = w; y < m - w; ++y)
        for (std::int64_t x = w; x < m - w; ++x)
          arrays_[f][x + m * (y + m * z)] =
              first + static_cast<double>(x_codes[static_cast<std::size_t>(x)] + y_codes[static_cast<std::size_t>(y)] +
                                          z_codes[static_cast<std::size_t>(z)]);
  }
}

std::int64_t FieldSet::num_wrong(int epoch, GhostSource source) const {
  const std::size_t m = static_cast<std::size_t>(geometry_.extent());
  const AxisCodes x_codes = axis_codes(0, source);
  const AxisCodes y_codes = axis_codes(1, source);
  const AxisCodes z_codes = axis_codes(2, source);
  std::int64_t wrong = 0;
  for (std::size_t f = 0; f < arrays_.size(); ++f) {
    const double* cell = arrays_[f];
    const double first = first_code(epoch, f);
    for (std::size_t z = 0; z < m; ++z)
      for (std::size_t y = 0; y < m; ++y)
        for (std::size_t x = 0; x < m; ++x)
          wrong += *cell++ != first + static_cast<double>(x_codes[x] + y_codes[y] + z_codes[z]) ? 1 : 0;
  }
  return wrong;
}

void FieldSet::touch() {
  const std::int64_t m = geometry_.extent();
  const std::int64_t w = geometry_.bench_case.width;
  for (double* array : arrays_)
    for (std::int64_t z = w; z < m - w; ++z)
      for (std::int64_t y = w; y < m - w; ++y) {
        double* row = array + w + m * (y + m * z);
        for (std::int64_t x = 0; x < m - 2 * w; ++x) row[x] += 0.0;
      }
}

FieldSet::AxisCodes FieldSet::axis_codes(std::size_t axis, GhostSource source) const {
  const std::int64_t n = geometry_.bench_case.cells;
  const std::int64_t first = n * geometry_.coordinates()[axis];
  std::int64_t step = 1;
  for (std::size_t a = 0; a < axis; ++a) step *= n * geometry_.ranks[a];
  AxisCodes codes;
  for (std::int64_t i = -geometry_.bench_case.width; i < n + geometry_.bench_case.width; ++i) {
    const std::int64_t global_extent = n * geometry_.ranks[axis];
    const std::int64_t global =
        source == GhostSource::own ? first + (i + n) % n : (first + i + global_extent) % global_extent;
    codes.push_back(step * global);
  }
  return codes;
}

double FieldSet::first_code(int epoch, std::size_t field) const {
  const std::int64_t n = geometry_.bench_case.cells;
  const std::int64_t cells = n * n * n * geometry_.ranks[0] * geometry_.ranks[1] * geometry_.ranks[2];
  return static_cast<double>(cells * (epoch * geometry_.bench_case.fields + static_cast<std::int64_t>(field)));
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
