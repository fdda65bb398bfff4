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

constexpr unsigned kThreads = 512;
constexpr unsigned kWarp = 32;
constexpr unsigned kUnitsPerLane = 2;
constexpr unsigned kBulkBytes = 4096;
constexpr unsigned kBulkStages = 8;
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

__device__ void store_release(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ bool has_failed(const Launch& a) {
  return *static_cast<volatile const std::uint32_t*>(&a.counters->failed) != 0;
}

// The first block that fails says why; all others see it and stop.
__device__ __noinline__ void fail(const Launch& a, const Chunk& chunk, FailureKind kind, std::uint64_t number,
                                  std::uint64_t seen) {
  if (atomicExch(&a.counters->failed, 1U) != 0) return;
  volatile Failure* failure = a.failure;
  failure->link = chunk.link;
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
      fail(a, chunk, FailureKind::disagreement, number, seen);
      return false;
    }
    if (spin % kSpinsPerLook != kSpinsPerLook - 1 && seen != kGaveUp) continue;
    if (has_failed(a)) return false;
    if (seen == kGaveUp || load_relaxed(chunk.words + kConsumed * kWordStride) == kGaveUp) {
      fail(a, chunk, FailureKind::peer_gave_up, number, seen);
      return false;
    }
    const std::uint64_t now = nanoseconds();
    if (since == 0) since = now;
    if (a.deadline_ns != 0 && now - since > a.deadline_ns) {
      fail(a, chunk, kind, number, seen);
      return false;
    }
  }
}

template <class Unit>
__device__ void copy_tile(const Run& run, const Tile& tile, unsigned lane, std::uint64_t odd) {
  const std::uint64_t source_slot = odd * run.source_slot;
  const std::uint64_t target_slot = odd * run.target_slot;
  Unit units[kUnitsPerLane];
  std::uint64_t targets[kUnitsPerLane];
#pragma unroll
  for (unsigned k = 0; k < kUnitsPerLane; ++k) {
    const unsigned i = lane + k * kWarp;
    if (i >= tile.num) continue;
    const UnitPlaces places = places_of(run, tile.first + i);
    units[k] = *reinterpret_cast<const Unit*>(places.source + source_slot);
    targets[k] = places.target + target_slot;
  }
#pragma unroll
  for (unsigned k = 0; k < kUnitsPerLane; ++k)
    if (lane + k * kWarp < tile.num) *reinterpret_cast<Unit*>(targets[k]) = units[k];
}

