// Settings: what the user asked of halyard-md, and the parser of its command line.
//
// parse() is a pure function of the arguments: it prints nothing and does not leave the program, so that all ranks can
// agree on its outcome. Only what can be judged without MPI, files or the library is judged here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halyard/box.hpp"

namespace halyard::md {

enum class Explain { none, root, all };
/// `mixed`: pairs are computed in float, everything is kept and summed in double.
enum class Precision { double_, mixed };
/// On: each pair is computed once, and forces travel back. Off: twice, and they do not.
enum class Newton { on, off };
/// Where atoms lie and kernels run.
enum class Device { host, cuda, emulated };
enum class Thermostat { none, rescale, langevin };

struct ThermostatSettings {
  Thermostat kind = Thermostat::none;
  double temperature = 0;
  double damp = 1;          // of langevin, in units of time
  std::int64_t every = 10;  // steps, of rescale
  std::int64_t seed = 1;    // of langevin
};

/// At most one of data, restart and melt is set.
struct StartSettings {
  std::string data;
  std::string restart;
  std::int64_t melt = 10;  // cells on each axis
};

struct OutputSettings {
  std::int64_t thermo = 100;  // steps between lines
  bool is_total = false;      // energies of all atoms, not per atom
  std::string dump;
  std::int64_t dump_every = 0;  // 0: as thermo
  std::string restart;
  std::string json;
  Explain explain = Explain::none;
};

struct Settings {
  StartSettings start;
  OutputSettings output;
  ThermostatSettings thermostat;
  std::int64_t steps = 100;
  double dt = 0.005;
  double cutoff = 2.5;
  double skin = 0.3;
  bool is_shifted = false;
  Precision precision = Precision::double_;
  Newton newton = Newton::on;
  Device device = Device::host;
  bool overlap = false;
  bool fixed_order = false;
  bool checks = false;
  std::optional<Index3> ranks;  // absent: closest to cubes
  std::string path;
  double deadline_s = 60;
};

/// Settings, or a text that the user asked for (--help, --version) and nothing to run.
struct Parsed {
  Settings settings;
  std::string text;
};

/// `version` is what --version prints. Throws std::invalid_argument that names the option, what it was given and what
/// it takes.
Parsed parse(const std::vector<std::string>& arguments, const std::string& version);

}  // namespace halyard::md
