// Settings: what the user asked of halyard-stencil, and the parser of its command line.
//
// parse() is a pure function of the arguments: it prints nothing and does not leave the program, so
// that all ranks can agree on its outcome. Only what can be judged without MPI, files or the
// library is judged here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halyard/box.hpp"
#include "model/stencil.hpp"

namespace halyard::stencil {

enum class Explain { none, root, all };

/// What the fields lie in: memory of Context::allocate, or ordinary Kokkos views. On a GPU always the latter.
enum class Memory { halyard, user };

/// Where the fields lie and the kernels run.
enum class Device { host, cuda };

struct Settings {
  Stencil stencil;
  std::optional<Index3> cells;  // of the whole grid; absent: those of the input, or kDefaultCells
  std::optional<Index3> ranks;  // absent: halyard::balanced_ranks
  std::array<bool, 3> periodic{true, true, true};
  std::int64_t steps = 100;
  std::optional<double> coefficient;  // absent: chosen by choose_coefficient
  std::string input;
  std::string output;
  std::string json;
  std::string path;
  double deadline_s = 60.0;
  Device device = Device::host;
  Memory memory = Memory::halyard;
  Explain explain = Explain::none;
  bool verify = false;
  bool overlap = true;
};

inline constexpr Index3 kDefaultCells{64, 64, 64};

/// Settings, or a text that the user asked for (--help, --version) and nothing to run.
struct Parsed {
  Settings settings;
  std::string text;
};

/// Throws std::invalid_argument that names the option, what it was given and what it takes.
Parsed parse(const std::vector<std::string>& arguments);

}  // namespace halyard::stencil
