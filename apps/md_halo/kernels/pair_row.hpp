// PairRow: the pairs of one row, on a CPU: near ones are gathered first, computed in vectors, then added to both atoms.
//
// No branch depends on a distance, and a pair costs one division. What is stored beyond the last near pair is
// overwritten or ignored.
#pragma once

#include <cstdint>

#include "kernels/pair_forces.hpp"

namespace halyard::md {

/// Raw memory of AtomViews, for loops that a compiler can see through.
struct RowMemory {
  const double* __restrict x;
  double* __restrict f;
  const std::int32_t* __restrict type;
};

template <class Real>
class PairRow {
 public:
  static constexpr int kChunk = 64;

  PairRow(const RowMemory& memory, int i) : memory_(memory), i_(i) {
    for (int a = 0; a < 3; ++a) xi_[a] = memory.x[3 * static_cast<std::ptrdiff_t>(i) + a];
  }

  /// Those of `count` <= kChunk neighbors that are near. One type: `of_types` is the one pair of it; otherwise the row
  /// of atom i's type.
  template <bool kOneType>
  void gather(const int* neighbor, int count, const RealConstants<Real>* of_types) {
    int near = 0;
    for (int k = 0; k < count; ++k) {
      const int j = neighbor[k];
      const double* xj = memory_.x + 3 * static_cast<std::ptrdiff_t>(j);
      const Real dx = static_cast<Real>(xi_[0] - xj[0]);
      const Real dy = static_cast<Real>(xi_[1] - xj[1]);
      const Real dz = static_cast<Real>(xi_[2] - xj[2]);
      const Real r2 = dx * dx + dy * dy + dz * dz;
      const int kind = kOneType ? 0 : memory_.type[j] - 1;
      j_[near] = j;
      dx_[near] = dx;
      dy_[near] = dy;
      dz_[near] = dz;
      r2_[near] = r2;
      kind_[near] = kind;
      near += r2 < of_types[kind].cutoff_squared ? 1 : 0;
    }
    num_near_ = near;
  }

  template <bool kOneType>
  void compute(const RealConstants<Real>* of_types) {
    for (int k = 0; k < num_near_; ++k) {
      const RealConstants<Real>& c = of_types[kOneType ? 0 : kind_[k]];
      const Real inverse = Real(1) / r2_[k];
      const Real r6 = inverse * inverse * inverse;
      over_r_[k] = r6 * (c.force12 * r6 - c.force6) * inverse;
    }
  }

  /// Energy and virial of what compute() computed.
  template <bool kOneType>
  PairSums sums(const RealConstants<Real>* of_types) const {
    PairSums sums;
    for (int k = 0; k < num_near_; ++k) {
      const RealConstants<Real>& c = of_types[kOneType ? 0 : kind_[k]];
      const Real inverse = Real(1) / r2_[k];
      const Real r6 = inverse * inverse * inverse;
      sums.energy += static_cast<double>(r6 * (c.energy12 * r6 - c.energy6) - c.offset);
      sums.virial += static_cast<double>(r2_[k] * over_r_[k]);
    }
    return sums;
  }

  void add_to_neighbors() {
    for (int k = 0; k < num_near_; ++k) {
      double* fj = memory_.f + 3 * static_cast<std::ptrdiff_t>(j_[k]);
      const double fx = static_cast<double>(dx_[k] * over_r_[k]);
      const double fy = static_cast<double>(dy_[k] * over_r_[k]);
      const double fz = static_cast<double>(dz_[k] * over_r_[k]);
      fi_[0] += fx;
      fi_[1] += fy;
      fi_[2] += fz;
      fj[0] -= fx;
      fj[1] -= fy;
      fj[2] -= fz;
    }
  }

  void add_to_atom() const {
    for (int a = 0; a < 3; ++a) memory_.f[3 * static_cast<std::ptrdiff_t>(i_) + a] += fi_[a];
  }

 private:
  RowMemory memory_;
  int i_;
  double xi_[3];
  double fi_[3] = {0, 0, 0};
  int num_near_ = 0;
  int j_[kChunk], kind_[kChunk];
  alignas(64) Real dx_[kChunk], dy_[kChunk], dz_[kChunk], r2_[kChunk], over_r_[kChunk];
};

}  // namespace halyard::md
