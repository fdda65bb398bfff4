// Twin of wide_x86.cpp for other processors: nothing is wider there than what the compiler takes by itself.
#include "particles/blocks/loops.hpp"
#include "particles/blocks/wide.hpp"

namespace halyard::particles::wide {

bool is_there() { return false; }

std::uint64_t outside(const double* x, const Bounds<double>& bounds) { return loops::outside_block(x, bounds); }
std::uint64_t outside(const float* x, const Bounds<float>& bounds) { return loops::outside_block(x, bounds); }
void find_cells(const double* x, const Segments<double>& segments, CellsOfBlock& cells) {
  loops::cells_of_block(x, segments, cells);
}
void find_cells(const float* x, const Segments<float>& segments, CellsOfBlock& cells) {
  loops::cells_of_block(x, segments, cells);
}

}  // namespace halyard::particles::wide
