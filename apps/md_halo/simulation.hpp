// Simulation: atoms of all ranks and their motion: exchange by Halyard, kernels by Kokkos. The flow of a time step.
//
// Collective in every call that is not const. Each rank owns the atoms of a part of the box. When some atom has moved
// half the skin, all ranks together send atoms to their owners and list ghosts and neighbors anew; between such steps
// positions travel to ghosts and, with half lists, forces back. Main thread only.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "atoms/atoms.hpp"
#include "collectives.hpp"
#include "halyard/borders.hpp"
#include "halyard/context.hpp"
#include "halyard/migrator.hpp"
#include "input/system.hpp"
#include "kernels/motion.hpp"
#include "kernels/neighbor_lists.hpp"
#include "kernels/pair_forces.hpp"
#include "kernels/permute.hpp"
#include "model/lennard_jones.hpp"
#include "model/thermo.hpp"
#include "options.hpp"
#include "report/phases.hpp"

namespace halyard::md {

/// Whether a step also sums up energies, which costs a little.
enum class Sums { skip, take };

class Simulation {
 public:
  /// `system` holds any of the atoms on any rank. Throws SetupError or halyard::Error on every rank, among others for a
  /// box that is thinner than the reach.
  Simulation(MPI_Comm comm, const Settings& settings, const System& system);

  /// Forces where atoms are now. Before the first step.
  void start();
  /// One time step. Throws TransferFailed, or what the migration throws: the same on every rank.
  void advance(Sums sums);

  /// After start() or a step with Sums::take. The same on every rank.
  Thermo thermo() const;
  std::int64_t step() const { return step_; }

  const Atoms& atoms() const { return atoms_; }
  const ParticleDomain& domain() const { return migrator_.domain(); }
  const Phases& phases() const { return phases_; }
  std::int64_t num_rebuilds() const { return num_rebuilds_; }
  std::int64_t num_listed_pairs() const { return lists_.num_pairs(); }
  std::string explain() const { return positions_.explain(); }

 private:
  void rebuild();
  void migrate();
  void sort_owned();
  void list_ghosts();
  void compute_forces(Sums sums);
  void add_pairs(const NeighborRows<HostSpace>& rows, Sums sums);
  void return_forces();
  void apply_langevin();
  void apply_rescale();
  double mass_speed_squared() const;

  Settings settings_;
  Collectives collectives_;
  std::int64_t num_atoms_;
  std::int64_t step_;
  double volume_;
  LennardJones model_;
  double reach_;
  ListKind kind_;
  Context context_;
  Atoms atoms_;
  Migrator migrator_;
  Borders borders_;
  GhostExchange positions_;
  std::unique_ptr<GhostExchange> types_;   // where there are several
  std::unique_ptr<GhostExchange> forces_;  // where they travel back
  SpaceBox part_;
  CellGrid grid_;
  CellOrder<HostSpace> order_;
  Permute<HostSpace> permute_;
  NeighborLists<HostSpace> lists_;
  PairForces<HostSpace> pairs_;
  Motion<HostSpace> motion_;
  PairSums pair_sums_;
  bool are_positions_fresh_ = false;  // ghosts' positions came with the lists
  std::int64_t num_rebuilds_ = 0;
  Phases phases_;
};

}  // namespace halyard::md
