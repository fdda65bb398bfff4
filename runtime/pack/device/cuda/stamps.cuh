// The kernels' times, see ../stamps/stamp.hpp. A block gathers its moments in shared memory, its first thread hands
// them to those of the launch, and the last block of the launch writes the stamp. Kernels are compiled once for
// launches that are traced and once for those that are not, in which nothing of this is left: even null pointers to
// look at, in constant memory that nothing else has brought near, cost small exchanges 0.1 us (measured on two H200).
#pragma once

#include <cuda_runtime.h>

#include <cuda/atomic>

#include "pack/device/tables.hpp"

namespace halyard::pack::device {

__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Its volatile stores arrive in any order, hence the seal.
__device__ inline void append(const StampLog& log, const Stamp& stamp) {
  const std::uint64_t place = atomicAdd(reinterpret_cast<unsigned long long*>(log.next), 1ULL);
  const Stamp whole = sealed(stamp, place);
  volatile Stamp* slot = log.ring + (place & (log.num_slots - 1));
  slot->begin = whole.begin;
  slot->may_send = whole.may_send;
  slot->sent = whole.sent;
  slot->arrived = whole.arrived;
  slot->end = whole.end;
  slot->word = whole.word;
  slot->what = whole.what;
  slot->seal = whole.seal;
}

struct BlockMoments {
  unsigned long long may_send;
  unsigned long long arrived;
};

__device__ inline BlockMoments& block_moments() {
  __shared__ BlockMoments moments;
  return moments;
}

// ---- of a launch that is traced -------------------------------------------------------------------------------------

// Before a barrier of the block.
__device__ inline void open_stamps(const TracedLaunch&) {
  if (threadIdx.x == 0) block_moments() = {0, 0};
}

__device__ inline void stamp_begin(const TracedLaunch& a) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  volatile Moments* moments = a.moments;
  (a.phase == Phase::finish ? moments->begin_finish : moments->begin_start) = nanoseconds();
}

// One thread of a warp has seen what it waited for.
__device__ inline void stamp_wait(const TracedLaunch&, FailureKind awaited) {
  BlockMoments& moments = block_moments();
  atomicMax(awaited == FailureKind::not_arrived ? &moments.arrived : &moments.may_send, nanoseconds());
}

// One thread of a block that is done.
__device__ inline void stamp_block(const TracedLaunch& a, bool sends) {
  const auto raise = [](std::uint64_t& moment, unsigned long long to) {
    if (to != 0) atomicMax(reinterpret_cast<unsigned long long*>(&moment), to);
  };
  if (sends) raise(a.moments->sent, nanoseconds());
  raise(a.moments->may_send, block_moments().may_send);
  raise(a.moments->arrived, block_moments().arrived);
}

// The last block of a launch sees the moments of all.
__device__ constexpr cuda::memory_order order_of_count(const TracedLaunch&) { return cuda::memory_order_acq_rel; }

__device__ inline void stamp_launch(const TracedLaunch& a, std::uint64_t number) {
  const volatile Moments& all = *a.moments;
  const Moments seen{all.begin_start, all.may_send, all.sent, all.begin_finish, all.arrived};
  const auto kind = static_cast<StampKind>(a.phase);
  append(a.stamps, stamp_of(seen, a.binding, kind, word_of(number, a.code), nanoseconds()));
}

// ---- of one that is not ---------------------------------------------------------------------------------------------

__device__ inline void open_stamps(const Launch&) {}
__device__ inline void stamp_begin(const Launch&) {}
__device__ inline void stamp_wait(const Launch&, FailureKind) {}
__device__ inline void stamp_block(const Launch&, bool) {}
__device__ constexpr cuda::memory_order order_of_count(const Launch&) { return cuda::memory_order_relaxed; }
__device__ inline void stamp_launch(const Launch&, std::uint64_t) {}

}  // namespace halyard::pack::device
