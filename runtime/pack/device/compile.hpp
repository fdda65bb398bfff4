// compile: from a plan's pieces to Tables for a GPU. Set-up; pure: addresses are numbers, nothing is touched.
//
// Both ends of a link compile with mirrored LinkSpecs and come to the same chunks: what decides them (cells, element
// sizes, both ends' strides and alignment) is known to both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "halyard/plan.hpp"
#include "pack/compile.hpp"
#include "pack/device/tables.hpp"

namespace halyard::pack::device {

/// Words of a link lie this far apart, a memory sector each; `words[i]` of tables.hpp means words + i * kWordStride.
inline constexpr std::uint32_t kWordStride = 4;
inline constexpr std::uint32_t kMaxChunksPerLink = 1024;
inline constexpr std::size_t kWordBytesPerLink =
    (kFirstArrived + kMaxChunksPerLink) * kWordStride * sizeof(std::uint64_t);

/// Messages of at most this many bytes through a landing buffer go as packets. They have a part of the landing buffer
/// to themselves, behind one for messages of either direction that are no packets. A section's packets are its own; its
/// first is the one that the section would begin in if all were cut without gaps, plus one for each section before it.
inline constexpr std::int64_t kMostBytesAsPackets = 256 << 10;
inline constexpr std::int64_t kPacketDataBytes = std::int64_t{kPacketWords} * kPacketWordBytes;
constexpr std::int64_t first_packet_of(std::int64_t message_offset, std::size_t section) {
  return message_offset / kPacketDataBytes + static_cast<std::int64_t>(section);
}
inline std::int64_t packets_offset(const MessageLayout& sent, const MessageLayout& received) {
  return (std::max(sent.bytes, received.bytes) + kPacketBytes - 1) / kPacketBytes * kPacketBytes;
}
/// Of a link's landing buffer for messages laid out as `received`, and in reverse exchanges as `sent`.
inline std::int64_t landing_bytes_of(const MessageLayout& sent, const MessageLayout& received) {
  const std::int64_t bytes = packets_offset(sent, received);
  if (received.bytes > kMostBytesAsPackets) return bytes;
  return bytes + (first_packet_of(received.bytes, received.offsets.size()) + 1) * kPacketBytes;
}

/// Staged messages of at most this many bytes are one chunk, which one block takes at once: warps that poll the same
/// word in host memory are served one after the other, some 0.8 us each (docs/adr/0042).
inline constexpr std::int64_t kMostBytesOfOneBlock = 4 << 10;

/// Where one direction's packed messages land: two slots, `slot_bytes` apart.
struct Landing {
  std::uint64_t address = 0;
  std::uint64_t slot_bytes = 0;
};

/// One kind of exchange on one link. A reverse exchange of a rank with itself is a link whose `peer_words` are its
/// `own_words`; a forward one is KindSpec::self.
struct LinkSpec {
  std::uint32_t link = 0;  // for texts
  std::span<const Piece> sends;
  const MessageLayout* send_layout = nullptr;
  std::span<const Piece> receives;
  const MessageLayout* receive_layout = nullptr;
  std::span<const Grid> peer_grids;  // the peer's fields at this process's device addresses; empty: not reachable
  std::size_t peer_patches = 0;
  bool may_be_direct = false;    // both ends reach each other's fields, and ghosts may be written at once
  bool is_acknowledged = false;  // stores that are over are in the peer's memory
  bool takes_packets = false;    // lines go whole both ways, cells are aligned to 8 bytes, and nothing is added
  bool always_signals = false;   // staged: at least one chunk each way, and one word for all that is received
  bool tells_sent = false;       // the peer's stream waits until all has been sent
  Landing peer_landing;
  Landing own_landing;
  std::uint64_t* own_words = nullptr;
  std::uint64_t* peer_words = nullptr;
};

/// One kind of exchange of one rank. Links ascend by rank: sums are made in that order.
struct KindSpec {
  std::span<const FieldShape> fields;
  std::span<const Grid> grids;  // own fields, [field * num_patches + patch]
  std::size_t num_patches = 0;
  std::span<const Piece> self;  // receives from this rank itself, copied in place
  std::vector<LinkSpec> links;
  bool reduces = false;
};

/// What one link sends per exchange.
struct LinkTraffic {
  std::int64_t direct_bytes = 0;      // straight into ghosts
  std::int64_t landed_bytes = 0;      // through a landing buffer
  std::uint32_t num_send_chunks = 0;  // through the landing buffer, one arrived word each
  std::uint32_t num_receive_chunks = 0;
};

/// Tables on the host. In runs, pointers into offset lists are positions in `offsets` + 1 until relocated().
struct Tables {
  std::vector<Run> runs;
  std::vector<Tile> tiles;
  std::vector<Chunk> chunks;  // bulk, send, receive
  std::vector<std::int64_t> offsets;
  std::vector<std::uint64_t*> ready;
  std::vector<std::uint64_t*> consumed;
  std::vector<std::uint64_t*> sent;
  std::uint32_t num_bulk = 0;
  std::uint32_t num_send = 0;
  std::uint32_t num_receive = 0;
  std::uint32_t num_common_waits = 0;  // of the receive chunks: every block waits for these first
  bool reduces = false;
  std::vector<LinkTraffic> traffic;  // by link
};

/// Throws Error(invalid_argument) when a reduction meets elements that are not aligned to their scalars.
Tables compile(const KindSpec& spec);

/// The runs with their offset lists at `offsets`.
std::vector<Run> relocated(const Tables& tables, const std::int64_t* offsets);

}  // namespace halyard::pack::device
