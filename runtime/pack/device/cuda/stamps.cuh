// The kernels' times, see ../stamps/stamp.hpp. A block gathers its moments in shared memory, its first thread hands
// them to those of the launch, and the last block of the launch writes the stamp. Where no trace is taken each of these
// is one comparison of a kernel argument, behind a load from memory.
#pragma once

#include <cuda_runtime.h>

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

// Before a barrier of the block.
__device__ inline void open_stamps(const Launch& a) {
  if (a.stamps.ring != nullptr && threadIdx.x == 0) block_moments() = {0, 0};
}

__device__ inline void stamp_begin(const Launch& a) {
  if (a.stamps.ring == nullptr || blockIdx.x != 0 || threadIdx.x != 0) return;
  volatile Moments* moments = &a.counters->moments;
  (a.phase == Phase::finish ? moments->begin_finish : moments->begin_start) = nanoseconds();
}

// One thread of a warp has seen what it waited for.
__device__ inline void stamp_wait(const Launch& a, FailureKind awaited) {
  if (a.stamps.ring == nullptr) return;
  BlockMoments& moments = block_moments();
  atomicMax(awaited == FailureKind::not_arrived ? &moments.arrived : &moments.may_send, nanoseconds());
}

// One thread of a block that is done.
__device__ inline void stamp_block(const Launch& a, bool sends) {
  const auto raise = [](std::uint64_t& moment, unsigned long long to) {
    if (to != 0) atomicMax(reinterpret_cast<unsigned long long*>(&moment), to);
  };
  Moments& moments = a.counters->moments;
  if (sends) raise(moments.sent, nanoseconds());
  raise(moments.may_send, block_moments().may_send);
  raise(moments.arrived, block_moments().arrived);
}

// The last block of a launch, which sees the moments of all.
__device__ inline void stamp_launch(const Launch& a, std::uint64_t number) {
  if (a.stamps.ring == nullptr) return;
  const auto kind = static_cast<StampKind>(a.phase);
  volatile Moments& all = a.counters->moments;
  const Moments seen{all.begin_start, all.may_send, all.sent, all.begin_finish, all.arrived};
  append(a.stamps, stamp_of(seen, a.binding, kind, word_of(number, a.code), nanoseconds()));
  forget(a.counters->moments, kind);
}

}  // namespace halyard::pack::device
