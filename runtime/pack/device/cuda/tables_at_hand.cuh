// What every block reads of the tables before it can begin, with as few loads one after the other as possible.
#pragma once

#include "pack/device/cuda/words.cuh"

namespace halyard::pack::device {

inline constexpr std::uint32_t kRunsAtHand = 16;

// The first runs, copied to shared memory by the whole block in one load each: a warp that read a run field by field
// from global memory would wait for one sector after the other.
struct RunsAtHand {
  Run runs[kRunsAtHand];
};

__device__ inline void load_runs(const Launch& a, RunsAtHand& hand) {
  constexpr unsigned kWordsPerRun = sizeof(Run) / sizeof(std::uint64_t);
  const unsigned num_words = min(a.num_runs, kRunsAtHand) * kWordsPerRun;
  const auto* from = reinterpret_cast<const std::uint64_t*>(a.runs);
  auto* to = reinterpret_cast<std::uint64_t*>(hand.runs);
  for (unsigned i = threadIdx.x; i < num_words; i += blockDim.x) to[i] = from[i];
  __syncthreads();
}

__device__ inline const Run& run_of(const Launch& a, const RunsAtHand& hand, std::uint32_t number) {
  return number < kRunsAtHand ? hand.runs[number] : a.runs[number];
}

// What a block does: bulk, send or receive, the how-many-th of its kind, and its first chunk, loaded ahead of all else.
struct Role {
  enum Kind { kBulk, kSend, kReceive, kNone } kind = kNone;
  std::uint32_t block = 0;
  std::uint32_t first = 0;  // number of its first chunk
  Chunk first_chunk;

  __device__ Chunk chunk(const Launch& a, std::uint32_t number) const {
    return number == first ? first_chunk : a.chunks[number];
  }
};

__device__ inline Role role_of_block(const Launch& a, bool starts, bool finishes) {
  Role role;
  const std::uint32_t first_send = starts ? a.bulk_blocks : 0;
  const std::uint32_t first_receive = starts ? a.bulk_blocks + a.send_blocks : 0;
  std::uint32_t last = 0;
  if (blockIdx.x < first_send) {
    role.kind = Role::kBulk;
    role.first = role.block = blockIdx.x;
    last = a.num_bulk;
  } else if (blockIdx.x < first_receive) {
    role.kind = Role::kSend;
    role.block = blockIdx.x - first_send;
    role.first = a.num_bulk + role.block;
    last = a.num_bulk + a.num_send;
  } else if (finishes) {
    role.kind = Role::kReceive;
    role.block = blockIdx.x - first_receive;
    role.first = a.num_bulk + a.num_send + a.num_common_waits + role.block;
    last = a.num_bulk + a.num_send + a.num_receive;
  }
  if (role.first < last) role.first_chunk = a.chunks[role.first];
  return role;
}

}  // namespace halyard::pack::device
