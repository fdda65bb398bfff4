// MpiMessages: MPI_Isend and MPI_Irecv of all messages of a case, whatever memory the buffers are in.
#pragma once

#include <mpi.h>

#include <vector>

#include "halo/cuda/messages.hpp"

namespace halyard::bench {

class MpiMessages {
 public:
  MpiMessages(MPI_Comm comm, const Messages& messages);

  void post_receives(double* buffer);  // data path
  void post_sends(double* buffer);     // data path
  void wait();                         // data path

 private:
  MPI_Comm comm_;
  const std::vector<Messages::Part>& parts_;
  std::vector<MPI_Request> requests_;  // receives, then sends
};

}  // namespace halyard::bench
