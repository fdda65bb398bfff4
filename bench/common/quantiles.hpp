// Quantiles of a list of samples, as the bench prints them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace halyard::bench {

/// The sample below which `fraction` of all lie (nearest rank); 0 without samples.
inline double quantile(std::vector<double> samples, double fraction) {
  if (samples.empty()) return 0.0;
  const double position = fraction * static_cast<double>(samples.size() - 1);
  const auto nth = samples.begin() + static_cast<std::ptrdiff_t>(std::lround(position));
  std::nth_element(samples.begin(), nth, samples.end());
  return *nth;
}

inline double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

}  // namespace halyard::bench
