// See cell_order.hpp.
#include "kernels/cell_order.hpp"

#include "kernels/launch.hpp"

namespace halyard::md {
namespace {

template <class Space>
struct CountCells {
  CellGrid grid;
  Borrowed<double* [3], Space> x;
  int first;
  Owned<int*, Space> cell, start;

  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    const int c = grid.index_of(x(first + i, 0), x(first + i, 1), x(first + i, 2));
    cell(i) = c;
    Kokkos::atomic_fetch_add(&start(c), 1);
  }
};

/// Counts become beginnings.
template <class Space>
struct SumCounts {
  Owned<int*, Space> start, next;

  KOKKOS_INLINE_FUNCTION void operator()(int c, int& sum, bool is_final) const {
    const int mine = start(c);
    if (is_final) start(c) = next(c) = sum;
    sum += mine;
  }
};

template <class Space>
struct PlaceAtoms {
  Owned<int*, Space> cell, next, order;

  KOKKOS_INLINE_FUNCTION void operator()(int i) const { order(Kokkos::atomic_fetch_add(&next(cell(i)), 1)) = i; }
};

/// Where threads place atoms of a cell by turns that nobody decides: by number again. Cells hold a few.
template <class Space>
struct SortCells {
  Owned<int*, Space> start, order;

  KOKKOS_INLINE_FUNCTION void operator()(int c) const {
    for (int i = start(c) + 1; i < start(c + 1); ++i) {
      const int atom = order(i);
      int place = i;
      for (; place > start(c) && order(place - 1) > atom; --place) order(place) = order(place - 1);
      order(place) = atom;
    }
  }
};

}  // namespace

template <class Space>
void CellOrder<Space>::sort(const CellGrid& grid, const Borrowed<double* [3], Space>& x, int first, int count) {
  const auto slots = static_cast<std::size_t>(grid.num_cells()) + 1;
  reserve(start_, slots, "start");
  reserve(next_, slots, "next");
  reserve(order_, static_cast<std::size_t>(count), "order");
  reserve(cell_, static_cast<std::size_t>(count), "cell");
  fill<Space>(start_, 0);
  for_each<Space>("md count cells", count, CountCells<Space>{grid, x, first, cell_, start_});
  scan<Space>("md sum counts", grid.num_cells() + 1, SumCounts<Space>{start_, next_});
  for_each<Space>("md place atoms", count, PlaceAtoms<Space>{cell_, next_, order_});
  if (Space().concurrency() > 1) for_each<Space>("md sort cells", grid.num_cells(), SortCells<Space>{start_, order_});
}

template class CellOrder<HostSpace>;
template class CellOrder<EmulatedSpace>;
#ifdef KOKKOS_ENABLE_CUDA
template class CellOrder<Kokkos::Cuda>;
#endif

}  // namespace halyard::md
