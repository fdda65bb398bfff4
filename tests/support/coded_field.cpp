// See coded_field.hpp.
#include "support/coded_field.hpp"

#include <cstring>
#include <sstream>

namespace halyard::test {
namespace {

constexpr std::byte kSentinel{0xA5};

std::int64_t wrapped(std::int64_t v, std::int64_t lo, std::int64_t extent) {
  return lo + ((v - lo) % extent + extent) % extent;
}

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::string text_of(const Index3& v) {
  std::ostringstream text;
  text << "(" << v[0] << ", " << v[1] << ", " << v[2] << ")";
  return text.str();
}

bool has_owner(const BoxHalo& halo, const Index3& cell) {
  std::vector<int> ids;
  halo.cells.append_overlapping({cell, {cell[0] + 1, cell[1] + 1, cell[2] + 1}}, ids);
  return !ids.empty();
}

int axes_outside(const Box& box, const Index3& cell) {
  int count = 0;
  for (std::size_t a = 0; a < 3; ++a) count += cell[a] < box.lo[a] || cell[a] >= box.hi[a] ? 1 : 0;
  return count;
}

}  // namespace

std::shared_ptr<std::byte[]> allocate_plain(std::size_t bytes) {
  return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
}

CodedField::CodedField(const BoxHalo& halo, const LocalPatch& patch, const Storing& storing, int number,
                       const Allocate& allocate)
    : halo_(halo), patch_(patch), number_(number) {
  view_.name = "coded" + std::to_string(number);
  view_.element = storing.element;
  auto step = static_cast<std::int64_t>(storing.element.bytes()) + storing.extra_bytes;
  for (const auto axis : storing.order) {
    view_.origin[axis] = storing.extra_below[axis] + patch.width.lo[axis];
    view_.extent[axis] = view_.origin[axis] + patch.box.extent(axis) + patch.width.hi[axis] + storing.extra_above[axis];
    view_.stride_bytes[axis] = step;
    step *= view_.extent[axis];
  }
  num_bytes_ = static_cast<std::size_t>(step);
  memory_ = allocate(num_bytes_ + 1);
  view_.data = memory_.get();
}

std::byte* CodedField::at(const Index3& relative) const {
  auto* place = static_cast<std::byte*>(view_.data);
  for (std::size_t a = 0; a < 3; ++a) place += (view_.origin[a] + relative[a]) * view_.stride_bytes[a];
  return place;
}

template <class Visit>
void CodedField::for_each_cell(Visit visit) const {
  Index3 cell{};
  for (cell[2] = -view_.origin[2]; cell[2] < view_.extent[2] - view_.origin[2]; ++cell[2])
    for (cell[1] = -view_.origin[1]; cell[1] < view_.extent[1] - view_.origin[1]; ++cell[1])
      for (cell[0] = -view_.origin[0]; cell[0] < view_.extent[0] - view_.origin[0]; ++cell[0]) {
        Index3 global{};
        for (std::size_t a = 0; a < 3; ++a) global[a] = patch_.box.lo[a] + cell[a];
        visit(cell, global);
      }
}

CodedField::Content CodedField::content(const Index3& global, Index3& source) const {
  source = global;
  const int num_outside = axes_outside(patch_.box, global);
  if (num_outside == 0) return Content::own;
  if (patch_.box.empty() || axes_outside(grown(patch_.box, patch_.width), global) != 0) return Content::untouched;
  if (halo_.reach == Reach::faces && num_outside > 1) return Content::untouched;
  const Box& domain = halo_.cells.domain();
  for (std::size_t a = 0; a < 3; ++a)
    if (halo_.periodic[a]) source[a] = wrapped(global[a], domain.lo[a], domain.extent(a));
  if (axes_outside(domain, source) != 0 || !has_owner(halo_, source)) return Content::untouched;
  return Content::ghost;
}

void CodedField::write_code(std::byte* to, const Index3& global, std::uint64_t step) const {
  std::uint64_t code = mix(step + 1) ^ static_cast<std::uint64_t>(number_ + 1) << 56;
  for (std::size_t a = 0; a < 3; ++a) code = mix(code + static_cast<std::uint64_t>(global[a] + 1000003));
  for (std::size_t i = 0; i < view_.element.bytes(); ++i) {
    if (i % 8 == 0 && i > 0) code = mix(code + i);
    to[i] = static_cast<std::byte>(code >> (8 * (i % 8)));
  }
}

void CodedField::fill(std::uint64_t step) {
  std::memset(view_.data, static_cast<int>(kSentinel), num_bytes_);
  for_each_cell([&](const Index3& cell, const Index3& global) {
    Index3 source;
    if (content(global, source) == Content::own) write_code(at(cell), global, step);
  });
}

std::string CodedField::check(std::uint64_t step) const {
  std::string wrong;
  std::vector<std::byte> expected(view_.element.bytes());
  for_each_cell([&](const Index3& cell, const Index3& global) {
    if (!wrong.empty()) return;
    Index3 source;
    const Content what = content(global, source);
    if (what == Content::untouched)
      std::fill(expected.begin(), expected.end(), kSentinel);
    else
      write_code(expected.data(), source, step);
    if (std::memcmp(at(cell), expected.data(), expected.size()) == 0) return;
    const char* kind = what == Content::own     ? "owned cell"
                       : what == Content::ghost ? "ghost"
                                                : "cell that nothing may touch";
    wrong = std::string(kind) + " " + text_of(cell) + " of patch " + std::to_string(patch_.id) + ", field " +
            view_.name + ", global source " + text_of(source) + ", step " + std::to_string(step);
  });
  return wrong;
}

void CodedField::fill_for_reverse(double owned, double value) {
  std::memset(view_.data, static_cast<int>(kSentinel), num_bytes_);
  for_each_cell([&](const Index3& cell, const Index3& global) {
    Index3 source;
    const Content what = content(global, source);
    if (what == Content::own) std::memcpy(at(cell), &owned, sizeof(owned));
    if (what == Content::ghost) std::memcpy(at(cell), &value, sizeof(value));
  });
}

double CodedField::num_ghosts_of(const Index3& global) const {
  double count = 0;
  for (int id = 0; id < halo_.cells.num_patches(); ++id) {
    const Box box = halo_.cells.patch(id).box;
    if (box.empty()) continue;
    const Box reach = grown(box, patch_.width);
    const Box& domain = halo_.cells.domain();
    Index3 low{};
    Index3 high{};
    for (std::size_t a = 0; a < 3; ++a) {
      if (!halo_.periodic[a]) continue;
      low[a] = -(patch_.width.lo[a] / domain.extent(a) + 2);
      high[a] = patch_.width.hi[a] / domain.extent(a) + 2;
    }
    Index3 n{};
    for (n[2] = low[2]; n[2] <= high[2]; ++n[2])
      for (n[1] = low[1]; n[1] <= high[1]; ++n[1])
        for (n[0] = low[0]; n[0] <= high[0]; ++n[0]) {
          Index3 image{};
          for (std::size_t a = 0; a < 3; ++a) image[a] = global[a] + n[a] * domain.extent(a);
          const int outside = axes_outside(box, image);
          if (outside == 0 || axes_outside(reach, image) != 0) continue;
          if (halo_.reach == Reach::faces && outside > 1) continue;
          ++count;
        }
  }
  return count;
}

std::string CodedField::check_reverse_sum(double owned, double value) const {
  std::string wrong;
  for_each_cell([&](const Index3& cell, const Index3& global) {
    Index3 source;
    if (!wrong.empty() || content(global, source) != Content::own) return;
    double got = 0;
    std::memcpy(&got, at(cell), sizeof(got));
    const double expected = owned + value * num_ghosts_of(global);
    if (got != expected)
      wrong = "owned cell " + text_of(cell) + " of patch " + std::to_string(patch_.id) + ": " + std::to_string(got) +
              " instead of " + std::to_string(expected);
  });
  return wrong;
}

}  // namespace halyard::test
