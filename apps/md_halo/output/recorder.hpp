// Recorder: what a run writes while and after it steps: lines of energies, dumps, a restart file.
//
// Collective in every call but the trivial ones; files are rank 0's. Main thread only.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "input/system.hpp"
#include "model/thermo.hpp"
#include "options.hpp"
#include "output/dump.hpp"
#include "simulation.hpp"

namespace halyard::md {

class Recorder {
 public:
  /// Opens the dump. Throws SetupError on every rank.
  Recorder(MPI_Comm comm, const Settings& settings, const System& system);

  const Settings& settings() const { return settings_; }
  /// Whether the energies of this step are needed.
  bool wants(std::int64_t step) const;
  /// The state before the first step.
  void begin(const Simulation& simulation);
  /// After each step; does what is due.
  void record(const Simulation& simulation);
  /// Gives the dump its name; of a run that went well it also writes the restart file.
  void finish(const Simulation& simulation, bool is_well);

  const std::vector<Thermo>& thermo() const { return thermo_; }

 private:
  void take_line(const Simulation& simulation);
  void write_dump(const Simulation& simulation);
  void write_restart(const Simulation& simulation);
  bool is_due(std::int64_t step, std::int64_t every) const;

  MPI_Comm comm_;
  Settings settings_;
  System frame_;  // without atoms: box, masses, pairs
  std::int64_t first_, last_;
  std::int64_t dump_every_;
  std::optional<Dump> dump_;  // rank 0's
  std::vector<Thermo> thermo_;
};

}  // namespace halyard::md
