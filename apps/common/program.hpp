// Program: what the main functions of the applications share: the command line that all ranks agree on, what rank 0
// says for all, and how a run that cannot go on ends.
//
// Main thread only. Owns nothing.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace halyard::app {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;    // a verification, an exchange, or the computation itself
inline constexpr int kExitBadInput = 2;  // options, environment, files, resources: nothing was computed or written

/// The command line, in two: what Kokkos takes, and the rest.
struct Arguments {
  std::vector<std::string> kokkos;
  std::vector<std::string> ours;
};
Arguments split_arguments(int argc, char** argv);

/// Collective. Throws SetupError on every rank when the ranks were not started alike.
void expect_equal(MPI_Comm comm, const Arguments& arguments);

/// Rank 0 prints; the others do not.
void say(MPI_Comm comm, std::FILE* to, const std::string& text);

/// Runs `body` between MPI_Init and MPI_Finalize and returns its exit code, or one for what it threw. SetupError and
/// halyard::Error reach every rank, and rank 0 prints them; anything else is one rank's, which can only take the others
/// along.
int run_program(const char* name, int argc, char** argv, const std::function<int(MPI_Comm)>& body);

/// For a failure of one rank after which no collective call may follow: each rank says what it saw, and all get a
/// moment to say it, for MPI_Abort ends those that have not.
[[noreturn]] void leave(MPI_Comm comm, const char* name, const std::string& text);

int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);

}  // namespace halyard::app
