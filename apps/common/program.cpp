// See program.hpp.
#include "common/program.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

#include "common/agree.hpp"
#include "halyard/status.hpp"

namespace halyard::app {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\n';
  return text;
}

int guarded(MPI_Comm comm, const char* name, const std::function<int(MPI_Comm)>& body) {
  const auto refuse = [&](const std::exception& error) {
    say(comm, stderr, std::string(name) + ": " + error.what() + "\n");
    return kExitBadInput;
  };
  try {
    return body(comm);
  } catch (const SetupError& error) {
    return refuse(error);
  } catch (const halyard::Error& error) {
    return refuse(error);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: one rank alone failed: %s\n", name, error.what());
    MPI_Abort(comm, kExitFailed);
    return kExitFailed;
  }
}

}  // namespace

Arguments split_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    (argument.starts_with("--kokkos-") ? arguments.kokkos : arguments.ours).push_back(argument);
  }
  return arguments;
}

void expect_equal(MPI_Comm comm, const Arguments& arguments) {
  const std::string mine = joined(arguments.ours) + joined(arguments.kokkos);
  const std::string first = broadcast(comm, mine);
  agreed(comm, [&] {
    if (mine != first) throw std::invalid_argument("was started with other options than rank 0; start all ranks alike");
  });
}

void say(MPI_Comm comm, std::FILE* to, const std::string& text) {
  if (rank_in(comm) == 0) std::fputs(text.c_str(), to);
  std::fflush(to);
}

int run_program(const char* name, int argc, char** argv, const std::function<int(MPI_Comm)>& body) {
  int granted = 0;  // Halyard itself reads the level and respects it
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
  const int code = guarded(MPI_COMM_WORLD, name, body);
  MPI_Finalize();
  return code;
}

void leave(MPI_Comm comm, const char* name, const std::string& text) {
  std::fprintf(stderr, "%s: rank %d: %s\n", name, rank_in(comm), text.c_str());
  std::fflush(stderr);
  MPI_Request request = MPI_REQUEST_NULL;
  int is_complete = 0;
  MPI_Ibarrier(comm, &request);
  for (int i = 0; i < 200 && is_complete == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
  }
  MPI_Abort(comm, kExitFailed);
  std::_Exit(kExitFailed);
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

}  // namespace halyard::app
