// See lives.hpp.
#include "device/lives.hpp"

namespace halyard::device {

void Lives::add(const void* what, int ordinal, std::uint64_t life) {
  const std::lock_guard lock(mutex_);
  made_.emplace(what, Made{ordinal, life});
}

Lives::Taken Lives::take(const void* what, const std::function<std::uint64_t(int ordinal)>& life_now) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = made_.equal_range(what);
  if (first == last) return {};
  auto taken = first;
  Fate fate = Fate::live;
  for (auto entry = first; entry != last; ++entry)
    if (life_now(entry->second.ordinal) != entry->second.life) {
      taken = entry;
      fate = Fate::gone;
      break;
    }
  const int ordinal = taken->second.ordinal;
  made_.erase(taken);
  return {fate, ordinal};
}

}  // namespace halyard::device
