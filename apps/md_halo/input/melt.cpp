// See melt.hpp.
#include "input/melt.hpp"

#include <cmath>

namespace halyard::md {
namespace {

constexpr double kDensity = 0.8442;
constexpr std::array<Vector, 4> kBasis{{{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}};

Vector velocity_at(const Vector& p) {
  const auto [x, y, z] = p;
  return {std::sin(11.3 * x + 7.7 * y + 5.1 * z), std::sin(3.9 * x + 13.1 * y + 8.3 * z + 1.0),
          std::sin(9.7 * x + 4.3 * y + 12.7 * z + 2.0)};
}

}  // namespace

System melt_part(std::int64_t n, std::int64_t first, std::int64_t last) {
  const double edge = std::cbrt(4.0 / kDensity);
  const double width = static_cast<double>(n) * edge;
  System system;
  system.box = {{0, 0, 0}, {width, width, width}};
  system.num_atoms = 4 * n * n * n;
  system.masses = {1.0};
  system.pairs = {PairTerm{}};
  system.atoms.reserve(static_cast<std::size_t>(4 * (last - first)));
  for (std::int64_t cell = first; cell < last; ++cell) {
    const std::array<std::int64_t, 3> at{cell % n, cell / n % n, cell / (n * n)};
    for (std::size_t b = 0; b < kBasis.size(); ++b) {
      Atom atom;
      atom.id = 4 * cell + static_cast<std::int64_t>(b) + 1;
      for (std::size_t a = 0; a < 3; ++a) atom.x[a] = edge * (static_cast<double>(at[a]) + kBasis[b][a]);
      atom.v = velocity_at(atom.x);
      system.atoms.push_back(atom);
    }
  }
  return system;
}

VelocitySums velocity_sums(const System& system) {
  VelocitySums sums;
  sums.count = static_cast<std::int64_t>(system.atoms.size());
  for (const Atom& atom : system.atoms)
    for (std::size_t a = 0; a < 3; ++a) sums.sum[a] += atom.v[a];
  return sums;
}

double remove_mean(System& system, const VelocitySums& of_all) {
  double squares = 0;
  for (Atom& atom : system.atoms)
    for (std::size_t a = 0; a < 3; ++a) {
      atom.v[a] -= of_all.sum[a] / static_cast<double>(of_all.count);
      squares += atom.v[a] * atom.v[a];
    }
  return squares;
}

void scale_to_start(System& system, double sum_of_squares_of_all) {
  const double freedoms = 3.0 * static_cast<double>(system.num_atoms) - 3.0;
  const double factor = std::sqrt(kMeltTemperature * freedoms / sum_of_squares_of_all);
  for (Atom& atom : system.atoms)
    for (double& v : atom.v) v *= factor;
}

}  // namespace halyard::md
