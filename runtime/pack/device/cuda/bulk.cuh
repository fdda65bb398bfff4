// Bulk blocks: rows straight into the peer's ghosts by asynchronous copies that one thread drives through shared
// memory.
#pragma once

#include "pack/device/cuda/tables_at_hand.cuh"

namespace halyard::pack::device {

inline constexpr unsigned kBulkBytes = 8192;
inline constexpr unsigned kBulkStages = 4;

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

inline constexpr unsigned kCopiesAtOnce =
    128;  // addresses worked out by all threads for the one that drives the copies

struct BulkCopies {
  const BulkCopy* first;
  unsigned count;
};

struct BulkShared {
  BulkCopy copies[kCopiesAtOnce];
  std::uint64_t barriers[kBulkStages];
};

__device__ inline void prepare_copies(const Launch& a, const RunsAtHand& hand, std::uint32_t first_tile, unsigned count,
                                      BulkCopy* copies) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    const Tile tile = a.tiles[first_tile + i];
    const Run& run = run_of(a, hand, tile.run);
    const UnitPlaces places = places_of(run, tile.first);
    copies[i] = {places.source, places.target, tile.num * run.unit_bytes};
  }
  __syncthreads();
}

// One thread streams prepared copies through the ring. Nothing is in flight before or after.
__device__ inline bool stream_copies(const Launch& a, const Chunk& chunk, const BulkCopies& copies,
                                     const BulkRing& ring, unsigned& step, std::uint64_t number) {
  constexpr unsigned kBehind = kBulkStages / 2;  // a buffer is filled again this many stores after its own
  const unsigned n = copies.count;
  unsigned loaded = 0;
  for (; loaded < n && loaded < kBulkStages; ++loaded)
    ring.load(step + loaded, copies.first[loaded].source, copies.first[loaded].bytes);
  const bool may_go = wait_for(a, chunk, chunk.wait, FailureKind::not_ready, number);
  for (unsigned i = 0; i < loaded && !may_go; ++i) ring.wait_until_loaded(step + i);  // none may land after the block
  for (unsigned i = 0; i < n && may_go; ++i) {
    ring.store(step + i, copies.first[i].target, copies.first[i].bytes);
    if (i < kBehind || loaded >= n) continue;
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kBehind) : "memory");
    ring.load(step + loaded, copies.first[loaded].source, copies.first[loaded].bytes);
    ++loaded;
  }
  step += loaded;
  return may_go;
}

__device__ inline bool send_bulk(const Launch& a, const RunsAtHand& hand, const Role& role, std::uint64_t number,
                                 bool is_alive) {
  extern __shared__ __align__(128) std::byte buffers[];
  __shared__ BulkShared shared;
  const BulkRing ring{buffers, shared.barriers};
  if (threadIdx.x == 0) ring.open();
  unsigned step = 0;
  bool may_go = is_alive;
  for (std::uint32_t k = role.block; k < a.num_bulk && may_go; k += a.bulk_blocks) {
    const Chunk chunk = role.chunk(a, k);
    for (std::uint32_t done = 0; done < chunk.num_tiles && may_go; done += kCopiesAtOnce) {
      const unsigned count = min(kCopiesAtOnce, chunk.num_tiles - done);
      prepare_copies(a, hand, chunk.first_tile + done, count, shared.copies);
      if (threadIdx.x == 0) {
        may_go = stream_copies(a, chunk, {shared.copies, count}, ring, step, number);
        const bool is_last = done + count == chunk.num_tiles;
        if (is_last)
          asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        else
          asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");  // the ring's buffers are free again
        if (is_last && may_go) {
          asm volatile("fence.proxy.async;" ::: "memory");
          store_release(chunk.signal, word_of(number, a.code));
        }
      }
      may_go = __syncthreads_and(may_go);
    }
  }
  return may_go;
}

}  // namespace halyard::pack::device
