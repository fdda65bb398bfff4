// NeighborLists: for each atom those within the reach: of owned ones, and of ghosts.
//
// Two lists, so that pairs of owned atoms can be computed while ghosts' positions travel. `half`: each pair once; of a
// pair with a ghost that is up to the borders, whose half shell gives the ghost to one side only. `full`: each owned
// atom has all its neighbors. Owned atoms must be in the order of their cells. Lists of a serial space are the same in
// every run.
#pragma once

#include "kernels/cell_grid.hpp"
#include "kernels/cell_order.hpp"
#include "kernels/views.hpp"

namespace halyard::md {

enum class ListKind { half, full };

/// One row of neighbors for each atom that is listed.
template <class Space>
struct NeighborRows {
  Owned<int*, Space> atom;  // of a row
  Owned<int*, Space> length;
  Owned<int**, Space> neighbor;  // all atoms: ghosts' numbers follow those of owned ones
  int num_rows = 0;
};

template <class Space>
class NeighborLists {
 public:
  /// `grid` has the reach around what this rank owns.
  NeighborLists(ListKind kind, double reach, const CellGrid& grid) : kind_(kind), reach_(reach), grid_(grid) {}

  /// `part` is what this rank owns, `owned` where the cells of its atoms, which are in their order, begin.
  void build(const AtomViews<Space>& atoms, const SpaceBox& part, const CellOrder<Space>& owned);

  const NeighborRows<Space>& among_owned() const { return owned_; }
  const NeighborRows<Space>& with_ghosts() const { return ghosts_; }
  std::int64_t num_pairs() const;

 private:
  template <ListKind kKind>
  void list(const AtomViews<Space>& atoms, const CellOrder<Space>& owned);
  void sort_ghosts(const AtomViews<Space>& atoms);
  void choose_rows(const AtomViews<Space>& atoms, const SpaceBox& part);
  template <class Fill>
  void fill(NeighborRows<Space>& rows, Fill functor);

  ListKind kind_;
  double reach_;
  CellGrid grid_;
  CellOrder<Space> ghost_order_;
  Owned<double* [3], Space> ghost_x_;  // in the order of cells
  NeighborRows<Space> owned_, ghosts_;
};

extern template class NeighborLists<HostSpace>;
extern template class NeighborLists<EmulatedSpace>;

}  // namespace halyard::md