__device__ void copy_tile_of_any_unit(const Run& run, const Tile& tile, unsigned lane, std::uint64_t odd) {
  switch (run.unit_bytes) {
    case 16:
      return copy_tile<uint4>(run, tile, lane, odd);
    case 8:
      return copy_tile<std::uint64_t>(run, tile, lane, odd);
    case 4:
      return copy_tile<std::uint32_t>(run, tile, lane, odd);
    case 2:
      return copy_tile<std::uint16_t>(run, tile, lane, odd);
    default:
      return copy_tile<std::uint8_t>(run, tile, lane, odd);
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

template <bool kReduces>
__device__ void run_tiles(const Launch& a, const Chunk& chunk, std::uint64_t number) {
  const unsigned lane = threadIdx.x % kWarp;
  for (std::uint32_t t = threadIdx.x / kWarp; t < chunk.num_tiles; t += kThreads / kWarp) {
    const Tile tile = a.tiles[chunk.first_tile + t];
    const Run& run = a.runs[tile.run];
    if constexpr (kReduces)
      reduce_tile(run, tile, lane, number & 1, a.op);
    else
      copy_tile_of_any_unit(run, tile, lane, number & 1);
  }
}

// ---- send -----------------------------------------------------------------------------------------------------------

__device__ void send(const Launch& a, std::uint32_t block, std::uint64_t number) {
  for (std::uint32_t k = block; k < a.num_send; k += a.send_blocks) {
    const Chunk chunk = a.chunks[a.num_bulk + k];
    bool may_go = true;
    if (threadIdx.x % kWarp == 0 && chunk.words != nullptr)
      may_go = wait_for(a, chunk, chunk.wait, FailureKind::no_credit, number);
    may_go = __shfl_sync(~0U, may_go, 0);
    if (may_go) run_tiles<false>(a, chunk, number);
    const bool all_went = __syncthreads_and(may_go);
    // Release at system scope is cumulative over the stores of the block that the barrier ordered before it.
    if (all_went && threadIdx.x == 0 && chunk.signal != nullptr) store_release(chunk.signal, word_of(number, a.code));
  }
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

__device__ BulkCopy bulk_copy_of(const Launch& a, std::uint32_t tile_number) {
  const Tile tile = a.tiles[tile_number];
  const Run& run = a.runs[tile.run];
  const UnitPlaces places = places_of(run, tile.first);
  return {places.source, places.target, tile.num * run.unit_bytes};
}

// Chunks of one block are one stream of copies; its words are stored when all of them are complete.
__device__ void send_bulk_chunk(const Launch& a, const Chunk& chunk, const BulkRing& ring, unsigned& step,
                                std::uint64_t number) {
  constexpr unsigned kBehind = kBulkStages / 2;  // a buffer is filled again this many stores after its own
  const unsigned n = chunk.num_tiles;
  unsigned loaded = 0;
  for (; loaded < n && loaded < kBulkStages; ++loaded) {
    const BulkCopy copy = bulk_copy_of(a, chunk.first_tile + loaded);
    ring.load(step + loaded, copy.source, copy.bytes);
  }
  const bool may_go = wait_for(a, chunk, chunk.wait, FailureKind::not_ready, number);
  for (unsigned i = 0; i < loaded && !may_go; ++i) ring.wait_until_loaded(step + i);  // none may land after the block
  for (unsigned i = 0; i < n && may_go; ++i) {
    const BulkCopy copy = bulk_copy_of(a, chunk.first_tile + i);
    ring.store(step + i, copy.target, copy.bytes);
    if (i < kBehind || loaded >= n) continue;
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kBehind) : "memory");
    const BulkCopy next = bulk_copy_of(a, chunk.first_tile + loaded);
    ring.load(step + loaded, next.source, next.bytes);
    ++loaded;
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  step += loaded;
  if (!may_go) return;
  asm volatile("fence.proxy.async;" ::: "memory");
  store_release(chunk.signal, word_of(number, a.code));
}

__device__ void send_bulk(const Launch& a, std::uint32_t block, std::uint64_t number) {
  extern __shared__ __align__(128) std::byte buffers[];
  __shared__ std::uint64_t barriers[kBulkStages];
  if (threadIdx.x != 0) return;
  const BulkRing ring{buffers, barriers};
  ring.open();
  unsigned step = 0;
  for (std::uint32_t k = block; k < a.num_bulk; k += a.bulk_blocks) {
    if (has_failed(a)) return;
    send_bulk_chunk(a, a.chunks[k], ring, step, number);
  }
}

// ---- receive --------------------------------------------------------------------------------------------------------

__device__ bool wait_for_words(const Launch& a, const Chunk& chunk, std::uint64_t number) {
  if (chunk.words == nullptr) return true;
  bool all = true;
  if (chunk.num_waits == 1) {
    if (threadIdx.x % kWarp == 0) all = wait_for(a, chunk, chunk.wait, FailureKind::not_arrived, number);
    return __shfl_sync(~0U, all, 0);
  }
  for (std::uint32_t w = threadIdx.x; w < chunk.num_waits; w += kThreads)
    all = wait_for(a, chunk, chunk.wait + w, FailureKind::not_arrived, number) && all;
  return __syncthreads_and(all);
}

template <bool kReduces>
__device__ void receive(const Launch& a, std::uint32_t block, std::uint64_t number) {
  const Chunk* chunks = a.chunks + a.num_bulk + a.num_send;
  bool may_go = true;
  for (std::uint32_t k = 0; k < a.num_common_waits; ++k) may_go = wait_for_words(a, chunks[k], number) && may_go;
  if (a.num_common_waits > 0) may_go = __syncthreads_and(may_go);
  for (std::uint32_t k = a.num_common_waits + block; k < a.num_receive && may_go; k += a.receive_blocks) {
    const Chunk chunk = chunks[k];
    if (wait_for_words(a, chunk, number)) run_tiles<kReduces>(a, chunk, number);
  }
}

// ---- the kernel -----------------------------------------------------------------------------------------------------

__device__ void end_exchange(const Launch& a, bool starts, bool finishes) {
  const bool failed = has_failed(a);
  volatile Counters* counters = a.counters;
  if (starts) counters->started = counters->started + 1;
  if (finishes) counters->finished = counters->finished + 1;
  if (!finishes && !failed) return;
  const std::uint64_t word = failed ? kGaveUp : word_of(counters->finished, a.code);
  for (std::uint32_t i = 0; i < a.num_consumed; ++i) store_release(a.consumed[i], word);
}

// The last block of the grid ends the exchange for this rank.
__device__ void count_block(const Launch& a, bool starts, bool finishes) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t* counter = starts ? &a.counters->done : &a.counters->done_finish;
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> done(*counter);
  if (done.fetch_add(1, cuda::memory_order_acq_rel) + 1 != gridDim.x) return;
  done.store(0, cuda::memory_order_relaxed);
  end_exchange(a, starts, finishes);
}

template <bool kReduces>
__global__ void __launch_bounds__(kThreads, 2) exchange(const __grid_constant__ Launch a) {
  const bool starts = (static_cast<std::uint32_t>(a.phase) & 1U) != 0;
  const bool finishes = (static_cast<std::uint32_t>(a.phase) & 2U) != 0;
  const volatile Counters* counters = a.counters;
  const std::uint64_t sending = counters->started + 1;
  const std::uint64_t receiving = counters->finished + 1;
  if (counters->failed == 0) {
    if (starts && blockIdx.x == 0)
      for (std::uint32_t i = threadIdx.x; i < a.num_ready; i += kThreads)
        store_release(a.ready[i], word_of(sending, a.code));
    const std::uint32_t first_send = starts ? a.bulk_blocks : 0;
    const std::uint32_t first_receive = starts ? a.bulk_blocks + a.send_blocks : 0;
    if (blockIdx.x < first_send)
      send_bulk(a, blockIdx.x, sending);
    else if (blockIdx.x < first_receive)
      send(a, blockIdx.x - first_send, sending);
    else if (finishes)
      receive<kReduces>(a, blockIdx.x - first_receive, receiving);
  }
  count_block(a, starts, finishes);
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
  auto* native = static_cast<cudaStream_t>(stream.native);
  if (launch.reduces)
    exchange<true><<<num_blocks(launch), kThreads, shared_bytes, native>>>(launch);
  else
    exchange<false><<<num_blocks(launch), kThreads, shared_bytes, native>>>(launch);
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return {};
  return failed("launch an exchange", ordinal, error);
}

}  // namespace halyard::pack::device
