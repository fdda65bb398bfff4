// Packets: messages that carry their own arrival, see tables.hpp. A packet is a line of memory that eight lanes store
// with one instruction, so that it arrives whole.
#pragma once

#include "pack/device/cuda/tables_at_hand.cuh"
#include "pack/device/cuda/tiles.cuh"

namespace halyard::pack::device {

struct TwoWords {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

__device__ inline void store_two_words(std::uint64_t address, const TwoWords& words) {
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(address), "l"(words.first), "l"(words.second)
               : "memory");
}

__device__ inline TwoWords load_two_words(std::uint64_t address) {
  TwoWords words;
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(words.first), "=l"(words.second)
               : "l"(address)
               : "memory");
  return words;
}

// What a lane has of a tile's packets: two words of one of them, the last lane of a packet one word and the flag.
struct PacketLane {
  static constexpr unsigned kLanesPerPacket = kPacketBytes / sizeof(TwoWords);
  static_assert(kPacketsPerTile * kLanesPerPacket == kWarp);

  std::uint32_t first = 0;  // unit of the run
  unsigned num = 0;         // units that the message has there
  bool is_in_packet = false;
  bool has_flag = false;
  std::uint32_t offset = 0;  // of the lane's two words from unit 0's packet

  __device__ PacketLane(const Tile& tile, unsigned lane) {
    const unsigned packet = lane / kLanesPerPacket;
    const unsigned part = lane % kLanesPerPacket;
    const unsigned unit = packet * kPacketWords + 2 * part;
    has_flag = part == kLanesPerPacket - 1;
    is_in_packet = packet * kPacketWords < tile.num;
    if (unit < tile.num) num = min(has_flag ? 1U : 2U, tile.num - unit);
    first = tile.first + unit;
    offset = (tile.first / kPacketWords + packet) * kPacketBytes + part * static_cast<unsigned>(sizeof(TwoWords));
  }
};

template <class Wait>
__device__ inline void send_packets(const Launch& a, const Run& run, const Tile& tile, unsigned lane,
                                    std::uint64_t number, Wait& wait) {
  const PacketLane mine(tile, lane);
  TwoWords words;
  if (mine.num > 0) words.first = *reinterpret_cast<const std::uint64_t*>(places_of(run, mine.first).source);
  if (mine.num > 1) words.second = *reinterpret_cast<const std::uint64_t*>(places_of(run, mine.first + 1).source);
  if (mine.has_flag) words.second = word_of(number, a.code);
  if (!wait.is_over()) return;
  const std::uint64_t packets = run.target + (number & 1) * run.target_slot;
  __syncwarp();
  if (mine.is_in_packet) store_two_words(packets + mine.offset, words);
}

// Whether it is in vain to wait on; says why once it is. Asked by the lane that waits for a flag and saw another one.
__device__ __noinline__ inline bool is_in_vain(const Launch& a, const Chunk& chunk, std::uint64_t number,
                                               std::uint64_t flag, std::uint64_t& since) {
  if (has_failed(a)) return true;
  FailureKind kind = FailureKind::none;
  const std::uint64_t now = nanoseconds();
  if (since == 0) since = now;
  if (a.deadline_ns != 0 && now - since > a.deadline_ns) kind = FailureKind::not_arrived;
  if (load_relaxed(chunk.words + kConsumed * kWordStride) == kGaveUp) kind = FailureKind::peer_gave_up;
  const std::uint64_t word = load_relaxed(chunk.words + kFirstArrived * kWordStride);  // of a message without packets
  const auto is_other = [&](std::uint64_t seen) {
    return number_of(seen) == number && seen != word_of(number, a.code);
  };
  if (is_other(word) || is_other(flag)) kind = FailureKind::disagreement;
  if (kind == FailureKind::none) return false;
  fail(a, chunk.link, kind, number, word_of(number - 1, 0));
  return true;
}

// A warp's wait for the packets of a tile; `words` are what was loaded together with the flags that were awaited.
template <class AnyLaunch>
__device__ inline bool wait_for_packets(const AnyLaunch& a, const Chunk& chunk, std::uint64_t packets,
                                        const PacketLane& mine, std::uint64_t number, TwoWords& words) {
  const std::uint64_t flag = word_of(number, a.code);
  const bool awaits_flag = mine.is_in_packet && mine.has_flag;
  std::uint64_t since = 0;
  for (unsigned spin = 0;; ++spin) {
    if (mine.is_in_packet) words = load_two_words(packets + mine.offset);
    const bool is_here = !awaits_flag || words.second == flag;
    if (__all_sync(~0U, is_here)) {
      if (threadIdx.x % kWarp == 0) stamp_wait(a, FailureKind::not_arrived);
      return true;
    }
    if (spin % kSpinsPerLook != kSpinsPerLook - 1) continue;
    if (__any_sync(~0U, !is_here && is_in_vain(a, chunk, number, words.second, since))) return false;
  }
}

template <class AnyLaunch>
__device__ inline bool receive_packets(const AnyLaunch& a, const RunsAtHand& hand, const Chunk& chunk,
                                       std::uint64_t number) {
  bool all_good = true;
  for (std::uint32_t t = threadIdx.x / kWarp; t < chunk.num_tiles; t += blockDim.x / kWarp) {
    const Tile tile = a.tiles[chunk.first_tile + t];
    const Run& run = run_of(a, hand, tile.run);
    const PacketLane mine(tile, threadIdx.x % kWarp);
    std::uint64_t targets[2];
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) targets[k] = places_of(run, mine.first + (k < mine.num ? k : 0)).target;
    TwoWords words;
    const std::uint64_t packets = run.source + (number & 1) * run.source_slot;
    all_good = all_good && wait_for_packets(a, chunk, packets, mine, number, words);
    if (all_good && mine.num > 0) *reinterpret_cast<std::uint64_t*>(targets[0]) = words.first;
    if (all_good && mine.num > 1) *reinterpret_cast<std::uint64_t*>(targets[1]) = words.second;
  }
  return all_good;
}

}  // namespace halyard::pack::device
