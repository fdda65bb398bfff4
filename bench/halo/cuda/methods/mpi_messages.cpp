// Point-to-point messages of a case; see mpi_messages.hpp.
#include "halo/cuda/methods/mpi_messages.hpp"

#include "halo/methods/copy_lists.hpp"

namespace halyard::bench {
namespace {

constexpr int kTag = 101;

}  // namespace

MpiMessages::MpiMessages(MPI_Comm comm, const Messages& messages)
    : comm_(comm), parts_(messages.parts()), requests_(2 * messages.parts().size(), MPI_REQUEST_NULL) {
  for (const Messages::Part& part : parts_) mpi_count(part.cells);
}

void MpiMessages::post_receives(double* buffer) {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    MPI_Irecv(buffer + parts_[i].offset, static_cast<int>(parts_[i].cells), MPI_DOUBLE, parts_[i].rank, kTag, comm_,
              &requests_[i]);
}

void MpiMessages::post_sends(double* buffer) {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    MPI_Isend(buffer + parts_[i].offset, static_cast<int>(parts_[i].cells), MPI_DOUBLE, parts_[i].rank, kTag, comm_,
              &requests_[parts_.size() + i]);
}

void MpiMessages::wait() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

}  // namespace halyard::bench
