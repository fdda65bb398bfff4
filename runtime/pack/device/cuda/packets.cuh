// Packets: messages that carry their own arrival, see tables.hpp.
#pragma once

#include "pack/device/cuda/tables_at_hand.cuh"
#include "pack/device/cuda/tiles.cuh"

namespace halyard::pack::device {

__device__ inline void store_packet(std::uint64_t packet, uint2 data, std::uint32_t flag) {
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(packet), "l"(std::uint64_t{flag} << 32 | data.x),
               "l"(std::uint64_t{flag} << 32 | data.y)
               : "memory");
}

// Both halves carry the flag, since only 8 bytes are sure to arrive at once.
__device__ inline ulonglong2 load_packet(std::uint64_t packet) {
  ulonglong2 halves;
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(halves.x), "=l"(halves.y)
               : "l"(packet)
               : "memory");
  return halves;
}

__device__ inline uint2 shifted_packet(const Run& run, std::uint32_t unit, uint2 data) {
  const double value = shifted(run, unit, __hiloint2double(static_cast<int>(data.y), static_cast<int>(data.x)));
  return make_uint2(static_cast<unsigned>(__double2loint(value)), static_cast<unsigned>(__double2hiint(value)));
}

template <class Wait>
__device__ inline void send_packets(const Launch& a, const Run& run, const Tile& tile, unsigned lane,
                                    std::uint64_t number, Wait& wait) {
  uint2 units[kUnitsPerLane];
#pragma unroll
  for (unsigned k = 0; k < kUnitsPerLane; ++k) {
    const unsigned i = lane + k * kWarp;
    units[k] = *reinterpret_cast<const uint2*>(places_of(run, tile.first + (i < tile.num ? i : 0)).source);
  }
  if (!wait.is_over()) return;
  const std::uint64_t packets = run.target + (number & 1) * run.target_slot + std::uint64_t{tile.first} * kPacketBytes;
  const std::uint32_t flag = flag_of(word_of(number, a.code));
#pragma unroll
  for (unsigned k = 0; k < kUnitsPerLane; ++k) {
    const unsigned i = lane + k * kWarp;
    if (i >= tile.num) continue;
    if (run.is_shifted) units[k] = shifted_packet(run, tile.first + i, units[k]);
    store_packet(packets + std::uint64_t{i} * kPacketBytes, units[k], flag);
  }
}

__device__ inline bool wait_for_packet(const Launch& a, const Chunk& chunk, std::uint64_t packet, std::uint64_t number,
                                       ulonglong2& halves) {
  const std::uint32_t flag = flag_of(word_of(number, a.code));
  std::uint64_t since = 0;
  for (unsigned spin = 0;; ++spin) {
    halves = load_packet(packet);
    const auto low = static_cast<std::uint32_t>(halves.x >> 32);
    if (low == flag && static_cast<std::uint32_t>(halves.y >> 32) == flag) return true;
    if (spin % kSpinsPerLook != kSpinsPerLook - 1) continue;
    if (has_failed(a)) return false;
    FailureKind kind = FailureKind::none;
    const std::uint64_t now = nanoseconds();
    if (since == 0) since = now;
    if (a.deadline_ns != 0 && now - since > a.deadline_ns) kind = FailureKind::not_arrived;
    if (load_relaxed(chunk.words + kConsumed * kWordStride) == kGaveUp) kind = FailureKind::peer_gave_up;
    const std::uint64_t word = load_relaxed(chunk.words + kFirstArrived * kWordStride);  // of a message without packets
    const bool is_other_word = number_of(word) == number && word != word_of(number, a.code);
    if (is_other_word || (low >> kCodeBits == flag >> kCodeBits && low != flag)) kind = FailureKind::disagreement;
    if (kind == FailureKind::none) continue;
    fail(a, chunk.link, kind, number, word_of(number - 1, 0));
    return false;
  }
}

__device__ inline bool receive_packets(const Launch& a, const RunsAtHand& hand, const Chunk& chunk,
                                       std::uint64_t number) {
  const unsigned lane = threadIdx.x % kWarp;
  bool all_good = true;
  for (std::uint32_t t = threadIdx.x / kWarp; t < chunk.num_tiles; t += blockDim.x / kWarp) {
    const Tile tile = a.tiles[chunk.first_tile + t];
    const Run& run = run_of(a, hand, tile.run);
    const std::uint64_t packets =
        run.source + (number & 1) * run.source_slot + std::uint64_t{tile.first} * kPacketBytes;
    std::uint64_t targets[kUnitsPerLane];
#pragma unroll
    for (unsigned k = 0; k < kUnitsPerLane; ++k) {
      const unsigned i = lane + k * kWarp;
      targets[k] = places_of(run, tile.first + (i < tile.num ? i : 0)).target;
    }
#pragma unroll
    for (unsigned k = 0; k < kUnitsPerLane; ++k) {
      const unsigned i = lane + k * kWarp;
      ulonglong2 halves;
      if (i >= tile.num) continue;
      if (!wait_for_packet(a, chunk, packets + std::uint64_t{i} * kPacketBytes, number, halves)) all_good = false;
      if (all_good)
        *reinterpret_cast<uint2*>(targets[k]) =
            make_uint2(static_cast<unsigned>(halves.x), static_cast<unsigned>(halves.y));
    }
  }
  return all_good;
}

}  // namespace halyard::pack::device
