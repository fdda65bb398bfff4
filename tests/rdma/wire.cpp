// See wire.hpp.
#include "rdma/wire.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "mpi/ranks.hpp"

namespace halyard::test {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string output;
  for (int c = 0; pipe && (c = std::fgetc(pipe.get())) != EOF;) output += static_cast<char>(c);
  return output;
}

std::string mending() {
  const char* machine = std::getenv("RDMA_MACHINE");
  return "bash -c 'source \"" + std::string(machine == nullptr ? "." : machine) + "/networks.sh\" && mend_wire'";
}

}  // namespace

std::uint64_t packets_sent() {
  std::uint64_t sent = 0;
  for (const auto& device : fs::directory_iterator("/sys/class/infiniband")) {
    std::uint64_t own = 0;
    std::ifstream(device.path() / "ports/1/hw_counters/sent_pkts") >> own;
    sent += own;
  }
  return sent;
}

std::ptrdiff_t rdma_resources(const std::string& kind) {
  std::istringstream words(output_of("rdma resource show"));
  std::ptrdiff_t sum = 0;
  for (std::string word; words >> word;) {
    std::ptrdiff_t count = 0;
    if (word == kind && words >> count) sum += count;
  }
  return sum;
}

void run_on_first_rank(const std::string& command) {
  int status = 0;
  if (rank_of(MPI_COMM_WORLD) == 0) status = std::system(command.c_str());
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (status != 0) throw std::runtime_error(command + ": status " + std::to_string(status));
}

std::uint64_t packets_lost(const std::string& netdev) {
  const std::string words = output_of("tc -s qdisc show dev " + netdev + " | grep -o 'dropped [0-9]*'");
  return words.empty() ? 0 : std::stoull(words.substr(words.find(' ')));
}

HurtWire::HurtWire(const std::string& command) { run_on_first_rank(command); }

HurtWire::~HurtWire() {
  try {
    run_on_first_rank(mending());
  } catch (const std::exception& error) {
    ADD_FAILURE() << "the wire is still hurt: " << error.what();
  }
}

}  // namespace halyard::test
