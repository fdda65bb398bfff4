// The mode is kept as one row of cosines per axis; a cell is the product of three numbers.
#include "model/eigenmode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

namespace halyard::stencil {
namespace {

// Different on each axis, so that swapped axes do not go unseen.
constexpr std::array<std::int64_t, 3> kWaves{1, 2, 3};
constexpr std::array<long double, 3> kPhases{0.3L, 0.5L, 0.7L};
constexpr double kHeightKept = 0.1;

template <class Visit>
void for_each_cell(const Index3& extent, Visit&& visit) {
  for (std::int64_t z = 0; z < extent[2]; ++z)
    for (std::int64_t y = 0; y < extent[1]; ++y)
      for (std::int64_t x = 0; x < extent[0]; ++x) visit(Index3{x, y, z});
}

long double angle_on(std::int64_t cells, std::size_t axis) {
  const std::int64_t waves = std::min(kWaves[axis], cells / 2);
  return 2 * std::numbers::pi_v<long double> * static_cast<long double>(waves) / static_cast<long double>(cells);
}

[[noreturn]] void refuse_unstable(const Grid& grid, double coefficient, double limit) {
  throw std::invalid_argument("--coefficient " + std::to_string(coefficient) + ": the " + grid.stencil.name() +
                              " stencil is stable up to " + std::to_string(limit) + " only; use a smaller one");
}

}  // namespace

Eigenmode::Eigenmode(const Grid& grid) : angle_{} {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    angle_[axis] = angle_on(grid.cells[axis], axis);
    for (std::int64_t i = grid.mine.lo[axis]; i < grid.mine.hi[axis]; ++i)
      profile_[axis].push_back(
          static_cast<double>(std::cos(angle_[axis] * static_cast<long double>(i) + kPhases[axis])));
  }
}

void Eigenmode::fill(const Block& block) const {
  for_each_cell(block.extent, [&](const Index3& cell) {
    double value = 1;
    for (std::size_t a = 0; a < 3; ++a) value *= profile_[a][static_cast<std::size_t>(cell[a])];
    *block.at(cell) = value;
  });
}

double Eigenmode::error(MPI_Comm comm, const Block& block, double scale) const {
  std::array<double, 2> mine{0, 0};  // of the difference, of the exact solution
  for_each_cell(block.extent, [&](const Index3& cell) {
    double exact = scale;
    for (std::size_t a = 0; a < 3; ++a) exact *= profile_[a][static_cast<std::size_t>(cell[a])];
    const double difference = std::abs(*block.at(cell) - exact);
    mine[0] = std::max(mine[0], std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity());
    mine[1] = std::max(mine[1], std::abs(exact));
  });
  std::array<double, 2> all{};
  MPI_Allreduce(mine.data(), all.data(), 2, MPI_DOUBLE, MPI_MAX, comm);
  return all[0] / all[1];
}

double choose_coefficient(const Grid& grid, const Settings& settings) {
  const double limit = stability_limit(grid.stencil);
  if (settings.coefficient && *settings.coefficient > limit) refuse_unstable(grid, *settings.coefficient, limit);
  const double wanted = settings.coefficient.value_or(limit / 2);
  if (!settings.verify || settings.steps == 0) return wanted;
  const double decay = static_cast<double>(-Eigenmode(grid).factor(laplacian(grid.stencil)));
  const double kept_each_step = std::pow(kHeightKept, 1.0 / static_cast<double>(settings.steps));
  if (wanted * decay <= 1.0 - kept_each_step) return wanted;
  if (!settings.coefficient) return (1.0 - kept_each_step) / decay;
  throw std::invalid_argument("--coefficient " + std::to_string(wanted) + " with --verify: in " +
                              std::to_string(settings.steps) + " steps the exact solution falls below a tenth, and " +
                              "rounding would be measured; leave --coefficient out or use fewer --steps");
}

}  // namespace halyard::stencil
