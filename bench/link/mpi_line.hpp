// MpiLine: plain MPI. Latency by MPI_Send and MPI_Recv; a stream by windows of MPI_Isend and MPI_Irecv, as MPI's own
// benches do it.
#pragma once

#include <mpi.h>

#include <vector>

#include "link/line.hpp"

namespace halyard::bench {

class MpiLine final : public Line {
 public:
  MpiLine(MPI_Comm comm, int rank, std::int64_t bytes);

  void stream(int count) override;
  std::string path() const override { return "send and receive"; }

 private:
  void send() override;
  std::span<std::byte> writable() override { return outgoing_; }
  std::span<const std::byte> receive() override;
  void taken() override {}

  void run_window(int count);

  MPI_Comm comm_;
  int window_;
  std::vector<std::byte> outgoing_;
  std::vector<std::byte> incoming_;  // one message after the other, a window of them
  std::vector<MPI_Request> requests_;
};

}  // namespace halyard::bench
