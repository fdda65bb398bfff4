// The loops over a block, to be inlined into functions for one kind of processor. What is compared becomes 1 or 0 of
// the coordinates' own type: every x86-64 processor compares and chooses among those in vectors, which it does not with
// 64-bit integers, and such sums are exact.
#pragma once

#include "particles/blocks/blocks.hpp"

namespace halyard::particles::loops {

inline constexpr std::size_t kEights = kBlock / 8;

template <class T>
[[gnu::always_inline]] inline std::uint64_t outside_eight(const T* x, const Bounds<T>& bounds) {
  Eight<T> is_in;
  for (std::size_t k = 0; k < 24; ++k) is_in[k] = (x[k] >= bounds.lo[k]) & (x[k] < bounds.hi[k]) ? T{1} : T{0};
  std::array<T, 8> sums;
  for (std::size_t k = 0; k < 8; ++k) sums[k] = is_in[k] + is_in[k + 8] + is_in[k + 16];
  if (((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])) == T{24}) return 0;
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < 8; ++i)
    mask |= static_cast<std::uint64_t>(is_in[3 * i] + is_in[3 * i + 1] + is_in[3 * i + 2] != T{3}) << i;
  return mask;
}

template <class T>
[[gnu::always_inline]] inline std::uint64_t outside_block(const T* x, const Bounds<T>& bounds) {
  std::uint64_t mask = 0;
  for (std::size_t e = 0; e < kEights; ++e) mask |= outside_eight(x + 24 * e, bounds) << (8 * e);
  return mask;
}

template <class T>
[[gnu::always_inline]] inline void cells_of_block(const T* x, const Segments<T>& segments, CellsOfBlock& cells) {
  for (std::size_t e = 0; e < kEights; ++e, x += 24) {
    Eight<T> behind;
    for (std::size_t k = 0; k < 24; ++k) behind[k] = x[k] >= segments.ends[0][k] ? T{1} : T{0};
    for (std::size_t n = 1; n < segments.ends.size(); ++n)
      for (std::size_t k = 0; k < 24; ++k) behind[k] += x[k] >= segments.ends[n][k] ? T{1} : T{0};
    for (std::size_t k = 0; k < 24; ++k) behind[k] *= segments.weights[k];
    for (std::size_t i = 0; i < 8; ++i)
      cells[8 * e + i] = static_cast<std::int32_t>(behind[3 * i] + behind[3 * i + 1] + behind[3 * i + 2]);
  }
}

}  // namespace halyard::particles::loops
