// The time stamp counter of x86-64, where CPUID says that it runs at one rate in every state of the processor. Twin of
// generic/ticks_now.hpp, chosen when the build is configured; included by ticks.hpp only.
#pragma once

#include <cpuid.h>
#include <x86intrin.h>

#include <chrono>
#include <cstdint>

namespace halyard::metrics::here {

inline bool has_even_counter() {
  constexpr unsigned kPowerLeaf = 0x80000007;
  constexpr unsigned kInvariant = 1U << 8;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(kPowerLeaf, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0;
}

inline const bool is_even = has_even_counter();

inline std::uint64_t steady_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

inline std::uint64_t now() {  // data path
  return is_even ? __rdtsc() : steady_ns();
}

}  // namespace halyard::metrics::here
