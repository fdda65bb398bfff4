// lists_of: a box halo as index lists, for tests that ask the same of both.
#pragma once

#include "halyard/pattern.hpp"

namespace halyard::test {

/// The halo of the rank that owns `box` as lists over the same array, ghosts in the order of memory. Periodic on every
/// axis, widths of at most the domain.
inline IndexHalo lists_of(const BoxHalo& halo, const Box& box) {
  IndexHalo lists;
  const Box all = grown(box, halo.width);
  const Index3 domain = halo.cells.domain().extents();
  Index3 cell{};
  std::int64_t place = 0;
  for (cell[2] = all.lo[2]; cell[2] < all.hi[2]; ++cell[2])
    for (cell[1] = all.lo[1]; cell[1] < all.hi[1]; ++cell[1])
      for (cell[0] = all.lo[0]; cell[0] < all.hi[0]; ++cell[0], ++place) {
        const bool is_owned = box.contains({cell, {cell[0] + 1, cell[1] + 1, cell[2] + 1}});
        Index3 source{};
        for (std::size_t a = 0; a < 3; ++a) source[a] = (cell[a] + domain[a]) % domain[a];
        (is_owned ? lists.owned : lists.ghosts).push_back(source[0] + domain[0] * (source[1] + domain[1] * source[2]));
        (is_owned ? lists.owned_at : lists.ghosts_at).push_back(place);
      }
  return lists;
}

}  // namespace halyard::test
