// Atoms of a row of cells along x follow each other, so a candidate is found by running through memory, and the sphere
// of the reach cuts each row short.
#include "kernels/neighbor_lists.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/launch.hpp"

namespace halyard::md {
namespace {

constexpr int kFirstRowLength = 48;

/// Appends what lies within the reach to a row. The place after the last one is scratch, so that storing needs no
/// branch on a CPU: a row must have one more than it holds. Threads of a GPU store to rows of their own, a sector each,
/// and so only what is near. Rows that are too short count on, so that the next attempt fits.
template <class Space>
struct RowWriter {
  Owned<int**, Space> neighbor;
  int row;
  int capacity;
  int length = 0;

  KOKKOS_INLINE_FUNCTION void put(int j, bool is_near) {
    if (kIsOnGpu<Space> && !is_near) return;
    neighbor(row, length < capacity ? length : capacity - 1) = j;
    length += is_near ? 1 : 0;
  }
};

/// What both kinds of rows share: an atom and the cells around it.
struct Vicinity {
  double x, y, z;
  double reach_squared;

  KOKKOS_INLINE_FUNCTION bool is_near(double ox, double oy, double oz) const {
    const double dx = x - ox, dy = y - oy, dz = z - oz;
    return dx * dx + dy * dy + dz * dz <= reach_squared;
  }
};

/// The cells first..last of a row along x that the sphere touches; none when first > last.
struct Span {
  int first, last;
};

KOKKOS_INLINE_FUNCTION Span touched(const CellGrid& grid, const Vicinity& v, int iy, int iz) {
  const double dy = grid.distance(1, v.y, iy), dz = grid.distance(2, v.z, iz);
  const double left = v.reach_squared * (1 + 1e-9) - dy * dy - dz * dz;  // a little more than the sphere
  if (left < 0) return {1, 0};
  const double half_width = ::sqrt(left);
  return {grid.on_axis(0, v.x - half_width), grid.on_axis(0, v.x + half_width)};
}

template <class Space, ListKind kKind>
struct ListOwned {
  CellGrid grid;
  double reach;
  Borrowed<double* [3], Space> x;
  Owned<int*, Space> start;
  NeighborRows<Space> rows;
  int capacity;

  KOKKOS_INLINE_FUNCTION void operator()(int row, int& longest) const {
    const int i = rows.atom(row);
    const Vicinity v{x(i, 0), x(i, 1), x(i, 2), reach * reach};
    RowWriter<Space> writer{rows.neighbor, row, capacity};
    const int y0 = grid.on_axis(1, v.y - reach), y1 = grid.on_axis(1, v.y + reach);
    const int z0 = grid.on_axis(2, v.z - reach), z1 = grid.on_axis(2, v.z + reach);
    const int my_y = grid.on_axis(1, v.y), my_z = grid.on_axis(2, v.z);
    for (int iz = kKind == ListKind::half ? my_z : z0; iz <= z1; ++iz)
      for (int iy = kKind == ListKind::half && iz == my_z ? my_y : y0; iy <= y1; ++iy) {
        const Span span = touched(grid, v, iy, iz);
        if (span.first > span.last) continue;
        int j = start(grid.index(span.first, iy, iz));
        const int end = start(grid.index(span.last, iy, iz) + 1);
        if (kKind == ListKind::half && iz == my_z && iy == my_y) j = i + 1;
        for (; j < end; ++j) writer.put(j, v.is_near(x(j, 0), x(j, 1), x(j, 2)) && j != i);
      }
    rows.length(row) = writer.length;
    longest = longest < writer.length ? writer.length : longest;
  }
};

/// All ghosts: a half shell has none of which the other side sees this atom.
template <class Space>
struct ListGhosts {
  CellGrid grid;
  double reach;
  Borrowed<double* [3], Space> x;
  Owned<double* [3], Space> ghost_x;
  Owned<int*, Space> start, order;
  NeighborRows<Space> rows;
  int num_owned;
  int capacity;

  KOKKOS_INLINE_FUNCTION void operator()(int row, int& longest) const {
    const int i = rows.atom(row);
    const Vicinity v{x(i, 0), x(i, 1), x(i, 2), reach * reach};
    RowWriter<Space> writer{rows.neighbor, row, capacity};
    const int y0 = grid.on_axis(1, v.y - reach), y1 = grid.on_axis(1, v.y + reach);
    const int z0 = grid.on_axis(2, v.z - reach), z1 = grid.on_axis(2, v.z + reach);
    for (int iz = z0; iz <= z1; ++iz)
      for (int iy = y0; iy <= y1; ++iy) {
        const Span span = touched(grid, v, iy, iz);
        if (span.first > span.last) continue;
        const int end = start(grid.index(span.last, iy, iz) + 1);
        for (int k = start(grid.index(span.first, iy, iz)); k < end; ++k)
          writer.put(num_owned + order(k), v.is_near(ghost_x(k, 0), ghost_x(k, 1), ghost_x(k, 2)));
      }
    rows.length(row) = writer.length;
    longest = longest < writer.length ? writer.length : longest;
  }
};

template <class Space>
struct GatherGhosts {
  Borrowed<double* [3], Space> x;
  Owned<int*, Space> order;
  Owned<double* [3], Space> to;
  int num_owned;

