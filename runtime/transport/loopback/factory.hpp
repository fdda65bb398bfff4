// loopback: ranks that are objects (or threads) of one process. For tests and for planning without MPI.
#pragma once

#include <memory>

#include "transport/worker.hpp"

namespace halyard::transport::loopback {

/// What a loopback worker lets its peers see.
enum class Exports { nothing, everything };

/// A worker that answers as `path`, so that plans for any path can be run on it. With Exports::everything all of this
/// process's memory counts as open to the peers, and messages are in place.
std::unique_ptr<Worker> open_worker(Path path, Exports exports);

}  // namespace halyard::transport::loopback
