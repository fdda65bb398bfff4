// relax: tells the core that this thread spins. Twin files per processor, chosen when the build is configured.
#pragma once

namespace halyard::base {

/// Data path.
void relax();

}  // namespace halyard::base
