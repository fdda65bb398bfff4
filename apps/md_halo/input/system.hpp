// System: what a run starts from: box, kinds of atoms, how they interact, and atoms. Pure data, in units lj.
//
// Readers and the melt make it; of a System that ranks share, each holds some of the atoms, in any order, and all of
// the rest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "halyard/particle_domain.hpp"

namespace halyard::md {

using Vector = std::array<double, 3>;

/// As LAMMPS stores it: `type` counts from 1, `image` says in which copy of the box the atom really is.
struct Atom {
  std::int64_t id = 0;
  std::int32_t type = 1;
  std::array<std::int32_t, 3> image{0, 0, 0};
  Vector x{0, 0, 0};
  Vector v{0, 0, 0};

  friend bool operator==(const Atom&, const Atom&) = default;
};

/// Lennard-Jones between two types; `cutoff` absent: the run's.
struct PairTerm {
  double epsilon = 1;
  double sigma = 1;
  std::optional<double> cutoff;

  friend bool operator==(const PairTerm&, const PairTerm&) = default;
};

/// Most types that a file may have: tables of pairs grow with the square.
inline constexpr int kMostTypes = 256;

/// The pairs (i, j) and (j, i) of types, from 0, share an element.
constexpr std::size_t pair_index(int i, int j) {
  const auto low = static_cast<std::size_t>(i < j ? i : j);
  const auto high = static_cast<std::size_t>(i < j ? j : i);
  return high * (high + 1) / 2 + low;
}

struct System {
  SpaceBox box;
  std::int64_t step = 0;
  std::int64_t num_atoms = 0;  // of all ranks
  std::vector<double> masses;  // by type
  /// By pair_index(); absent ones are mixed from those of each type with itself.
  std::vector<std::optional<PairTerm>> pairs;
  std::vector<Atom> atoms;

  int num_types() const { return static_cast<int>(masses.size()); }

  friend bool operator==(const System&, const System&) = default;
};

}  // namespace halyard::md
