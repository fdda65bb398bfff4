// See by_hand.hpp.
#include "particles/by_hand.hpp"

namespace halyard::bench {

std::unique_ptr<Way> make_by_hand(MPI_Comm comm, const System& system, Messages messages) {
  return std::make_unique<ByHand>(comm, system, messages);
}

}  // namespace halyard::bench
