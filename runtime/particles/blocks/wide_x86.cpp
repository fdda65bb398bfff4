// Vectors of 32 bytes (AVX2). By attribute, not by compiler option: what else this file instantiates must run
// everywhere.
#include "particles/blocks/loops.hpp"
#include "particles/blocks/wide.hpp"

namespace halyard::particles::wide {

bool is_there() { return __builtin_cpu_supports("avx2"); }

[[gnu::target("avx2")]] std::uint64_t outside(const double* x, const Bounds<double>& bounds) {
  return loops::outside_block(x, bounds);
}
[[gnu::target("avx2")]] std::uint64_t outside(const float* x, const Bounds<float>& bounds) {
  return loops::outside_block(x, bounds);
}
[[gnu::target("avx2")]] void find_cells(const double* x, const Segments<double>& segments, CellsOfBlock& cells) {
  loops::cells_of_block(x, segments, cells);
}
[[gnu::target("avx2")]] void find_cells(const float* x, const Segments<float>& segments, CellsOfBlock& cells) {
  loops::cells_of_block(x, segments, cells);
}

}  // namespace halyard::particles::wide
