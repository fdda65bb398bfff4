// Agreement: a step that may fail on some ranks ends in the same way on all of them.
//
// Every step of an application that touches files, memory or user input runs inside agreed(). A
// local failure is an exception of any kind; agreed() turns it into one SetupError with one text,
// thrown by every rank, so that all ranks leave together and the first of them prints. Called by
// the main thread. Owns nothing.
#pragma once

#include <mpi.h>

#include <exception>
#include <stdexcept>
#include <string>

namespace halyard::app {

/// Thrown by every rank of the communicator with the same text.
class SetupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Collective. `problem` is empty on ranks where all went well. When any rank has a problem, every
/// rank throws the SetupError of the lowest one.
void agree(MPI_Comm comm, const std::string& problem);

/// Collective: runs `step`, which must not call anything collective, on this rank and agrees on how
/// it went.
template <class Step>
void agreed(MPI_Comm comm, Step&& step) {
  std::string problem;
  try {
    step();
  } catch (const std::exception& error) {
    problem = error.what();
    if (problem.empty()) problem = "unknown failure";
  }
  agree(comm, problem);
}

/// Collective: runs `step` on rank 0 only.
template <class Step>
void agreed_on_root(MPI_Comm comm, Step&& step) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  agreed(comm, [&] {
    if (rank == 0) step();
  });
}

/// Collective: rank 0's text on every rank.
std::string broadcast(MPI_Comm comm, std::string text);

/// Collective: the text of each rank, in rank order, on rank 0; nothing on the others.
std::string gather_text(MPI_Comm comm, const std::string& text);

}  // namespace halyard::app
