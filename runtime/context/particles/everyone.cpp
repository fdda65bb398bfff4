// See everyone.hpp.
#include "context/particles/everyone.hpp"

namespace halyard::context {

std::vector<particles::Parcel> EveryoneOverMpi::deliver(std::vector<particles::Parcel> parcels) {
  std::vector<Delivered> mine;
  for (particles::Parcel& parcel : parcels) mine.push_back({parcel.rank, std::move(parcel.bytes)});
  std::vector<particles::Parcel> came;
  for (Delivered& delivered : bootstrap().deliver(std::move(mine)))
    came.push_back({delivered.rank, std::move(delivered.bytes)});
  return came;
}

}  // namespace halyard::context
