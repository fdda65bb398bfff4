// Result: what a run found, as far as rank 0 needs it to report. Pure data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "halyard/box.hpp"
#include "model/thermo.hpp"
#include "options.hpp"
#include "report/host_lead.hpp"
#include "report/phases.hpp"

namespace halyard::md {

struct Result {
  Settings settings;
  std::int64_t num_atoms = 0;
  int num_types = 1;
  int num_ranks = 1;
  std::string gpu;  // its name; empty on the host
  Index3 grid{1, 1, 1};
  std::vector<Thermo> thermo;  // one for each line
  double loop_s = 0;           // of all steps; of the slowest rank
  std::array<double, kNumPhases> phases{};
  std::int64_t num_rebuilds = 0;
  std::int64_t num_late_rebuilds = 0;  // of all ranks
  HostLead host_lead;                  // of all ranks
  std::int64_t num_listed_pairs = 0;   // of all ranks, at the end
  std::int64_t num_ghosts = 0;         // of all ranks, at the end

  std::int64_t steps() const { return settings.steps; }
  double atom_steps_per_s() const;
};

/// "   Step         Temp …"
std::string thermo_header();
/// `num_atoms` 1: energies of all atoms; else per atom.
std::string thermo_line(const Thermo& thermo, std::int64_t num_atoms);

/// Several lines, with a line break at the end.
std::string summary_of(const Result& result);
/// A JSON object (keys: docs/md.md), indented, with a line break at the end.
std::string to_json(const Result& result);

}  // namespace halyard::md
