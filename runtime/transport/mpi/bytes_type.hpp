// A datatype for any number of bytes: MPI counts are int, messages are not (field case S01).
#pragma once

#include <cstdint>

#include "transport/mpi/handles.hpp"

namespace halyard::transport::mpi {

/// A committed type that covers exactly `bytes` bytes, to be used with count 1. Throws Error when MPI refuses.
Datatype type_of_bytes(std::int64_t bytes);

}  // namespace halyard::transport::mpi
