// Nanoseconds of the steady clock, where no counter is known to us. Twin of x86_64/ticks_now.hpp, chosen when the build
// is configured; included by ticks.hpp only.
#pragma once

#include <chrono>
#include <cstdint>

namespace halyard::metrics::here {

inline std::uint64_t now() {  // data path
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace halyard::metrics::here