  KOKKOS_INLINE_FUNCTION void operator()(int k) const {
    for (int a = 0; a < 3; ++a) to(k, a) = x(num_owned + order(k), a);
  }
};

template <class Space>
struct NumberRows {
  Owned<int*, Space> atom;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const { atom(i) = i; }
};

/// Owned atoms so close to a face that ghosts may be within reach.
template <class Space>
struct ChooseNearFaces {
  Borrowed<double* [3], Space> x;
  double lo[3], hi[3];
  Owned<int*, Space> atom;

  KOKKOS_INLINE_FUNCTION void operator()(int i, int& sum, bool is_final) const {
    bool is_close = false;
    for (int a = 0; a < 3; ++a) is_close = is_close || x(i, a) <= lo[a] || x(i, a) >= hi[a];
    if (is_close && is_final) atom(sum) = i;
    sum += is_close ? 1 : 0;
  }
};

template <class Space>
struct SumLengths {
  Owned<int*, Space> length;
  KOKKOS_INLINE_FUNCTION void operator()(int row, std::int64_t& sum) const { sum += length(row); }
};

}  // namespace

template <class Space>
void NeighborLists<Space>::build(const AtomViews<Space>& atoms, const SpaceBox& part, const CellOrder<Space>& owned) {
  sort_ghosts(atoms);
  choose_rows(atoms, part);
  kind_ == ListKind::half ? list<ListKind::half>(atoms, owned) : list<ListKind::full>(atoms, owned);
}

template <class Space>
void NeighborLists<Space>::sort_ghosts(const AtomViews<Space>& atoms) {
  ghost_order_.sort(grid_, atoms.x, atoms.num_owned, atoms.num_ghosts);
  reserve(ghost_x_, static_cast<std::size_t>(atoms.num_ghosts), "ghost_x");
  for_each<Space>("md gather ghosts", atoms.num_ghosts,
                  GatherGhosts<Space>{atoms.x, ghost_order_.order(), ghost_x_, atoms.num_owned});
}

template <class Space>
void NeighborLists<Space>::choose_rows(const AtomViews<Space>& atoms, const SpaceBox& part) {
  const auto count = static_cast<std::size_t>(atoms.num_owned);
  reserve(owned_.atom, count, "owned rows");
  reserve(ghosts_.atom, count, "ghost rows");
  owned_.num_rows = atoms.num_owned;
  for_each<Space>("md number rows", atoms.num_owned, NumberRows<Space>{owned_.atom});
  ChooseNearFaces<Space> choose{atoms.x, {}, {}, ghosts_.atom};
  for (std::size_t a = 0; a < 3; ++a) {
    choose.lo[a] = part.lo[a] + reach_;
    choose.hi[a] = part.hi[a] - reach_;
  }
  scan<Space>("md choose rows", atoms.num_owned, choose, ghosts_.num_rows);
}

template <class Space>
template <ListKind kKind>
void NeighborLists<Space>::list(const AtomViews<Space>& atoms, const CellOrder<Space>& owned) {
  fill(owned_, ListOwned<Space, kKind>{grid_, reach_, atoms.x, owned.start(), {}, 0});
  fill(ghosts_,
       ListGhosts<Space>{
           grid_, reach_, atoms.x, ghost_x_, ghost_order_.start(), ghost_order_.order(), {}, atoms.num_owned, 0});
}

/// Again with longer rows when one was too short.
template <class Space>
template <class Fill>
void NeighborLists<Space>::fill(NeighborRows<Space>& rows, Fill functor) {
  int capacity = std::max(static_cast<int>(rows.neighbor.extent(1)), kFirstRowLength);
  const auto num_rows = static_cast<std::size_t>(rows.num_rows);
  reserve(rows.length, num_rows, "length");
  for (;;) {
    if (rows.neighbor.extent(0) < num_rows || static_cast<int>(rows.neighbor.extent(1)) < capacity) {
      rows.neighbor = {};  // first: not both at once in memory
      rows.neighbor = Owned<int**, Space>(Kokkos::ViewAllocateWithoutInitializing("neighbor"), num_rows + num_rows / 8,
                                          static_cast<std::size_t>(capacity));
    }
    functor.rows = rows;
    functor.capacity = capacity;
    int longest = 0;
    reduce<Space>("md list", rows.num_rows, functor, Kokkos::Max<int>(longest));
    if (longest < capacity) return;
    capacity = longest + longest / 8 + 1;
  }
}

template <class Space>
std::int64_t NeighborLists<Space>::num_pairs() const {
  std::int64_t among = 0;
  std::int64_t with = 0;
  reduce<Space>("md sum lengths", owned_.num_rows, SumLengths<Space>{owned_.length}, among);
  reduce<Space>("md sum lengths", ghosts_.num_rows, SumLengths<Space>{ghosts_.length}, with);
  return among + with;
}

template class NeighborLists<HostSpace>;
template class NeighborLists<EmulatedSpace>;
#ifdef KOKKOS_ENABLE_CUDA
template class NeighborLists<Kokkos::Cuda>;
#endif

}  // namespace halyard::md
