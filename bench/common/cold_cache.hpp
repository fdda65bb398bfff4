// CacheSweeper: walks a buffer of twice the last-level cache (at least 64 MiB), so that what the
// core had cached is gone. Owned by a bench run; one per rank.
#pragma once

#include <cstddef>
#include <vector>

namespace halyard::bench {

class CacheSweeper {
 public:
  /// Reads and writes each line of the buffer. The buffer is made on the first call.
  void sweep();

 private:
  std::vector<unsigned char> buffer_;
};

}  // namespace halyard::bench
