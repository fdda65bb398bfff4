// Emptying the caches; see cold_cache.hpp.
#include "common/cold_cache.hpp"

#include <algorithm>

#include "common/machine.hpp"

namespace halyard::bench {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kSmallest = std::size_t{64} << 20;
constexpr std::size_t kLargest = std::size_t{512} << 20;  // a cache larger than this is a mistake

}  // namespace

void CacheSweeper::sweep() {
  if (buffer_.empty()) buffer_.resize(std::clamp(2 * last_level_cache_bytes(), kSmallest, kLargest));
  volatile unsigned char* line = buffer_.data();
  for (std::size_t at = 0; at < buffer_.size(); at += kLine) line[at] = static_cast<unsigned char>(line[at] + 1);
}

}  // namespace halyard::bench
