// Pattern: who needs what. Pure data about one rank's part of a halo exchange; no machine in it.
//
// Built by box_halo (grids) or index_halo (lists of global ids), for any rank of any number of ranks in one process.
// A piece is a set of cells that moves from one patch to another: it is known at both ends, in the same order and with
// the same cell order, so that a message is the concatenation of its pieces. Any thread may read a Pattern.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halyard/box.hpp"
#include "halyard/decomposition.hpp"
#include "halyard/export.hpp"

namespace halyard {

/// Cells of one patch, for one end of a piece. Boxes count from the patch's first owned cell, so ghosts are below 0 or
/// at and above the extent. Index patterns list element numbers instead, and have one patch.
struct PieceEnd {
  int patch = 0;  // local number of the patch on its rank
  Box cells;
  std::vector<std::int64_t> elements;
};

/// One set of cells on its way: `here` on this rank, `there` on the neighbor.
struct Piece {
  PieceEnd here;
  PieceEnd there;
  std::int64_t num_cells = 0;
};

/// All that moves between this rank and one other (or itself).
struct PatternNeighbor {
  int rank = 0;
  std::vector<Piece> sends;     // owned cells of this rank that the neighbor holds as ghosts
  std::vector<Piece> receives;  // ghosts of this rank that the neighbor owns
  std::uint64_t send_hash = 0;  // of the global identity of all sent cells, equal to the neighbor's receive_hash
  std::uint64_t receive_hash = 0;
};

/// A patch of this rank: owned box in global cells, halo around it.
struct LocalPatch {
  int id = 0;
  Box box;
  Width width;
};

enum class PatternKind { boxes, elements };

/// Which ghosts are filled: those across faces only, or across faces, edges and corners.
enum class Reach { faces, full };

struct HALYARD_API Pattern {
  PatternKind kind = PatternKind::boxes;
  int rank = 0;
  int num_ranks = 1;
  std::vector<LocalPatch> patches;         // by local number; index patterns have one, of extent {elements, 1, 1}
  std::vector<PatternNeighbor> neighbors;  // ascending by rank; may hold this rank itself

  /// Bytes of memory that this object holds.
  std::size_t memory_bytes() const;
};

/// A halo around the boxes of a decomposition. A halo may be wider than the neighbor's box: it then reaches the ranks
/// behind it, and on periodic axes any number of images.
struct BoxHalo {
  Decomposition cells;
  std::array<bool, 3> periodic{false, false, false};
  Width width;
  Reach reach = Reach::full;
};

/// This rank's part of a box halo. Throws Error(invalid_argument) for negative widths or a rank out of range.
/// Forward fills every ghost that has an owner; ghosts beyond a non-periodic edge are left alone.
HALYARD_API Pattern box_halo(const BoxHalo& halo, int rank);

/// One rank's lists for an index pattern. Ids are global and may be any 64-bit numbers; `*_at` gives the element of the
/// local field that holds each id. Empty `owned_at` means 0, 1, …; empty `ghosts_at` means owned.size(), ….
struct IndexHalo {
  std::vector<std::int64_t> owned;
  std::vector<std::int64_t> ghosts;
  std::vector<std::int64_t> owned_at;
  std::vector<std::int64_t> ghosts_at;
};

/// Rank `rank`'s part of an index halo, from the lists of all ranks (tests, planning on one core). Throws
/// Error(invalid_argument) when an id has two owners, a ghost has none, or lists and positions differ in length.
HALYARD_API Pattern index_halo(std::span<const IndexHalo> all_ranks, int rank);

}  // namespace halyard
