// Bulk blocks: rows straight into the peer's ghosts by asynchronous copies that one thread drives through shared
// memory.
#pragma once

#include "pack/device/cuda/tables_at_hand.cuh"

namespace halyard::pack::device {

inline constexpr unsigned kBulkBytes = 8192;
inline constexpr unsigned kBulkStages = 4;
inline constexpr unsigned kBulkAhead = 3;  // loads ahead of stores

__device__ inline std::uint32_t shared_address(const void* memory) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
}

// One thread moves its chunks' rows through a ring of buffers in shared memory.
struct BulkRing {
  std::byte* buffers;
  std::uint64_t* barriers;

  __device__ void open() const {
    for (unsigned i = 0; i < kBulkStages; ++i)
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&barriers[i])) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __device__ void load(unsigned step, std::uint64_t source, std::uint32_t bytes) const {
    const std::uint32_t barrier = shared_address(&barriers[step % kBulkStages]);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(buffers + step % kBulkStages * kBulkBytes)),
                 "l"(source), "r"(bytes), "r"(barrier)
                 : "memory");
  }
  __device__ void wait_until_loaded(unsigned step) const {
    const std::uint32_t parity = step / kBulkStages % 2;
    std::uint32_t is_full = 0;
    while (is_full == 0)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(is_full)
                   : "r"(shared_address(&barriers[step % kBulkStages])), "r"(parity)
                   : "memory");
  }
  __device__ void store(unsigned step, std::uint64_t target, std::uint32_t bytes) const {
    wait_until_loaded(step);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(target),
                 "r"(shared_address(buffers + step % kBulkStages * kBulkBytes)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
};

struct BulkCopy {
  std::uint64_t source;
  std::uint64_t target;
  std::uint32_t bytes;
};

struct BulkShared {
  BulkCopy copies[kBulkStages];
  std::uint64_t barriers[kBulkStages];
};

// One thread streams a link's tiles through the ring, piece by piece as it gets on: workers that the wire serves better
// take more. Loads run ahead of stores, also from one piece to the next and while the peer's ghosts are not ready.
template <class AnyLaunch>
struct BulkWorker {
  const AnyLaunch& a;
  const RunsAtHand& hand;
  const Chunk& chunk;
  const BulkRing& ring;
  BulkCopy* copies;  // by stage
  std::uint64_t number;
  unsigned loaded = 0;
  unsigned stored = 0;
  bool may_go = false;
  bool has_waited = false;

  __device__ void run() {
    std::uint32_t first = chunk.worker * chunk.tiles_per_piece;
    while (first < chunk.num_tiles && (may_go || !has_waited)) {
      const std::uint32_t num = min(chunk.tiles_per_piece, chunk.num_tiles - first);
      const std::uint32_t next = claimed() * chunk.tiles_per_piece;  // back by the time it is needed
      Tile tiles[kMostTilesPerPiece];
#pragma unroll
      for (std::uint32_t t = 0; t < kMostTilesPerPiece; ++t)
        tiles[t] = a.tiles[chunk.first_tile + first + min(t, num - 1)];
#pragma unroll
      for (std::uint32_t t = 0; t < kMostTilesPerPiece; ++t)
        if (t < num) load(tiles[t]);
      first = next;
    }
    while (stored < loaded) store();
    if (!has_waited) wait();
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }

  __device__ std::uint32_t claimed() const { return chunk.num_workers + atomicAdd(&a.claims[chunk.link], 1U); }

  __device__ void load(const Tile& tile) {
    if (loaded - stored == kBulkAhead) store();
    // The buffer's last store has been read out of it once at most those behind it are still to be.
    if (loaded >= kBulkStages)
      asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kBulkStages - kBulkAhead) : "memory");
    const Run& run = run_of(a, hand, tile.run);
    const UnitPlaces places = places_of(run, tile.first);
    BulkCopy& copy = copies[loaded % kBulkStages];
    copy = {places.source, places.target, tile.num * run.unit_bytes};
    ring.load(loaded, copy.source, copy.bytes);
    ++loaded;
  }

  __device__ void store() {
    if (!has_waited) wait();
    const BulkCopy& copy = copies[stored % kBulkStages];
    if (may_go)
      ring.store(stored, copy.target, copy.bytes);
    else
      ring.wait_until_loaded(stored);  // none may land after the block
    ++stored;
  }

  __device__ void wait() {
    may_go = wait_for(a, chunk, chunk.wait, FailureKind::not_ready, number);
    has_waited = true;
  }
};

// After the copies are over. Where that means that they are in the peer's memory, a word stored now comes after them;
// a release would go all the way there and back once more.
__device__ inline void tell_arrived(const Chunk& chunk, std::uint64_t word) {
  asm volatile("fence.proxy.async;" ::: "memory");
  if (chunk.is_acknowledged != 0)
    store_relaxed(chunk.signal, word);
  else
    store_release(chunk.signal, word);
}

template <class AnyLaunch>
__device__ inline bool send_bulk(const AnyLaunch& a, const RunsAtHand& hand, const Role& role, std::uint64_t number,
                                 bool is_alive) {
  extern __shared__ __align__(128) std::byte buffers[];
  __shared__ BulkShared shared;
  if (threadIdx.x != 0) return is_alive;
  const BulkRing ring{buffers, shared.barriers};
  ring.open();
  unsigned step = 0;  // of the ring, whose barriers' phases go on
  bool may_go = is_alive;
  for (std::uint32_t k = role.block; k < a.num_bulk && may_go; k += a.bulk_blocks) {
    const Chunk chunk = role.chunk(a, k);
    BulkWorker<AnyLaunch> worker{a, hand, chunk, ring, shared.copies, number, step, step};
    worker.run();
    step = worker.loaded;
    may_go = worker.may_go;
    if (!may_go) break;
    tell_arrived(chunk, word_of(number, a.code));
  }
  return may_go;
}

}  // namespace halyard::pack::device
