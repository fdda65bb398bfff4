// See mpi_line.hpp.
#include "link/mpi_line.hpp"

#include <algorithm>

namespace halyard::bench {
namespace {

constexpr int kTag = 1;
constexpr std::int64_t kMostWindow = 64;
constexpr std::int64_t kWindowBytes = 4 << 20;

}  // namespace

MpiLine::MpiLine(MPI_Comm comm, int rank, std::int64_t bytes)
    : Line(rank, bytes),
      comm_(comm),
      window_(static_cast<int>(std::clamp<std::int64_t>(kWindowBytes / bytes, 2, kMostWindow))),
      outgoing_(static_cast<std::size_t>(bytes)),
      incoming_(static_cast<std::size_t>(bytes * window_)),
      requests_(static_cast<std::size_t>(window_), MPI_REQUEST_NULL) {}

// data path
void MpiLine::send() { MPI_Send(outgoing_.data(), static_cast<int>(bytes()), MPI_BYTE, 1 - rank(), kTag, comm_); }

// data path
std::span<const std::byte> MpiLine::receive() {
  MPI_Recv(incoming_.data(), static_cast<int>(bytes()), MPI_BYTE, 1 - rank(), kTag, comm_, MPI_STATUS_IGNORE);
  return {incoming_.data(), static_cast<std::size_t>(bytes())};
}

// data path
void MpiLine::run_window(int count) {
  const int size = static_cast<int>(bytes());
  for (int i = 0; i < count; ++i) {
    MPI_Request* request = &requests_[static_cast<std::size_t>(i)];
    if (rank() == 0)
      MPI_Isend(outgoing_.data(), size, MPI_BYTE, 1, kTag, comm_, request);
    else
      MPI_Irecv(incoming_.data() + i * bytes(), size, MPI_BYTE, 0, kTag, comm_, request);
  }
  MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
}

// data path
void MpiLine::stream(int count) {
  for (int done = 0; done < count; done += window_) run_window(std::min(window_, count - done));
  if (rank() == 0)
    (void)receive();
  else
    send();
}

}  // namespace halyard::bench
