// See blocks.hpp.
#include "particles/blocks/blocks.hpp"

#include <cmath>
#include <limits>

#include "particles/blocks/loops.hpp"
#include "particles/blocks/wide.hpp"

namespace halyard::particles {

template <class T>
T round_up(double bound) {
  if (bound > static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::infinity();
  if (bound < static_cast<double>(std::numeric_limits<T>::lowest()))
    return std::isinf(bound) ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  const T rounded = static_cast<T>(bound);
  return static_cast<double>(rounded) < bound ? std::nextafter(rounded, std::numeric_limits<T>::infinity()) : rounded;
}

template <class T>
Bounds<T>::Bounds(const SpaceBox& box)
    : lo(eight_of<T>({round_up<T>(box.lo[0]), round_up<T>(box.lo[1]), round_up<T>(box.lo[2])})),
      hi(eight_of<T>({round_up<T>(box.hi[0]), round_up<T>(box.hi[1]), round_up<T>(box.hi[2])})) {}

// NaN, which nothing is at or behind, where an axis has fewer ends than others.
template <class T>
Segments<T>::Segments(const std::array<std::vector<double>, 3>& given,
                      const std::array<std::size_t, 3>& weights_of_axes)
    : weights(eight_of<T>({static_cast<T>(weights_of_axes[0]), static_cast<T>(weights_of_axes[1]),
                           static_cast<T>(weights_of_axes[2])})) {
  const std::size_t most = std::max({std::size_t{1}, given[0].size(), given[1].size(), given[2].size()});
  for (std::size_t n = 0; n < most; ++n) {
    std::array<T, 3> of_axes;
    for (std::size_t a = 0; a < 3; ++a)
      of_axes[a] = n < given[a].size() ? round_up<T>(given[a][n]) : std::numeric_limits<T>::quiet_NaN();
    ends.push_back(eight_of(of_axes));
  }
}

template double round_up(double);
template float round_up(double);
template struct Bounds<double>;
template struct Bounds<float>;
template struct Segments<double>;
template struct Segments<float>;

Vectors best_vectors() {
  static const Vectors best = wide::is_there() ? Vectors::wide : Vectors::narrow;
  return best;
}

std::uint64_t outside(const double* x, const Bounds<double>& bounds, Vectors vectors) {
  return vectors == Vectors::wide ? wide::outside(x, bounds) : loops::outside_block(x, bounds);
}
std::uint64_t outside(const float* x, const Bounds<float>& bounds, Vectors vectors) {
  return vectors == Vectors::wide ? wide::outside(x, bounds) : loops::outside_block(x, bounds);
}
void find_cells(const double* x, const Segments<double>& segments, CellsOfBlock& cells, Vectors vectors) {
  vectors == Vectors::wide ? wide::find_cells(x, segments, cells) : loops::cells_of_block(x, segments, cells);
}
void find_cells(const float* x, const Segments<float>& segments, CellsOfBlock& cells, Vectors vectors) {
  vectors == Vectors::wide ? wide::find_cells(x, segments, cells) : loops::cells_of_block(x, segments, cells);
}

}  // namespace halyard::particles
