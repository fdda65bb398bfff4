// relax where no instruction for it is known to us: keeps the compiler from folding the loop.
#include <atomic>

#include "base/relax.hpp"

namespace halyard::base {

void relax() { std::atomic_signal_fence(std::memory_order_seq_cst); }

}  // namespace halyard::base
