// See simulation.hpp.
#include "simulation.hpp"

#include <cmath>

#include "common/agree.hpp"
#include "common/program.hpp"
#include "halyard/metrics.hpp"

namespace halyard::md {
namespace {

Options context_options(const Settings& settings) {
  Options options;
  options.path = settings.path;
  options.deadline_s = settings.deadline_s;
  return options;
}

std::string text_of(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

/// Before anything is set up; every rank judges the same numbers.
double checked_reach(const LennardJones& model, const Settings& settings, const SpaceBox& box) {
  const double cutoff = model.longest_cutoff();
  const double reach = cutoff + settings.skin;
  for (std::size_t a = 0; a < 3; ++a) {
    const double width = box.hi[a] - box.lo[a];
    if (width < reach)
      throw app::SetupError("the box is " + text_of(width) + " wide in " + "xyz"[a] + ", thinner than the cut-off of " +
                            text_of(cutoff) + " and the skin of " + text_of(settings.skin) +
                            " together: an atom would meet itself; use a larger box, or less of "
                            "--cutoff and --skin");
  }
  return reach;
}

ParticleDomain domain_of(MPI_Comm comm, const Settings& settings, const SpaceBox& box) {
  constexpr std::array<bool, 3> kPeriodic{true, true, true};
  const int size = app::size_of(comm);
  if (!settings.ranks) return ParticleDomain::balanced(box, kPeriodic, size);
  const auto [x, y, z] = *settings.ranks;
  if (x * y * z != size)
    throw app::SetupError("--ranks " + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) +
                          ": the process grid does not have the " + std::to_string(size) +
                          " ranks that MPI started; start as many ranks as its product says, or leave --ranks out");
  return {box, kPeriodic, *settings.ranks, {}};
}

MigratorOptions migrator_options(const Settings& settings) {
  MigratorOptions options;
  options.checks = {settings.checks, settings.checks, true};
  return options;
}

BorderOptions border_options(double reach, ListKind kind) {
  BorderOptions options;
  options.reach = reach;
  options.shell = kind == ListKind::half ? Shell::half : Shell::full;
  return options;
}

double volume_of(const SpaceBox& box) {
  double volume = 1;
  for (std::size_t a = 0; a < 3; ++a) volume *= box.hi[a] - box.lo[a];
  return volume;
}

void finish(Transfer transfer) {
  const Status status = transfer.wait();
  if (!status.ok()) throw TransferFailed(status.text());
}

}  // namespace

Simulation::Simulation(MPI_Comm comm, const Settings& settings, const System& system)
    : settings_(settings),
      collectives_(comm, settings.deadline_s),
      num_atoms_(system.num_atoms),
      step_(system.step),
      volume_(volume_of(system.box)),
      model_(system, settings.cutoff, settings.is_shifted ? EnergyShift::zero_at_cutoff : EnergyShift::none),
      reach_(checked_reach(model_, settings, system.box)),
      kind_(settings.newton == Newton::on ? ListKind::half : ListKind::full),
      context_(comm, context_options(settings)),
      atoms_(context_),
      migrator_(context_, domain_of(comm, settings, system.box), atoms_.particles(), migrator_options(settings)),
      borders_(context_, migrator_.domain(), atoms_.particles(), border_options(reach_, kind_)),
      positions_(borders_, {"x"}),
      part_(migrator_.domain().box_of(context_.rank())),
      grid_(CellGrid::around(part_, reach_)),
      lists_(kind_, reach_, grid_),
      pairs_(model_, settings.precision == Precision::mixed, kind_),
      motion_(system.masses, settings.dt) {
  if (system.num_types() > 1) types_ = std::make_unique<GhostExchange>(borders_, std::vector<std::string>{"type"});
  if (kind_ == ListKind::half) forces_ = std::make_unique<GhostExchange>(borders_, std::vector<std::string>{"f"});
  app::agreed(comm, [&] { atoms_.assign(system.atoms); });
}

void Simulation::start() {
  migrator_.accept_ids();
  rebuild();
  compute_forces(Sums::take);
}

void Simulation::advance(Sums sums) {
  ++step_;
  phases_.skip();
  const int num_far = motion_.kick_and_drift(atoms_.views(), settings_.skin / 2);
  phases_.end(Phase::motion);
  const bool is_far = collectives_.any(num_far > 0);
  phases_.end(Phase::agree);
  if (is_far) rebuild();
  compute_forces(sums);
  if (settings_.thermostat.kind == Thermostat::langevin) apply_langevin();
  motion_.kick(atoms_.views());
  if (settings_.thermostat.kind == Thermostat::rescale) apply_rescale();
  phases_.end(Phase::motion);
}

void Simulation::rebuild() {
  ++num_rebuilds_;
  migrate();
  sort_owned();
  list_ghosts();
  lists_.build(atoms_.views(), part_, order_);
  motion_.remember(atoms_.views());
  phases_.end(Phase::neighbors);
}

void Simulation::migrate() {
  MigrateOptions options;
  options.order = settings_.fixed_order ? MigrateOrder::stable : MigrateOrder::any;
  options.step = step_;
  migrator_.migrate(options);
  phases_.end(Phase::migrate);
}

void Simulation::sort_owned() {
  const AtomViews<HostSpace> views = atoms_.views();
  order_.sort(grid_, views.x, 0, views.num_owned);
  permute_.apply(views, order_.order());
  phases_.end(Phase::neighbors);
}

void Simulation::list_ghosts() {
  borders_.build();
  phases_.end(Phase::migrate);
  finish(positions_.forward());
  if (types_) finish(types_->forward());
  are_positions_fresh_ = true;
  phases_.end(Phase::forward);
}

/// Pairs of owned atoms need no ghosts, so with --overlap they are computed while positions travel.
void Simulation::compute_forces(Sums sums) {
  pairs_.clear(atoms_.views());
  pair_sums_ = {};
  phases_.end(Phase::pairs);
  Transfer transfer;
  const bool is_moving = !std::exchange(are_positions_fresh_, false);
  if (is_moving) transfer = positions_.forward();
  if (is_moving && !settings_.overlap) finish(transfer);
  phases_.end(Phase::forward);
  add_pairs(lists_.among_owned(), sums);
  if (is_moving && settings_.overlap) {
    finish(transfer);
    phases_.end(Phase::forward);
  }
  add_pairs(lists_.with_ghosts(), sums);
  if (forces_) return_forces();
}

void Simulation::add_pairs(const NeighborRows<HostSpace>& rows, Sums sums) {
  const TraceRange range("pairs");
  if (sums == Sums::take)
    pair_sums_ += pairs_.add_and_sum(atoms_.views(), rows);
  else
    pairs_.add(atoms_.views(), rows);
  phases_.end(Phase::pairs);
}

void Simulation::return_forces() {
  const ReduceOrder order = settings_.fixed_order ? ReduceOrder::fixed : ReduceOrder::arrival;
  finish(forces_->reverse(Reduce::sum, order));
  phases_.end(Phase::reverse);
}

void Simulation::apply_langevin() {
  const ThermostatSettings& t = settings_.thermostat;
  motion_.add_langevin(atoms_.views(), {t.temperature, t.damp, settings_.dt, static_cast<std::uint64_t>(t.seed),
                                        static_cast<std::uint64_t>(step_)});
}

void Simulation::apply_rescale() {
  const ThermostatSettings& t = settings_.thermostat;
  if (step_ % t.every != 0) return;
  const double temperature = temperature_of(mass_speed_squared(), num_atoms_);
  if (temperature > 0) motion_.scale_velocities(atoms_.views(), std::sqrt(t.temperature / temperature));
}

double Simulation::mass_speed_squared() const {
  return collectives_.sum(std::array<double, 1>{motion_.sums(atoms_.views()).mass_speed_squared})[0];
}

Thermo Simulation::thermo() const {
  const MotionSums motion = motion_.sums(atoms_.views());
  const auto [px, py, pz] = motion.momentum;
  const auto all = collectives_.sum(
      std::array<double, 6>{pair_sums_.energy, pair_sums_.virial, motion.mass_speed_squared, px, py, pz});
  return thermo_of({all[0], all[1], all[2], {all[3], all[4], all[5]}}, num_atoms_, volume_, step_);
}

}  // namespace halyard::md
