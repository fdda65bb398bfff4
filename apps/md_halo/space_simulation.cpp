// See space_simulation.hpp.
#include "space_simulation.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

#include "common/agree.hpp"
#include "common/program.hpp"
#include "halyard/metrics.hpp"

namespace halyard::md {
namespace {

Options context_options(const Settings& settings) {
  Options options;
  options.path = settings.path;
  options.deadline_s = settings.deadline_s;
  if (settings.device == Device::emulated) options.device = "emulated";
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
  // Last positions are a copy of all atoms on the host in each migration, which a GPU would wait for.
  options.checks = {settings.checks, settings.checks, settings.checks || settings.device == Device::host};
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

void check(const Status& status) {
  if (!status.ok()) throw TransferFailed(status.text());
}

// Of the host where the kernels run there, else of their stream.
template <class Space>
TraceRange range_of_kernels(const char* name) {
  if constexpr (kIsOnGpu<Space>)
    return {name, stream_of<Space>()};
  else
    return TraceRange(name);
}

// On a GPU one step in so many is timed.
constexpr int kTimedSteps = 8;

ListKind list_kind(const Settings& settings) { return settings.newton == Newton::on ? ListKind::half : ListKind::full; }

}  // namespace

template <class Space>
SpaceSimulation<Space>::SpaceSimulation(MPI_Comm comm, const Settings& settings, const System& system)
    : settings_(settings),
      collectives_(comm, settings.deadline_s),
      num_atoms_(system.num_atoms),
      step_(system.step),
      volume_(volume_of(system.box)),
      model_(system, settings.cutoff, settings.is_shifted ? EnergyShift::zero_at_cutoff : EnergyShift::none),
      reach_(checked_reach(model_, settings, system.box)),
      kind_(list_kind(settings)),
      context_(comm, context_options(settings)),
      scope_(context_),
      atoms_(array_memory<Space>(context_)),
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

template <class Space>
void SpaceSimulation<Space>::start() {
  if (!kIsOnGpu<Space> || settings_.checks) migrator_.accept_ids();
  rebuild();
  compute_forces(Sums::take);
  settle();
  phases_.clear();
}

template <class Space>
Transfer SpaceSimulation<Space>::begin(GhostExchange& exchange) {
  if constexpr (kIsOnGpu<Space>) return exchange.forward(stream_of<Space>());
  return exchange.forward();
}

template <class Space>
void SpaceSimulation<Space>::finish(Transfer& transfer) {
  if constexpr (kIsOnGpu<Space>) {
    check(transfer.wait_on(stream_of<Space>()));
    last_ = transfer;
    has_transfer_ = true;
  } else {
    check(transfer.wait());
  }
}

template <class Space>
void SpaceSimulation<Space>::settle() {
  Space().fence();
  if (kIsOnGpu<Space> && std::exchange(has_transfer_, false)) check(last_.wait());
  if constexpr (kIsOnGpu<Space>) timeline_.add_to(phases_);
}

// A Kokkos whose host space is Serial counts references to views without atomics, so the thread of the emulated stream
// should not run beside a rebuild that makes new ones.
template <class Space>
void wait_for_views() {
  if constexpr (std::is_same_v<Space, EmulatedSpace>) Space().fence();
}

// On a GPU: how long its stream takes, in some steps and all rebuilds.
template <class Space>
void SpaceSimulation<Space>::end(Phase phase) {
  if constexpr (!kIsOnGpu<Space>) {
    phases_.end(phase);
  } else if (is_timed_) {
    timeline_.mark(phase);
    wait_for_views<Space>();
  }
}

template <class Space>
void SpaceSimulation<Space>::begin_timing(int weight) {
  is_timed_ = weight > 0;
  if constexpr (kIsOnGpu<Space>) {
    if (!is_timed_) return;
    wait_for_views<Space>();
    timeline_.begin(weight);
  }
}

template <class Space>
void SpaceSimulation<Space>::advance(Sums sums) {
  const TraceRange range("step");
  ++step_;
  if constexpr (kIsOnGpu<Space>) {
    const bool is_timed = step_ % kTimedSteps == 0;
    if (is_timed) timeline_.add_to(phases_);  // of those before: the stream has long passed them
    begin_timing(is_timed ? kTimedSteps : 0);
  }
  phases_.skip();
  if (must_rebuild()) rebuild();
  compute_forces(sums);
  if (settings_.thermostat.kind == Thermostat::langevin) apply_langevin();
  motion_.kick(views());
  if (settings_.thermostat.kind == Thermostat::rescale) apply_rescale();
  end(Phase::motion);
  if constexpr (kIsOnGpu<Space>) {
    step_end_.mark();
    is_left_alone_ = !is_timed_ && sums == Sums::skip;
  }
}

template <class Space>
void SpaceSimulation<Space>::look_for_lead() {
  if (!is_left_alone_) return;
  ++lead_.num_looked;
  lead_.num_idle += step_end_.has_passed() ? 1 : 0;
}

template <class Space>
void SpaceSimulation<Space>::rebuild() {
  const TraceRange range("rebuild");
  ++num_rebuilds_;
  begin_timing(1);
  if constexpr (kIsOnGpu<Space>) Space().fence();  // atoms migrate in another stream
  migrate();
  sort_owned();
  list_ghosts();
  list_neighbors();
  motion_.remember(views());
  end(Phase::neighbors);
}

template <class Space>
bool SpaceSimulation<Space>::must_rebuild() {
  const double far = settings_.skin / 2;
  if constexpr (!kIsOnGpu<Space>) {
    const int num_far = motion_.kick_and_drift(views(), far);
    end(Phase::motion);
    const bool is_far = collectives_.any(num_far > 0);
    end(Phase::agree);
    return is_far;
  } else {
    bool is_soon = false;
    if (std::exchange(is_flagged_, true)) {
      const TraceRange range("flags");
      flagged_.wait();
      is_soon = flags_(kIsSoon) != 0;
      num_late_ += flags_(kIsLate) != 0 ? 1 : 0;
    }
    is_soon = collectives_.any(is_soon);
    end(Phase::agree);
    look_for_lead();
    flags_(kIsSoon) = flags_(kIsLate) = 0;
    motion_.kick_and_drift_ahead(views(), far, flags_);
    flagged_.mark();
    is_flagged_ = !is_soon;  // a rebuild forgets what this step has raised
    end(Phase::motion);
    return is_soon;
  }
}

template <class Space>
void SpaceSimulation<Space>::migrate() {
  MigrateOptions options;
  options.order = settings_.fixed_order ? MigrateOrder::stable : MigrateOrder::any;
  options.step = step_;
  migrator_.migrate(options);
  end(Phase::migrate);
}

template <class Space>
void SpaceSimulation<Space>::sort_owned() {
  const TraceRange range("sort");
  const AtomViews<Space> atoms = views();
  order_.sort(grid_, atoms.x, 0, atoms.num_owned);
  permute_.apply(atoms, order_.order());
  end(Phase::neighbors);
}

template <class Space>
void SpaceSimulation<Space>::list_ghosts() {
  if constexpr (kIsOnGpu<Space>) Space().fence();  // borders are built in another stream
  borders_.build();
  end(Phase::migrate);
  Transfer positions = begin(positions_);
  finish(positions);
  if (types_) {
    Transfer types = begin(*types_);
    finish(types);
  }
  are_positions_fresh_ = true;
  end(Phase::forward);
}

template <class Space>
void SpaceSimulation<Space>::list_neighbors() {
  const TraceRange range("neighbors");
  lists_.build(views(), part_, order_);
}

/// Pairs of owned atoms need no ghosts, so with --overlap they are computed while positions travel.
template <class Space>
void SpaceSimulation<Space>::compute_forces(Sums sums) {
  pairs_.clear(views());
  pair_sums_ = {};
  end(Phase::pairs);
  Transfer transfer;
  const bool is_moving = !std::exchange(are_positions_fresh_, false);
  if (is_moving) transfer = begin(positions_);
  if (is_moving && !settings_.overlap) finish(transfer);
  end(Phase::forward);
  add_pairs(lists_.among_owned(), sums);
  if (is_moving && settings_.overlap) {
    finish(transfer);
    end(Phase::forward);
  }
  add_pairs(lists_.with_ghosts(), sums);
  if (forces_) return_forces();
}

template <class Space>
void SpaceSimulation<Space>::add_pairs(const NeighborRows<Space>& rows, Sums sums) {
  const TraceRange range = range_of_kernels<Space>("pairs");
  if (sums == Sums::take)
    pair_sums_ += pairs_.add_and_sum(views(), rows);
  else
    pairs_.add(views(), rows);
  end(Phase::pairs);
}

template <class Space>
void SpaceSimulation<Space>::return_forces() {
  const ReduceOrder order = settings_.fixed_order ? ReduceOrder::fixed : ReduceOrder::arrival;
  check(forces_->reverse(Reduce::sum, order).wait());
  end(Phase::reverse);
}

template <class Space>
void SpaceSimulation<Space>::apply_langevin() {
  const ThermostatSettings& t = settings_.thermostat;
  motion_.add_langevin(views(), {t.temperature, t.damp, settings_.dt, static_cast<std::uint64_t>(t.seed),
                                 static_cast<std::uint64_t>(step_)});
}

template <class Space>
void SpaceSimulation<Space>::apply_rescale() {
  const ThermostatSettings& t = settings_.thermostat;
  if (step_ % t.every != 0) return;
  const double temperature = temperature_of(mass_speed_squared(), num_atoms_);
  if (temperature > 0) motion_.scale_velocities(views(), std::sqrt(t.temperature / temperature));
}

template <class Space>
double SpaceSimulation<Space>::mass_speed_squared() const {
  return collectives_.sum(std::array<double, 1>{motion_.sums(views()).mass_speed_squared})[0];
}

template <class Space>
Thermo SpaceSimulation<Space>::thermo() const {
  const MotionSums motion = motion_.sums(views());
  const auto [px, py, pz] = motion.momentum;
  const auto all = collectives_.sum(
      std::array<double, 6>{pair_sums_.energy, pair_sums_.virial, motion.mass_speed_squared, px, py, pz});
  return thermo_of({all[0], all[1], all[2], {all[3], all[4], all[5]}}, num_atoms_, volume_, step_);
}

template class SpaceSimulation<HostSpace>;
template class SpaceSimulation<EmulatedSpace>;
#ifdef KOKKOS_ENABLE_CUDA
template class SpaceSimulation<Kokkos::Cuda>;
#endif

}  // namespace halyard::md
