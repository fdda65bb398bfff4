// See trace.hpp.
#include "metrics/trace/trace.hpp"

namespace halyard::metrics {

std::uint16_t Trace::own_thread() {  // data path
  static std::atomic<std::uint16_t> num_threads{0};
  thread_local const std::uint16_t number = num_threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

std::vector<Event> Trace::events() const {
  const std::uint64_t added = num_added();
  std::vector<Event> all;
  all.reserve(static_cast<std::size_t>(added - num_overwritten()));
  for (std::uint64_t n = num_overwritten(); n < added; ++n) all.push_back(events_[n & mask_]);
  return all;
}

}  // namespace halyard::metrics
