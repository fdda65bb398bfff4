// See lennard_jones.hpp.
#include "model/lennard_jones.hpp"

#include <algorithm>
#include <cmath>

namespace halyard::md {
namespace {

PairTerm mixed(const PairTerm& a, const PairTerm& b, double cutoff) {
  return {std::sqrt(a.epsilon * b.epsilon), std::sqrt(a.sigma * b.sigma),
          std::sqrt(a.cutoff.value_or(cutoff) * b.cutoff.value_or(cutoff))};
}

PairTerm term_of(const System& system, int i, int j, double cutoff) {
  const auto& given = system.pairs[pair_index(i, j)];
  if (given) return *given;
  if (i == j) return {};
  return mixed(term_of(system, i, i, cutoff), term_of(system, j, j, cutoff), cutoff);
}

PairConstants constants_of(const PairTerm& term, double default_cutoff, EnergyShift shift) {
  const double cutoff = term.cutoff.value_or(default_cutoff);
  const double sigma6 = std::pow(term.sigma, 6.0);
  const double sigma12 = std::pow(term.sigma, 12.0);
  PairConstants c;
  c.cutoff_squared = cutoff * cutoff;
  c.force12 = 48.0 * term.epsilon * sigma12;
  c.force6 = 24.0 * term.epsilon * sigma6;
  c.energy12 = 4.0 * term.epsilon * sigma12;
  c.energy6 = 4.0 * term.epsilon * sigma6;
  if (shift == EnergyShift::none) return c;
  const double ratio = term.sigma / cutoff;
  c.offset = 4.0 * term.epsilon * (std::pow(ratio, 12.0) - std::pow(ratio, 6.0));
  return c;
}

}  // namespace

LennardJones::LennardJones(const System& system, double cutoff, EnergyShift shift) : num_types_(system.num_types()) {
  for (int i = 0; i < num_types_; ++i)
    for (int j = 0; j < num_types_; ++j) table_.push_back(constants_of(term_of(system, i, j, cutoff), cutoff, shift));
}

double LennardJones::longest_cutoff() const {
  double longest = 0;
  for (const PairConstants& c : table_) longest = std::max(longest, c.cutoff_squared);
  return std::sqrt(longest);
}

}  // namespace halyard::md
