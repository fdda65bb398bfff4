// compile_ghosts: from lists of particles in GPU memory to Tables. Set-up, at each build of borders; pure: addresses
// are numbers, nothing is touched.
//
// Forward, the owner gathers a group of elements by number, adds the group's shift, and stores the message where it
// lands with the peer, who copies it to ghosts that lie beside each other. Reverse, ghosts are copied to where they
// land with the owner, who waits for all of them and adds them to each element in the order of ranks and groups. Both
// ends come to the same chunks, since they know the same counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pack/device/compile.hpp"
#include "pack/device/numbered.hpp"

namespace halyard::pack::device {

/// Ghosts of one rank that lie on one side of the box.
struct GhostPart {
  std::int64_t count = 0;
  double shift[3] = {0, 0, 0};  // added to positions
};

/// One neighbor. Its ghosts here follow each other, group by group.
struct GhostLink {
  std::uint32_t link = 0;  // for texts
  bool is_self = false;
  const std::int32_t* numbers = nullptr;  // GPU memory: elements that the peer holds as ghosts
  std::vector<GhostPart> sends;
  std::vector<GhostPart> receives;
  std::int64_t first_ghost = 0;
  bool always_signals = false;
  bool tells_sent = false;  // the peer's stream waits until all has been sent
  Landing peer_landing;
  Landing own_landing;
  std::uint64_t* own_words = nullptr;
  std::uint64_t* peer_words = nullptr;

  std::int64_t num_sent() const;
  std::int64_t num_received() const;
};

/// What an array's reverse exchange needs beside the links.
struct GhostSums {
  const std::int32_t* numbers = nullptr;            // of all links, one after the other
  const std::uint32_t* chain = nullptr;             // which of them are the same
  std::vector<const std::int64_t*> source_offsets;  // by array: where each of them lands
  std::int64_t count = 0;
};

struct GhostSpec {
  std::span<const ElementArray> arrays;
  std::vector<GhostLink> links;  // ascending by rank
  GhostSums sums;                // reverse only
  bool reduces = false;
};

/// Where the section of each array begins in a message of `count` elements, and the message's end.
std::vector<std::int64_t> ghost_sections(std::span<const ElementArray> arrays, std::int64_t count);

/// Throws Error(invalid_argument) when positions, or what is reduced, are not aligned to their scalars.
Tables compile(const GhostSpec& spec);

}  // namespace halyard::pack::device
