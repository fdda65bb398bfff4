// Talk: messages between ranks at the beginning and the end of a context, each with a time by which it must have moved.
// A rank that has failed costs that time, never more. Set-up; one thread.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <span>

#include "base/backoff.hpp"
#include "context/bootstrap.hpp"

namespace halyard::context {

class Talk {
 public:
  explicit Talk(Bootstrap& bootstrap) : bootstrap_(bootstrap) {}

  int rank() const { return bootstrap_.rank(); }
  int size() const { return bootstrap_.size(); }

  /// False when it had not moved after `seconds`, or MPI reported an error.
  bool send(int to, transport::Blob bytes, double seconds);
  /// Nothing likewise.
  std::optional<transport::Blob> receive(int from, double seconds);

 private:
  struct Moving {
    transport::Blob bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  bool finish(const std::shared_ptr<Moving>& moving, double seconds);

  Bootstrap& bootstrap_;
};

}  // namespace halyard::context
