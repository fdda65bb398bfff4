// The grid is split by Decomposition::grid; a rank's block is split into interior slabs and six
// boundary slabs.
#include "model/grid.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace halyard::stencil {
namespace {

constexpr std::int64_t kInteriorSlabs = 4;

std::string text_of(const Index3& v) {
  return std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]);
}

void check_countable(const Index3& cells) {
  const double product = static_cast<double>(cells[0]) * static_cast<double>(cells[1]) * static_cast<double>(cells[2]);
  if (product * 16.0 < static_cast<double>(std::numeric_limits<std::int64_t>::max())) return;
  throw std::invalid_argument("--cells " + text_of(cells) + ": more bytes than 64 bits can count; use fewer cells");
}

void check_ranks(const Index3& ranks, int num_ranks) {
  const __int128 product = static_cast<__int128>(ranks[0]) * ranks[1] * ranks[2];
  if (product == num_ranks) return;
  throw std::invalid_argument(
      "--ranks " + text_of(ranks) + ": the process grid does not have the " + std::to_string(num_ranks) +
      " ranks that MPI started; start as many ranks as its product " + "says, or leave --ranks out");
}

void append_slabs(Box box, std::int64_t num_slabs, std::vector<Box>& slabs) {
  const Box whole = box;
  for (std::int64_t i = 0; i < num_slabs; ++i) {
    box.lo[2] = whole.lo[2] + whole.extent(2) * i / num_slabs;
    box.hi[2] = whole.lo[2] + whole.extent(2) * (i + 1) / num_slabs;
    if (!box.empty()) slabs.push_back(box);
  }
}

}  // namespace

Grid make_grid(const GridRequest& request, int rank, int num_ranks) {
  check_countable(request.cells);
  const Index3 ranks = request.ranks ? *request.ranks : balanced_ranks(num_ranks, request.cells);
  check_ranks(ranks, num_ranks);
  Decomposition decomposition = Decomposition::grid(Box::of_extent(request.cells), ranks);
  const Box mine = block_of(decomposition, rank);
  return {request.cells, ranks, request.periodic, request.stencil, std::move(decomposition), mine};
}

Box block_of(const Decomposition& decomposition, int rank) {
  return decomposition.patch(decomposition.patches_of(rank).front()).box;
}

Regions split_regions(const Index3& owned, int radius) {
  Box rest = Box::of_extent(owned);
  Regions regions;
  for (const std::size_t axis : {2U, 1U, 0U}) {  // z first: the largest slabs have the longest rows
    Box low = rest;
    Box high = rest;
    rest.lo[axis] = low.hi[axis] = std::min<std::int64_t>(radius, owned[axis]);
    rest.hi[axis] = high.lo[axis] = std::max(rest.lo[axis], owned[axis] - radius);
    for (const Box& slab : {low, high})
      if (!slab.empty()) regions.boundary.push_back(slab);
  }
  append_slabs(rest, kInteriorSlabs, regions.interior);
  return regions;
}

}  // namespace halyard::stencil
