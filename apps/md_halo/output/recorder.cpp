// See recorder.hpp.
#include "output/recorder.hpp"

#include <cstdio>

#include "common/agree.hpp"
#include "common/program.hpp"
#include "input/restart_file.hpp"
#include "output/gather.hpp"
#include "report/result.hpp"

namespace halyard::md {
namespace {

System without_atoms(const System& system) {
  return {system.box, system.step, system.num_atoms, system.masses, system.pairs, {}};
}

}  // namespace

Recorder::Recorder(MPI_Comm comm, const Settings& settings, const System& system)
    : comm_(comm),
      settings_(settings),
      frame_(without_atoms(system)),
      first_(system.step),
      last_(system.step + settings.steps),
      dump_every_(settings.output.dump_every == 0 ? settings.output.thermo : settings.output.dump_every) {
  app::agreed_on_root(comm, [&] {
    if (!settings.output.dump.empty()) dump_.emplace(settings.output.dump);
  });
}

/// Steps count from where LAMMPS counts them: multiples of `every`, and the last.
bool Recorder::is_due(std::int64_t step, std::int64_t every) const {
  return step == last_ || (every > 0 && step % every == 0);
}

bool Recorder::wants(std::int64_t step) const { return is_due(step, settings_.output.thermo); }

void Recorder::begin(const Simulation& simulation) {
  app::say(comm_, stdout, thermo_header());
  take_line(simulation);
  write_dump(simulation);
}

void Recorder::record(const Simulation& simulation) {
  if (wants(simulation.step())) take_line(simulation);
  if (is_due(simulation.step(), dump_every_)) write_dump(simulation);
}

void Recorder::take_line(const Simulation& simulation) {
  thermo_.push_back(simulation.thermo());
  app::say(comm_, stdout, thermo_line(thermo_.back(), settings_.output.is_total ? 1 : frame_.num_atoms));
}

void Recorder::write_dump(const Simulation& simulation) {
  if (settings_.output.dump.empty()) return;
  const std::vector<AtomWithForce> all = gather_atoms(comm_, simulation.atoms());
  app::agreed_on_root(comm_, [&] { dump_->write(simulation.step(), frame_.box, all); });
}

void Recorder::finish(const Simulation& simulation, bool is_well) {
  app::agreed_on_root(comm_, [&] {
    if (dump_) dump_->commit();
  });
  if (is_well && !settings_.output.restart.empty()) write_restart(simulation);
}

/// Positions are wrapped only when lists are made, so here some lie a little outside of the box.
void Recorder::write_restart(const Simulation& simulation) {
  const std::vector<AtomWithForce> all = gather_atoms(comm_, simulation.atoms());
  app::agreed_on_root(comm_, [&] {
    System system = frame_;
    system.step = simulation.step();
    for (const AtomWithForce& each : all) {
      system.atoms.push_back(each.atom);
      Atom& atom = system.atoms.back();
      for (std::size_t a = 0; a < 3; ++a) {
        double crossings = 0;
        atom.x[a] = wrapped(atom.x[a], system.box.lo[a], system.box.hi[a], &crossings);
        atom.image[a] += static_cast<std::int32_t>(crossings);
      }
    }
    app::StagedFile file = app::StagedFile::create(settings_.output.restart);
    file.write(to_restart(system));
    file.commit();
  });
}

}  // namespace halyard::md
