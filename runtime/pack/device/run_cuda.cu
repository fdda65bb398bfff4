// The exchange kernel: packs, moves, signals, waits and unpacks in one launch. Words as in ../../transport/protocol.md;
// tables as in tables.hpp; the host twin is run_host.cpp. Choices and what they were measured against: docs/adr/0010.
//
// Blocks come in three roles, in this order in the grid, so that a grid larger than what is resident still ends: bulk
// blocks move long aligned rows straight into the peer's ghosts by bulk asynchronous copies; send blocks gather into the
// peer's landing buffer; receive blocks wait for chunks and unpack them.
#include <cuda/atomic>
#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "pack/device/compile.hpp"
#include "pack/device/kernel.hpp"
#include "pack/device/reduce_unit.hpp"

namespace halyard::pack::device {
namespace {

constexpr unsigned kMostThreads = 512;
constexpr unsigned kThreadsForPackets = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kUnitsPerLane = 2;
constexpr unsigned kBulkBytes = 8192;
constexpr unsigned kBulkStages = 4;
constexpr unsigned kSpinsPerLook = 256;

__device__ std::uint64_t load_acquire(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

__device__ std::uint64_t load_relaxed(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

// For words that only free memory: what must come before them are loads whose values have been used by then. A release
// would wait for stores that nobody asks about.
__device__ void store_relaxed(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ void store_release(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

constexpr std::uint32_t kRunsAtHand = 16;

// The first runs, copied to shared memory by the whole block in one load each: a warp that read a run field by field from
// global memory would wait for one sector after the other.
struct RunsAtHand {
  Run runs[kRunsAtHand];
};

__device__ void load_runs(const Launch& a, RunsAtHand& hand) {
  constexpr unsigned kWordsPerRun = sizeof(Run) / sizeof(std::uint64_t);
  const unsigned num_words = min(a.num_runs, kRunsAtHand) * kWordsPerRun;
  const auto* from = reinterpret_cast<const std::uint64_t*>(a.runs);
  auto* to = reinterpret_cast<std::uint64_t*>(hand.runs);
  for (unsigned i = threadIdx.x; i < num_words; i += blockDim.x) to[i] = from[i];
  __syncthreads();
}

__device__ const Run& run_of(const Launch& a, const RunsAtHand& hand, std::uint32_t number) {
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

__device__ Role role_of_block(const Launch& a, bool starts, bool finishes) {
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

__device__ bool has_failed(const Launch& a) {
  return *static_cast<volatile const std::uint32_t*>(&a.counters->failed) != 0;
}

// The first block that fails says why; all others see it and stop.
__device__ __noinline__ void fail(const Launch& a, std::uint32_t link, FailureKind kind, std::uint64_t number,
                                  std::uint64_t seen) {
  if (atomicExch(&a.counters->failed, 1U) != 0) return;
  volatile Failure* failure = a.failure;
  failure->link = link;
  failure->number = number;
  failure->word = seen;
  __threadfence_system();
  failure->kind = static_cast<std::uint32_t>(kind);
}

// True once words[index] says that the exchange `number` may go on.
__device__ bool wait_for(const Launch& a, const Chunk& chunk, std::uint32_t index, FailureKind kind,
                         std::uint64_t number) {
  const std::uint64_t* word = chunk.words + index * kWordStride;
  std::uint64_t since = 0;
  for (unsigned spin = 0;; ++spin) {
    const std::uint64_t seen = load_acquire(word);
    if (seen != kGaveUp && number_of(seen) + chunk.lag >= number) {
      if (chunk.lag != 0 || number_of(seen) != number || seen == word_of(number, a.code)) return true;
      fail(a, chunk.link, FailureKind::disagreement, number, seen);
      return false;
    }
    if (spin % kSpinsPerLook != kSpinsPerLook - 1 && seen != kGaveUp) continue;
    if (has_failed(a)) return false;
    if (seen == kGaveUp || load_relaxed(chunk.words + kConsumed * kWordStride) == kGaveUp) {
      fail(a, chunk.link, FailureKind::peer_gave_up, number, seen);
      return false;
    }
    const std::uint64_t now = nanoseconds();
    if (since == 0) since = now;
    if (a.deadline_ns != 0 && now - since > a.deadline_ns) {
      fail(a, chunk.link, kind, number, seen);
      return false;
    }
  }
}

// What must be known before a tile's data may move: loads of tables, and of what is sent, go ahead of it.
enum class Order { load_then_wait, wait_then_load };

template <class Unit, Order kOrder, class Wait>
__device__ void copy_tile(const Run& run, const Tile& tile, unsigned lane, std::uint64_t odd, Wait& wait) {
  const std::uint64_t source_slot = odd * run.source_slot;
  const std::uint64_t target_slot = odd * run.target_slot;
  Unit units[kUnitsPerLane];
  std::uint64_t sources[kUnitsPerLane];
  std::uint64_t targets[kUnitsPerLane];
#pragma unroll
  for (unsigned k = 0; k < kUnitsPerLane; ++k) {
    const unsigned i = lane + k * kWarp;
    const UnitPlaces places = places_of(run, tile.first + (i < tile.num ? i : 0));
    sources[k] = places.source + source_slot;
    targets[k] = places.target + target_slot;
    if constexpr (kOrder == Order::load_then_wait) units[k] = *reinterpret_cast<const Unit*>(sources[k]);
  }
  if (!wait.is_over()) return;
  if constexpr (kOrder == Order::wait_then_load) {
#pragma unroll
    for (unsigned k = 0; k < kUnitsPerLane; ++k) units[k] = *reinterpret_cast<const Unit*>(sources[k]);
  }
#pragma unroll
  for (unsigned k = 0; k < kUnitsPerLane; ++k)
    if (lane + k * kWarp < tile.num) *reinterpret_cast<Unit*>(targets[k]) = units[k];
}

template <Order kOrder, class Wait>
__device__ void copy_tile_of_any_unit(const Run& run, const Tile& tile, unsigned lane, std::uint64_t odd, Wait& wait) {
  switch (run.unit_bytes) {
    case 16:
      return copy_tile<uint4, kOrder>(run, tile, lane, odd, wait);
    case 8:
      return copy_tile<std::uint64_t, kOrder>(run, tile, lane, odd, wait);
    case 4:
      return copy_tile<std::uint32_t, kOrder>(run, tile, lane, odd, wait);
    case 2:
      return copy_tile<std::uint16_t, kOrder>(run, tile, lane, odd, wait);
    default:
      return copy_tile<std::uint8_t, kOrder>(run, tile, lane, odd, wait);
  }
}

__device__ void reduce_tile(const Run& run, const Tile& tile, unsigned lane, std::uint64_t odd, Reduce op) {
  const std::uint64_t slot = odd * run.source_slot;
  for (unsigned i = lane; i < tile.num; i += kWarp) {
    const UnitPlaces places = places_of(run, tile.first + i);
    void* target = reinterpret_cast<void*>(places.target);
    if (run.shape != RunShape::summed) {
      reduce_unit(run.scalar, op, target, reinterpret_cast<const void*>(places.source + slot));
      continue;
    }
    for (std::int64_t c = run.first_source[places.row]; c < run.first_source[places.row + 1]; ++c)
      reduce_unit(run.scalar, op, target,
                  reinterpret_cast<const void*>(static_cast<std::uint64_t>(run.source_offsets[c]) +
                                                places.column_bytes + slot));
  }
}

// A warp's wait for a chunk's word, done once, when its first tile needs it.
struct WarpWait {
  const Launch& a;
  const Chunk& chunk;
  FailureKind kind;
  std::uint64_t number;
  bool is_done = false;
  bool is_good = true;

  __device__ bool is_over() {
    if (is_done) return is_good;
    is_done = true;
    if (chunk.words == nullptr) return true;
    if (threadIdx.x % kWarp == 0) is_good = wait_for(a, chunk, chunk.wait, kind, number);
    is_good = __shfl_sync(~0U, is_good, 0);
    __syncwarp();  // orders what lane 0 acquired before the other lanes' loads
    return is_good;
  }
};

// ---- packets --------------------------------------------------------------------------------------------------------

__device__ void store_packet(std::uint64_t packet, uint2 data, std::uint32_t flag) {
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(packet),
               "l"(std::uint64_t{flag} << 32 | data.x), "l"(std::uint64_t{flag} << 32 | data.y)
               : "memory");
}

// Both halves carry the flag, since only 8 bytes are sure to arrive at once.
__device__ ulonglong2 load_packet(std::uint64_t packet) {
  ulonglong2 halves;
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(halves.x), "=l"(halves.y) : "l"(packet) : "memory");
  return halves;
}

template <class Wait>
__device__ void send_packets(const Launch& a, const Run& run, const Tile& tile, unsigned lane, std::uint64_t number,
                             Wait& wait) {
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
    if (i < tile.num) store_packet(packets + std::uint64_t{i} * kPacketBytes, units[k], flag);
  }
}

__device__ bool wait_for_packet(const Launch& a, const Chunk& chunk, std::uint64_t packet, std::uint64_t number,
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
    if (low >> kCodeBits == flag >> kCodeBits && low != flag) kind = FailureKind::disagreement;
    if (kind == FailureKind::none) continue;
    fail(a, chunk.link, kind, number, word_of(number - 1, 0));
    return false;
  }
}

__device__ bool receive_packets(const Launch& a, const RunsAtHand& hand, const Chunk& chunk, std::uint64_t number) {
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

// ---- tiles of a chunk -----------------------------------------------------------------------------------------------

template <Order kOrder>
__device__ bool copy_tiles(const Launch& a, const RunsAtHand& hand, const Chunk& chunk, FailureKind kind,
                           std::uint64_t number) {
  const unsigned lane = threadIdx.x % kWarp;
  WarpWait wait{a, chunk, kind, number};
  for (std::uint32_t t = threadIdx.x / kWarp; t < chunk.num_tiles; t += blockDim.x / kWarp) {
    const Tile tile = a.tiles[chunk.first_tile + t];
    const Run& run = run_of(a, hand, tile.run);
    if (kOrder == Order::load_then_wait && run.packets == Packets::sent)
      send_packets(a, run, tile, lane, number, wait);
    else
      copy_tile_of_any_unit<kOrder>(run, tile, lane, number & 1, wait);
  }
  if (threadIdx.x < kWarp) (void)wait.is_over();  // also for a chunk without tiles
  return wait.is_good;
}

__device__ void reduce_tiles(const Launch& a, const Chunk& chunk, std::uint64_t number) {
  for (std::uint32_t t = threadIdx.x / kWarp; t < chunk.num_tiles; t += blockDim.x / kWarp) {
    const Tile tile = a.tiles[chunk.first_tile + t];
    reduce_tile(a.runs[tile.run], tile, threadIdx.x % kWarp, number & 1, a.op);
  }
}

// ---- send -----------------------------------------------------------------------------------------------------------

__device__ bool send(const Launch& a, const RunsAtHand& hand, const Role& role, std::uint64_t number, bool is_alive) {
  bool all_good = is_alive;
  for (std::uint32_t k = role.block; k < a.num_send; k += a.send_blocks) {
    const Chunk chunk = role.chunk(a, a.num_bulk + k);
    const bool may_go = copy_tiles<Order::load_then_wait>(a, hand, chunk, FailureKind::no_credit, number);
    const bool all_went = __syncthreads_and(may_go && is_alive);
    // Release at system scope is cumulative over the stores of the block that the barrier ordered before it.
    if (all_went && threadIdx.x == 0 && chunk.signal != nullptr) store_release(chunk.signal, word_of(number, a.code));
    all_good = all_good && all_went;
  }
  return all_good;
}

__device__ std::uint32_t shared_address(const void* memory) {
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
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(buffers + step % kBulkStages * kBulkBytes)),
        "l"(source), "r"(bytes), "r"(barrier)
        : "memory");
  }
  __device__ void wait_until_loaded(unsigned step) const {
    const std::uint32_t parity = step / kBulkStages % 2;
    std::uint32_t is_full = 0;
    while (is_full == 0)
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
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

constexpr unsigned kCopiesAtOnce = 128;  // addresses worked out by all threads for the one that drives the copies

struct BulkShared {
  BulkCopy copies[kCopiesAtOnce];
  std::uint64_t barriers[kBulkStages];
};

__device__ void prepare_copies(const Launch& a, const RunsAtHand& hand, std::uint32_t first_tile, unsigned count,
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
__device__ bool stream_copies(const Launch& a, const Chunk& chunk, const BulkCopy* copies, unsigned n,
                              const BulkRing& ring, unsigned& step, std::uint64_t number) {
  constexpr unsigned kBehind = kBulkStages / 2;  // a buffer is filled again this many stores after its own
  unsigned loaded = 0;
  for (; loaded < n && loaded < kBulkStages; ++loaded)
    ring.load(step + loaded, copies[loaded].source, copies[loaded].bytes);
  const bool may_go = wait_for(a, chunk, chunk.wait, FailureKind::not_ready, number);
  for (unsigned i = 0; i < loaded && !may_go; ++i) ring.wait_until_loaded(step + i);  // none may land after the block
  for (unsigned i = 0; i < n && may_go; ++i) {
    ring.store(step + i, copies[i].target, copies[i].bytes);
    if (i < kBehind || loaded >= n) continue;
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kBehind) : "memory");
    ring.load(step + loaded, copies[loaded].source, copies[loaded].bytes);
    ++loaded;
  }
  step += loaded;
  return may_go;
}

__device__ bool send_bulk(const Launch& a, const RunsAtHand& hand, const Role& role, std::uint64_t number,
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
        may_go = stream_copies(a, chunk, shared.copies, count, ring, step, number);
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

// ---- receive --------------------------------------------------------------------------------------------------------

__device__ bool wait_for_words(const Launch& a, const Chunk& chunk, std::uint64_t number) {
  if (chunk.words == nullptr) return true;
  bool all = true;
  if (chunk.num_waits == 1) {
    if (threadIdx.x % kWarp == 0) all = wait_for(a, chunk, chunk.wait, FailureKind::not_arrived, number);
    all = __shfl_sync(~0U, all, 0);
    __syncwarp();
    return all;
  }
  for (std::uint32_t w = threadIdx.x; w < chunk.num_waits; w += blockDim.x)
    all = wait_for(a, chunk, chunk.wait + w, FailureKind::not_arrived, number) && all;
  return __syncthreads_and(all);
}

template <bool kReduces>
__device__ bool receive(const Launch& a, const RunsAtHand& hand, const Role& role, std::uint64_t number,
                        bool is_alive) {
  const std::uint32_t first = a.num_bulk + a.num_send;
  bool all_good = is_alive;
  for (std::uint32_t k = 0; k < a.num_common_waits; ++k) all_good = wait_for_words(a, a.chunks[first + k], number) && all_good;
  if (a.num_common_waits > 0) all_good = __syncthreads_and(all_good);
  if (!all_good) return false;
  for (std::uint32_t k = a.num_common_waits + role.block; k < a.num_receive; k += a.receive_blocks) {
    const Chunk chunk = role.chunk(a, first + k);
    if (chunk.num_waits > 1) {
      all_good = wait_for_words(a, chunk, number) && all_good;
    } else if (chunk.num_waits == 0) {
      all_good = receive_packets(a, hand, chunk, number) && all_good;
    } else if constexpr (!kReduces) {
      all_good = copy_tiles<Order::wait_then_load>(a, hand, chunk, FailureKind::not_arrived, number) && all_good;
    } else {
      const bool may_go = wait_for_words(a, chunk, number);
      if (may_go) reduce_tiles(a, chunk, number);
      all_good = all_good && may_go;
    }
  }
  return all_good;
}

// ---- the kernel -----------------------------------------------------------------------------------------------------

// The last block of the grid ends the exchange for this rank. What it stores is in registers by then: each load here
// would be latency that every exchange pays. Blocks that failed are counted in the upper half.
__device__ void count_block(const Launch& a, bool starts, bool finishes, std::uint64_t sent, std::uint64_t received,
                            bool is_good) {
  constexpr std::uint32_t kOneFailed = 1U << 16;
  const bool all_good = __syncthreads_and(is_good);
  if (threadIdx.x != 0) return;
  std::uint32_t* counter = starts ? &a.counters->done : &a.counters->done_finish;
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> done(*counter);
  const std::uint32_t before = done.fetch_add(all_good ? 1 : 1 + kOneFailed, cuda::memory_order_relaxed);
  if (before % kOneFailed + 1 != gridDim.x) return;
  const bool failed = !all_good || before >= kOneFailed;
  volatile Counters* counters = a.counters;
  done.store(0, cuda::memory_order_relaxed);
  if (starts) counters->started = sent;
  if (finishes) counters->finished = received;
  if (!finishes && !failed) return;
  const std::uint64_t word = failed ? kGaveUp : word_of(received, a.code);
  for (std::uint32_t i = 0; i < a.num_consumed; ++i)
    store_relaxed(i < kInlineWords ? a.first_consumed[i] : a.consumed[i], word);
}

template <bool kReduces>
__global__ void __launch_bounds__(kMostThreads, 2) exchange(const __grid_constant__ Launch a) {
  __shared__ RunsAtHand hand;
  const bool starts = (static_cast<std::uint32_t>(a.phase) & 1U) != 0;
  const bool finishes = (static_cast<std::uint32_t>(a.phase) & 2U) != 0;
  const Role role = role_of_block(a, starts, finishes);
  const volatile Counters* counters = a.counters;
  const std::uint64_t sending = counters->started + 1;
  const std::uint64_t receiving = counters->finished + 1;
  const bool is_alive = counters->failed == 0;
  if (starts && blockIdx.x == 0 && is_alive)
    for (std::uint32_t i = threadIdx.x; i < a.num_ready; i += blockDim.x)
      store_relaxed(i < kInlineWords ? a.first_ready[i] : a.ready[i], word_of(sending, a.code));
  load_runs(a, hand);
  bool is_good = is_alive;
  if (role.kind == Role::kBulk)
    is_good = send_bulk(a, hand, role, sending, is_alive);
  else if (role.kind == Role::kSend)
    is_good = send(a, hand, role, sending, is_alive);
  else if (role.kind == Role::kReceive)
    is_good = receive<kReduces>(a, hand, role, receiving, is_alive);
  count_block(a, starts, finishes, sending, receiving, is_good);
}

std::uint32_t num_blocks(const Launch& a) {
  const auto phase = static_cast<std::uint32_t>(a.phase);
  std::uint32_t blocks = 0;
  if ((phase & 1U) != 0) blocks += a.bulk_blocks + a.send_blocks;
  if ((phase & 2U) != 0) blocks += a.receive_blocks;
  return std::max(blocks, 1U);
}

class CurrentGpu {
 public:
  explicit CurrentGpu(int ordinal) {
    if (cudaGetDevice(&before_) != cudaSuccess) before_ = -1;
    if (before_ != ordinal) cudaSetDevice(ordinal);
    changed_ = before_ != ordinal && before_ >= 0;
  }
  ~CurrentGpu() {
    if (changed_) cudaSetDevice(before_);
  }
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  int before_ = -1;
  bool changed_ = false;
};

Status failed(const char* what, int ordinal, cudaError_t error) {
  return {StatusCode::transport_failed, std::string(what) + " on GPU " + std::to_string(ordinal) + ": " +
                                            cudaGetErrorString(error)};
}

}  // namespace

Status load_cuda_kernels(int ordinal) {
  const CurrentGpu current(ordinal);
  cudaFuncAttributes attributes;
  cudaError_t error = cudaFuncGetAttributes(&attributes, exchange<false>);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, exchange<true>);
  if (error == cudaSuccess) return {};
  return failed("load the exchange kernels (built for compute capability 9.0 and newer)", ordinal, error);
}

Status launch_cuda(const Launch& launch, Stream stream, int ordinal) {  // data path
  const CurrentGpu current(ordinal);
  const bool has_bulk = launch.num_bulk > 0 && (static_cast<std::uint32_t>(launch.phase) & 1U) != 0;
  const std::size_t shared_bytes = has_bulk ? std::size_t{kBulkBytes} * kBulkStages : 0;
  const unsigned threads = launch.is_small ? kThreadsForPackets : kMostThreads;
  auto* native = static_cast<cudaStream_t>(stream.native);
  if (launch.reduces)
    exchange<true><<<num_blocks(launch), threads, shared_bytes, native>>>(launch);
  else
    exchange<false><<<num_blocks(launch), threads, shared_bytes, native>>>(launch);
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return {};
  return failed("launch an exchange", ordinal, error);
}

}  // namespace halyard::pack::device
