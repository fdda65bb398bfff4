// SpaceSimulation: the flow of a time step, with atoms and kernels in the memory and execution space of Kokkos that it
// is made for: HostSpace, EmulatedSpace, or Kokkos::Cuda.
//
// On a GPU everything is enqueued in one stream, in the order in which it is written here: an exchange has its place
// among kernels, and the host goes on. It waits where numbers come back to it: whether atoms have moved far, sums, and
// a rebuild.
#pragma once

#include "halyard/borders.hpp"
#include "halyard/context.hpp"
#include "halyard/migrator.hpp"
#include "kernels/moment.hpp"
#include "kernels/motion.hpp"
#include "kernels/neighbor_lists.hpp"
#include "kernels/pair_forces.hpp"
#include "kernels/permute.hpp"
#include "model/lennard_jones.hpp"
#include "report/timeline.hpp"
#include "simulation.hpp"

namespace halyard::md {

template <class Space>
class SpaceSimulation final : public Simulation {
 public:
  SpaceSimulation(MPI_Comm comm, const Settings& settings, const System& system);

  void start() override;
  void advance(Sums sums) override;
  void settle() override;
  Thermo thermo() const override;
  std::int64_t step() const override { return step_; }

  const Atoms& atoms() const override { return atoms_; }
  const ParticleDomain& domain() const override { return migrator_.domain(); }
  const Phases& phases() const override { return phases_; }
  std::int64_t num_late_rebuilds() const override { return num_late_; }
  std::int64_t num_rebuilds() const override { return num_rebuilds_; }
  HostLead host_lead() const override { return lead_; }
  std::int64_t num_listed_pairs() const override { return lists_.num_pairs(); }
  std::string explain() const override { return positions_.explain(); }

 private:
  bool must_rebuild();
  void look_for_lead();
  AtomViews<Space> views() const { return atoms_.template views<Space>(); }
  Transfer begin(GhostExchange& exchange);
  void finish(Transfer& transfer);
  void end(Phase phase);
  void rebuild();
  void begin_timing(int weight);
  void migrate();
  void sort_owned();
  void list_ghosts();
  void list_neighbors();
  void compute_forces(Sums sums);
  void add_pairs(const NeighborRows<Space>& rows, Sums sums);
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
  ScopeOf<Space> scope_;
  Atoms atoms_;
  Migrator migrator_;
  Borders borders_;
  GhostExchange positions_;
  std::unique_ptr<GhostExchange> types_;   // where there are several
  std::unique_ptr<GhostExchange> forces_;  // where they travel back
  SpaceBox part_;
  CellGrid grid_;
  CellOrder<Space> order_;
  Permute<Space> permute_;
  NeighborLists<Space> lists_;
  PairForces<Space> pairs_;
  Motion<Space> motion_;
  FarFlags<Space> flags_{"far"};
  Moment<Space> flagged_;    // when the flags of the last step are what they will be
  bool is_flagged_ = false;  // by a step after the last rebuild
  std::int64_t num_late_ = 0;
  Moment<Space> step_end_;
  bool is_left_alone_ = false;  // the last step, by the host
  HostLead lead_;
  PairSums pair_sums_;
  bool are_positions_fresh_ = false;  // ghosts' positions came with the lists
  std::int64_t num_rebuilds_ = 0;
  Transfer last_;  // where transfers are only enqueued: the failure of any is found with it
  bool has_transfer_ = false;
  Phases phases_;
  Timeline<Space> timeline_;  // on a GPU, of steps that are timed
  bool is_timed_ = false;
};

}  // namespace halyard::md
