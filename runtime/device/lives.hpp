// Lives: what a driver gave, by the life of the GPU in which it gave it.
//
// A program may end a GPU's context (cudaDeviceReset) and go on with a new one. All that was made before is gone then,
// and the driver gives the same addresses again, perhaps to somebody else: whoever frees late must not free theirs.
// Owned by a Device. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace halyard::device {

class Lives {
 public:
  /// live: to be given back to the driver; gone: went with its life; unknown: was not added, or was taken before.
  enum class Fate { live, gone, unknown };
  struct Taken {
    Fate fate = Fate::unknown;
    int ordinal = -1;
  };

  /// `what` was made on GPU `ordinal` in its life number `life`.
  void add(const void* what, int ordinal, std::uint64_t life);
  /// Its owner lets go of it. Of several at one address those that are gone are taken first, whoever asks: the last
  /// owner then gives back what is left.
  Taken take(const void* what, const std::function<std::uint64_t(int ordinal)>& life_now);

 private:
  struct Made {
    int ordinal = -1;
    std::uint64_t life = 0;
  };
  std::mutex mutex_;
  std::multimap<const void*, Made> made_;
};

}  // namespace halyard::device
