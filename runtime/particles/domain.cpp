// The public ParticleDomain, see halyard/particle_domain.hpp.
#include <fmt/format.h>

#include <cmath>

#include "halyard/decomposition.hpp"
#include "halyard/particle_domain.hpp"
#include "halyard/status.hpp"
#include "particles/partition.hpp"

namespace halyard {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(StatusCode::invalid_argument, "describe a particle domain: " + what);
}

void check_axis(const ParticleDomain& domain, std::size_t axis) {
  const double lo = domain.box.lo[axis];
  const double hi = domain.box.hi[axis];
  if (!std::isfinite(lo) || !std::isfinite(hi) || !(lo < hi) || !std::isfinite(hi - lo))
    refuse(fmt::format("the box goes from {} to {} on axis {}; its ends must be finite and ascend", lo, hi, axis));
  const auto& cuts = domain.cuts[axis];
  if (cuts.empty()) return;
  if (static_cast<std::int64_t>(cuts.size()) != domain.ranks[axis] + 1)
    refuse(fmt::format("{} cuts on axis {} for {} ranks; give ranks + 1, ends included", cuts.size(), axis,
                       domain.ranks[axis]));
  if (cuts.front() != lo || cuts.back() != hi)
    refuse(fmt::format("the cuts of axis {} go from {} to {}, the box from {} to {}", axis, cuts.front(), cuts.back(),
                       lo, hi));
  for (std::size_t i = 1; i < cuts.size(); ++i)
    if (!(cuts[i - 1] <= cuts[i]))
      refuse(fmt::format("cut {} of axis {} is {}, the one before it {}; cuts must ascend", i, axis, cuts[i],
                         cuts[i - 1]));
}

}  // namespace

ParticleDomain ParticleDomain::balanced(const SpaceBox& box, const std::array<bool, 3>& periodic, int num_ranks) {
  // balanced_ranks knows cells: enough of them that their proportions are those of the box.
  constexpr double kCells = 1e6;
  Index3 cells{};
  double longest = 0;
  for (std::size_t a = 0; a < 3; ++a) longest = std::max(longest, box.hi[a] - box.lo[a]);
  for (std::size_t a = 0; a < 3; ++a)
    cells[a] = std::max<std::int64_t>(2, std::llround(kCells * (box.hi[a] - box.lo[a]) / longest));
  ParticleDomain domain{box, periodic, balanced_ranks(num_ranks, cells), {}};
  domain.check(num_ranks);
  return domain;
}

SpaceBox ParticleDomain::box_of(int rank) const { return particles::Partition(*this).box_of(rank); }

int ParticleDomain::owner_of(const Point3& position) const { return particles::Partition(*this).owner_of(position); }

void ParticleDomain::check(int num_ranks) const {
  for (std::size_t a = 0; a < 3; ++a) {
    if (ranks[a] < 1) refuse(fmt::format("{} ranks on axis {}; at least 1", ranks[a], a));
    check_axis(*this, a);
  }
  if (ranks[0] * ranks[1] * ranks[2] != num_ranks)
    refuse(fmt::format("a grid of {} x {} x {} ranks on a communicator of {}; make them equal, or use balanced()",
                       ranks[0], ranks[1], ranks[2], num_ranks));
}

}  // namespace halyard
