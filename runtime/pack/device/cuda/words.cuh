// Words of the protocol and the waits for them, for one thread. See ../../../transport/protocol.md.
#pragma once

#include <cuda_runtime.h>

#include "pack/device/compile.hpp"
#include "pack/device/cuda/stamps.cuh"
#include "pack/device/tables.hpp"

namespace halyard::pack::device {

inline constexpr unsigned kSpinsPerLook = 256;

__device__ inline std::uint64_t load_acquire(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

__device__ inline std::uint64_t load_relaxed(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

// For words whose loads and stores before them are over: those that only free memory follow loads whose values have
// been used. A release would wait for stores that nobody asks about.
__device__ inline void store_relaxed(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ inline void store_release(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ inline bool has_failed(const Launch& a) {
  return *static_cast<volatile const std::uint32_t*>(&a.counters->failed) != 0;
}

// The first block that fails says why; all others see it and stop.
__device__ __noinline__ inline void fail(const Launch& a, std::uint32_t link, FailureKind kind, std::uint64_t number,
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
template <class AnyLaunch>
__device__ inline bool wait_for(const AnyLaunch& a, const Chunk& chunk, std::uint32_t index, FailureKind kind,
                                std::uint64_t number) {
  const std::uint64_t* word = chunk.words + index * kWordStride;
  std::uint64_t since = 0;
  for (unsigned spin = 0;; ++spin) {
    const std::uint64_t seen = load_acquire(word);
    if (seen != kGaveUp && number_of(seen) + chunk.lag >= number) {
      if (chunk.lag != 0 || number_of(seen) != number || seen == word_of(number, a.code)) {
        stamp_wait(a, kind);
        return true;
      }
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

}  // namespace halyard::pack::device
