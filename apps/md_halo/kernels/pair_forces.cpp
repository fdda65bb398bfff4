// Two kernels: over half lists with both atoms of a pair written (serial), and over full lists with one (anywhere).
#include "kernels/pair_forces.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

#include "kernels/launch.hpp"
#include "kernels/pair_row.hpp"

namespace halyard::md {
namespace {

#ifdef KOKKOS_ENABLE_SERIAL
template <class Space>
constexpr bool kIsSerial = std::is_same_v<Space, Kokkos::Serial>;
#else
template <class Space>
constexpr bool kIsSerial = false;
#endif

template <class Space, class Real>
struct Rows {
  AtomViews<Space> atoms;
  NeighborRows<Space> rows;
  PairTable<Real, Space> table;
};

template <class Space, class Real, bool kOneType, bool kSums>
struct HalfForces {
  Rows<Space, Real> on;

  void operator()(int row) const { (void)forces_of(row); }
  void operator()(int row, double& energy, double& virial) const {
    const PairSums sums = forces_of(row);
    energy += sums.energy;
    virial += sums.virial;
  }

 private:
  PairSums forces_of(int row) const {
    const int i = on.rows.atom(row);
    const RealConstants<Real>* of_types = on.table.constants.data();
    if (!kOneType) of_types += (on.atoms.type(i) - 1) * on.table.num_types;
    PairRow<Real> pairs({on.atoms.x.data(), on.atoms.f.data(), on.atoms.type.data()}, i);
    PairSums sums;
    const int length = on.rows.length(row);
    for (int first = 0; first < length; first += PairRow<Real>::kChunk) {
      const int count = std::min(length - first, PairRow<Real>::kChunk);
      pairs.template gather<kOneType>(&on.rows.neighbor(row, first), count, of_types);
      pairs.template compute<kOneType>(of_types);
      if constexpr (kSums) sums += pairs.template sums<kOneType>(of_types);
      pairs.add_to_neighbors();
    }
    pairs.add_to_atom();
    return sums;
  }
};

template <class Space, class Real, bool kOneType, bool kSums>
struct FullForces {
  Rows<Space, Real> on;

  KOKKOS_INLINE_FUNCTION void operator()(int row) const {
    double energy = 0, virial = 0;
    add(row, energy, virial);
  }
  KOKKOS_INLINE_FUNCTION void operator()(int row, double& energy, double& virial) const { add(row, energy, virial); }

 private:
  KOKKOS_INLINE_FUNCTION void add(int row, double& energy, double& virial) const {
    const int i = on.rows.atom(row);
    const auto& x = on.atoms.x;
    const double xi = x(i, 0), yi = x(i, 1), zi = x(i, 2);
    const int my_types = kOneType ? 0 : (on.atoms.type(i) - 1) * on.table.num_types;
    double fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < on.rows.length(row); ++k) {
      const int j = on.rows.neighbor(row, k);
      const RealConstants<Real> c = on.table.constants(kOneType ? 0 : my_types + on.atoms.type(j) - 1);
      const Real dx = static_cast<Real>(xi - x(j, 0));
      const Real dy = static_cast<Real>(yi - x(j, 1));
      const Real dz = static_cast<Real>(zi - x(j, 2));
      const Real r2 = dx * dx + dy * dy + dz * dz;
      if (!(r2 < c.cutoff_squared)) continue;
      const Real inverse = Real(1) / r2;
      const Real r6 = inverse * inverse * inverse;
      const Real over_r = r6 * (c.force12 * r6 - c.force6) * inverse;
      fx += static_cast<double>(dx * over_r);
      fy += static_cast<double>(dy * over_r);
      fz += static_cast<double>(dz * over_r);
      if constexpr (kSums) {
        energy += 0.5 * static_cast<double>(r6 * (c.energy12 * r6 - c.energy6) - c.offset);
        virial += 0.5 * static_cast<double>(r2 * over_r);
      }
    }
    on.atoms.f(i, 0) += fx;
    on.atoms.f(i, 1) += fy;
    on.atoms.f(i, 2) += fz;
  }
};

template <class Space>
struct ClearForces {
  Borrowed<double* [3], Space> f;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const { f(i, 0) = f(i, 1) = f(i, 2) = 0; }
};

template <bool kSums, class Space, class Functor>
PairSums launch(const Functor& functor, int num_rows) {
  PairSums sums;
  if constexpr (kSums)
    reduce<Space>("md forces and sums", num_rows, functor, sums.energy, sums.virial);
  else
    for_each<Space>("md forces", num_rows, functor);
  return sums;
}

template <bool kSums, bool kOneType, class Space, class Real>
PairSums run(const Rows<Space, Real>& on, ListKind kind) {
  if constexpr (kIsSerial<Space>)
    if (kind == ListKind::half)
      return launch<kSums, Space>(HalfForces<Space, Real, kOneType, kSums>{on}, on.rows.num_rows);
  return launch<kSums, Space>(FullForces<Space, Real, kOneType, kSums>{on}, on.rows.num_rows);
}

template <bool kSums, class Space, class Table>
PairSums run_on(const AtomViews<Space>& atoms, const NeighborRows<Space>& rows, const Table& table, ListKind kind) {
  return std::visit(
      [&]<class Real>(const PairTable<Real, Space>& typed) {
        const Rows<Space, Real> on{atoms, rows, typed};
        return typed.num_types == 1 ? run<kSums, true>(on, kind) : run<kSums, false>(on, kind);
      },
      table);
}

template <class Real, class Space>
PairTable<Real, Space> table_of(const LennardJones& model) {
  PairTable<Real, Space> table{Owned<RealConstants<Real>*, Space>("constants", model.table().size()),
                               model.num_types()};
  const auto host = Kokkos::create_mirror_view(table.constants);
  for (std::size_t i = 0; i < model.table().size(); ++i) {
    const PairConstants& c = model.table()[i];
    host(i) = {static_cast<Real>(c.cutoff_squared), static_cast<Real>(c.force12), static_cast<Real>(c.force6),
               static_cast<Real>(c.energy12),       static_cast<Real>(c.energy6), static_cast<Real>(c.offset)};
  }
  Kokkos::deep_copy(table.constants, host);
  return table;
}

}  // namespace

template <class Space>
PairForces<Space>::PairForces(const LennardJones& model, bool is_mixed, ListKind kind) : kind_(kind) {
  if (!kIsSerial<Space> && kind == ListKind::half)
    throw std::invalid_argument("--newton on: this Kokkos computes with several threads; use --newton off");
  if (is_mixed)
    table_ = table_of<float, Space>(model);
  else
    table_ = table_of<double, Space>(model);
}

template <class Space>
void PairForces<Space>::clear(const AtomViews<Space>& atoms) const {
  for_each<Space>("md clear", atoms.num_all(), ClearForces<Space>{atoms.f});
}

template <class Space>
void PairForces<Space>::add(const AtomViews<Space>& atoms, const NeighborRows<Space>& rows) const {
  run_on<false>(atoms, rows, table_, kind_);
}

template <class Space>
PairSums PairForces<Space>::add_and_sum(const AtomViews<Space>& atoms, const NeighborRows<Space>& rows) const {
  return run_on<true>(atoms, rows, table_, kind_);
}

template class PairForces<HostSpace>;
template class PairForces<EmulatedSpace>;
#ifdef KOKKOS_ENABLE_CUDA
template class PairForces<Kokkos::Cuda>;
#endif

}  // namespace halyard::md
