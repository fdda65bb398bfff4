// A Context before MPI_Init and after MPI_Finalize, and use of one after MPI_Finalize. Says what was not refused and
// returns 1; else returns 0.
#include <mpi.h>

#include <cstdio>
#include <functional>
#include <string>

#include "halyard/halyard.hpp"

namespace {

bool is_refused(const char* when, const std::function<void()>& step) {
  try {
    step();
  } catch (const halyard::Error& error) {
    const bool is_clear = error.code() == halyard::StatusCode::invalid_argument &&
                          std::string(error.what()).find("MPI_Init") != std::string::npos;
    if (!is_clear) std::fprintf(stderr, "%s: unclear: %s\n", when, error.what());
    return is_clear;
  }
  std::fprintf(stderr, "%s: not refused\n", when);
  return false;
}

void make_context() { halyard::Context context(MPI_COMM_WORLD); }

}  // namespace

int main(int argc, char** argv) {
  bool all_refused = is_refused("before MPI_Init", make_context);
  MPI_Init(&argc, &argv);
  make_context();
  MPI_Finalize();
  all_refused = is_refused("after MPI_Finalize", make_context) && all_refused;
  return all_refused ? 0 : 1;
}
