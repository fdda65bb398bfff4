// ParticlesBenchOptions: what `halyard bench particles` was asked for. Filled by tools/, the same on every rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halyard::bench {

struct ParticlesBenchOptions {
  std::vector<std::int64_t> owned{16'000, 128'000};  // particles a rank
  double reach = 2.8;                                // at the density of the LJ melt, 0.8442
  std::vector<double> leaving{0.01, 0.05};           // fractions, of migrations
  int rounds = 30;
  bool is_on_gpu = false;
  std::string mpi_cuda = "auto";  // whether MPI takes pointers to GPU memory: yes, no, or what it says itself
  std::string json_file;          // empty: none
};

}  // namespace halyard::bench
