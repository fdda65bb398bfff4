// relax on x86-64: PAUSE.
#include "base/relax.hpp"

namespace halyard::base {

void relax() { __builtin_ia32_pause(); }

}  // namespace halyard::base
