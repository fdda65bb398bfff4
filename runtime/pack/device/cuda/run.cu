// The exchange kernel: packs, moves, signals, waits and unpacks in one launch. Words as in
// ../../../transport/protocol.md; tables as in tables.hpp; the host twin is ../run_host.cpp. Choices and what they were
// measured against: docs/adr/0010.
//
// Blocks come in three roles, in this order in the grid, so that a grid larger than what is resident still ends: bulk
// blocks move long aligned rows straight into the peer's ghosts by bulk asynchronous copies; send blocks gather into
// the peer's landing buffer; receive blocks wait for chunks and unpack them.
#include <cuda_runtime.h>

#include <algorithm>
#include <cuda/atomic>

#include "pack/device/cuda/bulk.cuh"
#include "pack/device/cuda/current_gpu.hpp"
#include "pack/device/cuda/packets.cuh"
#include "pack/device/cuda/tables_at_hand.cuh"
#include "pack/device/cuda/tiles.cuh"
#include "pack/device/kernel.hpp"

namespace halyard::pack::device {
namespace {

constexpr unsigned kMostThreads = 512;

template <Order kOrder, class AnyLaunch>
__device__ bool copy_tiles(const AnyLaunch& a, const RunsAtHand& hand, const Chunk& chunk, FailureKind kind,
                           std::uint64_t number) {
  const unsigned lane = threadIdx.x % kWarp;
  WarpWait<AnyLaunch> wait{a, chunk, kind, number};
  const std::uint32_t num_warps = blockDim.x / kWarp;
  std::uint32_t t = threadIdx.x / kWarp;
  Tile next;  // loaded while the tile before it is copied
  if (t < chunk.num_tiles) next = a.tiles[chunk.first_tile + t];
  for (; t < chunk.num_tiles; t += num_warps) {
    const Tile tile = next;
    if (t + num_warps < chunk.num_tiles) next = a.tiles[chunk.first_tile + t + num_warps];
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

template <class AnyLaunch>
__device__ bool send(const AnyLaunch& a, const RunsAtHand& hand, const Role& role, std::uint64_t number,
                     bool is_alive) {
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

// ---- receive --------------------------------------------------------------------------------------------------------

template <class AnyLaunch>
__device__ bool wait_for_words(const AnyLaunch& a, const Chunk& chunk, std::uint64_t number) {
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

template <bool kReduces, class AnyLaunch>
__device__ bool receive(const AnyLaunch& a, const RunsAtHand& hand, const Role& role, std::uint64_t number,
                        bool is_alive) {
  const std::uint32_t first = a.num_bulk + a.num_send;
  bool all_good = is_alive;
  for (std::uint32_t k = 0; k < a.num_common_waits; ++k)
    all_good = wait_for_words(a, a.chunks[first + k], number) && all_good;
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
template <class AnyLaunch>
__device__ void count_block(const AnyLaunch& a, bool sends, std::uint64_t sent, std::uint64_t received, bool is_good) {
  const bool starts = device::starts(a.phase);
  const bool finishes = device::finishes(a.phase);
  constexpr std::uint32_t kOneFailed = 1U << 16;
  const bool all_good = __syncthreads_and(is_good);
  if (threadIdx.x != 0) return;
  std::uint32_t* counter = starts ? &a.counters->done : &a.counters->done_finish;
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> done(*counter);
  stamp_block(a, sends);
  const std::uint32_t before = done.fetch_add(all_good ? 1 : 1 + kOneFailed, order_of_count(a));
  if (before % kOneFailed + 1 != gridDim.x) return;
  const bool failed = !all_good || before >= kOneFailed;
  volatile Counters* counters = a.counters;
  done.store(0, cuda::memory_order_relaxed);
  for (std::uint32_t i = 0; starts && i < a.num_claims; ++i) a.claims[i] = 0;
  if (starts) counters->started = sent;
  if (finishes) counters->finished = received;
  for (std::uint32_t i = 0; (starts || failed) && i < a.num_sent; ++i)
    store_relaxed(a.sent[i], failed ? kSentGaveUp : word_of(sent, a.code));
  if (!finishes && !failed) return stamp_launch(a, sent);
  const std::uint64_t word = failed ? kGaveUp : word_of(received, a.code);
  for (std::uint32_t i = 0; i < a.num_consumed; ++i)
    store_relaxed(i < kInlineWords ? a.first_consumed[i] : a.consumed[i], word);
  if (!failed) stamp_launch(a, received);
}

template <bool kReduces, class AnyLaunch>
__global__ void __launch_bounds__(kMostThreads, 2) exchange(const __grid_constant__ AnyLaunch a) {
  __shared__ RunsAtHand hand;
  const bool starts = device::starts(a.phase);
  const bool finishes = device::finishes(a.phase);
  const Role role = role_of_block(a, starts, finishes);
  open_stamps(a);
  load_runs(a, hand);  // tables do not change; the rest must wait for the end of what came before in the stream
  asm volatile("griddepcontrol.wait;" ::: "memory");
  stamp_begin(a);
  const volatile Counters* counters = a.counters;
  const std::uint64_t sending = counters->started + 1;
  const std::uint64_t receiving = counters->finished + 1;
  const bool is_alive = counters->failed == 0;
  if (starts && blockIdx.x == 0 && is_alive)
    for (std::uint32_t i = threadIdx.x; i < a.num_ready; i += blockDim.x)
      store_relaxed(i < kInlineWords ? a.first_ready[i] : a.ready[i], word_of(sending, a.code));
  bool is_good = is_alive;
  if (role.kind == Role::kBulk)
    is_good = send_bulk(a, hand, role, sending, is_alive);
  else if (role.kind == Role::kSend)
    is_good = send(a, hand, role, sending, is_alive);
  else if (role.kind == Role::kReceive)
    is_good = receive<kReduces>(a, hand, role, receiving, is_alive);
  // From here this block waits for nobody: the next kernel's blocks may take their places, which they would keep from
  // other streams' kernels if they came while this one still waits for a peer.
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  count_block(a, role.kind == Role::kBulk || role.kind == Role::kSend, sending, receiving, is_good);
}

std::uint32_t num_blocks(const Launch& a) {
  std::uint32_t blocks = 0;
  if (starts(a.phase)) blocks += a.bulk_blocks + a.send_blocks;
  if (finishes(a.phase)) blocks += a.receive_blocks;
  return std::max(blocks, 1U);
}

template <class AnyLaunch>
cudaError_t launched_as(const cudaLaunchConfig_t& config, const AnyLaunch& a) {
  return cudaLaunchKernelEx(&config, a.reduces ? exchange<true, AnyLaunch> : exchange<false, AnyLaunch>, a);
}

}  // namespace

Status load_cuda_kernels(int ordinal) {
  const CurrentGpu current(ordinal);
  cudaFuncAttributes attributes;
  cudaError_t error = cudaSuccess;
  const auto load = [&](auto* kernel) {
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel);
  };
  load(exchange<false, Launch>);
  load(exchange<true, Launch>);
  load(exchange<false, TracedLaunch>);
  load(exchange<true, TracedLaunch>);
  return launched("load the exchange kernels (built for compute capability 9.0 and newer)", ordinal, error);
}

Status launch_cuda(const TracedLaunch& launch, Stream stream, int ordinal) {  // data path
  const CurrentGpu current(ordinal);
  const bool has_bulk = launch.num_bulk > 0 && starts(launch.phase);
  cudaLaunchAttribute soon{};
  soon.id = cudaLaunchAttributeProgrammaticStreamSerialization;  // the kernel itself waits for what came before it
  soon.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(num_blocks(launch));
  config.blockDim = dim3(launch.threads);
  config.dynamicSmemBytes = has_bulk ? std::size_t{kBulkBytes} * kBulkStages : 0;
  config.stream = static_cast<cudaStream_t>(stream.native);
  config.attrs = &soon;
  config.numAttrs = 1;
  const cudaError_t error =
      launch.is_traced() ? launched_as<TracedLaunch>(config, launch) : launched_as<Launch>(config, launch);
  if (error != cudaSuccess) (void)cudaGetLastError();
  return launched("launch an exchange", ordinal, error);
}

}  // namespace halyard::pack::device
