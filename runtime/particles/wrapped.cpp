// wrapped, see halyard/particle_domain.hpp. Computed in double, which holds every float; the last step, back to T, may
// round up to hi (-1e-8f + 10 is 10), so the result is put between the first and the last T of [lo, hi).
#include <cmath>
#include <limits>

#include "halyard/particle_domain.hpp"

namespace halyard {
namespace {

template <class T>
T first_in(double lo) {
  const T nearest = static_cast<T>(lo);
  return static_cast<double>(nearest) < lo ? std::nextafter(nearest, std::numeric_limits<T>::infinity()) : nearest;
}

template <class T>
T last_below(double hi) {
  const T nearest = static_cast<T>(hi);
  return static_cast<double>(nearest) >= hi ? std::nextafter(nearest, -std::numeric_limits<T>::infinity()) : nearest;
}

// x = length * times + rest, `rest` with the sign of x.
struct Divided {
  double times;
  double rest;
};

// Next to the box without the cost of std::fmod and a division: that difference is exact too (Sterbenz).
Divided divided(double x, double length) {
  if (-length < x && x < length) return {0, x};
  if (length <= x && x < 2 * length) return {1, x - length};
  const double rest = std::fmod(x, length);  // exact
  return {std::round((x - rest) / length), rest};
}

}  // namespace

template <class T>
T wrapped(T x, double lo, double hi, double* crossings) {
  const double value = static_cast<double>(x);
  if (crossings != nullptr) *crossings = 0;
  if (lo <= value && value < hi) return x;
  const double length = hi - lo;
  const auto [times, rest] = divided(value - lo, length);
  if (crossings != nullptr) *crossings = times - (rest < 0 ? 1 : 0);
  const double inside = rest < 0 ? lo + (rest + length) : lo + rest;
  const T result = static_cast<T>(inside);
  if (!(static_cast<double>(result) >= lo)) return first_in<T>(lo);
  if (static_cast<double>(result) >= hi) return last_below<T>(hi);
  return result;
}

template HALYARD_API float wrapped(float, double, double, double*);
template HALYARD_API double wrapped(double, double, double, double*);

}  // namespace halyard
