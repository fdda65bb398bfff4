// mpi: persistent requests on the library's own communicator. Always there; the reference for all other paths.
#pragma once

#include <mpi.h>

#include <memory>

#include "transport/worker.hpp"

namespace halyard::transport::mpi {

/// `comm` stays the caller's and must outlive the worker's channels.
std::unique_ptr<Worker> open_worker(MPI_Comm comm);

}  // namespace halyard::transport::mpi
