// CellOrder: atoms in the order of their cells, by counting. Atoms of a cell keep their order, so the result is the
// same in every run.
#pragma once

#include "kernels/cell_grid.hpp"
#include "kernels/views.hpp"

namespace halyard::md {

template <class Space>
class CellOrder {
 public:
  /// Of the atoms first..first+count-1.
  void sort(const CellGrid& grid, const Borrowed<double* [3], Space>& x, int first, int count);

  /// Where each cell's atoms begin in order(); one more than there are cells.
  const Owned<int*, Space>& start() const { return start_; }
  /// Numbers of atoms, from 0 at `first`.
  const Owned<int*, Space>& order() const { return order_; }

 private:
  Owned<int*, Space> start_, next_, order_, cell_;
};

extern template class CellOrder<HostSpace>;
extern template class CellOrder<EmulatedSpace>;

}  // namespace halyard::md
