// PairForces: Lennard-Jones forces over the rows of neighbor lists, added to what the forces hold.
//
// Half lists need a serial space, as a pair's force is added to both atoms without a lock; full lists run anywhere.
// Sums are of double, also where pairs are computed in float. With one thread results are the same in every run.
#pragma once

#include <variant>

#include "kernels/neighbor_lists.hpp"
#include "kernels/views.hpp"
#include "model/lennard_jones.hpp"

namespace halyard::md {

/// Of all pairs of some rows; with full lists each pair is half on either side.
struct PairSums {
  double energy = 0;
  double virial = 0;  // sum of r F

  PairSums& operator+=(const PairSums& other) {
    energy += other.energy;
    virial += other.virial;
    return *this;
  }
};

template <class Real>
struct RealConstants {
  Real cutoff_squared, force12, force6, energy12, energy6, offset;
};

template <class Real, class Space>
struct PairTable {
  Owned<RealConstants<Real>*, Space> constants;  // num_types x num_types
  int num_types = 1;
};

template <class Space>
class PairForces {
 public:
  PairForces(const LennardJones& model, bool is_mixed, ListKind kind);

  /// Forces of all atoms, ghosts included, become 0.
  void clear(const AtomViews<Space>& atoms) const;
  void add(const AtomViews<Space>& atoms, const NeighborRows<Space>& rows) const;
  /// The same, and the sums.
  PairSums add_and_sum(const AtomViews<Space>& atoms, const NeighborRows<Space>& rows) const;

 private:
  std::variant<PairTable<double, Space>, PairTable<float, Space>> table_;
  ListKind kind_;
};

extern template class PairForces<HostSpace>;
extern template class PairForces<EmulatedSpace>;

}  // namespace halyard::md
