// The loops over a block for processors with wider vectors than all of their kind have; called only when they are
// there. Twins: wide_x86.cpp and wide_absent.cpp.
#pragma once

#include "particles/blocks/blocks.hpp"

namespace halyard::particles::wide {

bool is_there();

std::uint64_t outside(const double* x, const Bounds<double>& bounds);
std::uint64_t outside(const float* x, const Bounds<float>& bounds);
void find_cells(const double* x, const Segments<double>& segments, CellsOfBlock& cells);
void find_cells(const float* x, const Segments<float>& segments, CellsOfBlock& cells);

}  // namespace halyard::particles::wide
