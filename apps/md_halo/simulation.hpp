// Simulation: atoms of all ranks and their motion: exchange by Halyard, kernels by Kokkos, on the host or on a GPU.
//
// Collective in every call that is not const. Each rank owns the atoms of a part of the box. When some atom has moved
// half the skin, all ranks together send atoms to their owners and list ghosts and neighbors anew; between such steps
// positions travel to ghosts and, with half lists, forces back. Main thread only.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "atoms/atoms.hpp"
#include "collectives.hpp"
#include "halyard/particle_domain.hpp"
#include "input/system.hpp"
#include "model/thermo.hpp"
#include "options.hpp"
#include "report/host_lead.hpp"
#include "report/phases.hpp"

namespace halyard::md {

/// Whether a step also sums up energies, which costs a little.
enum class Sums { skip, take };

class Simulation {
 public:
  Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  virtual ~Simulation() = default;

  /// Forces where atoms are now. Before the first step.
  virtual void start() = 0;
  /// One time step. Throws TransferFailed, or what the migration throws: the same on every rank.
  virtual void advance(Sums sums) = 0;
  /// Waits until all steps have ended, where they are only enqueued. Throws TransferFailed.
  virtual void settle() = 0;

  /// After start() or a step with Sums::take. The same on every rank.
  virtual Thermo thermo() const = 0;
  virtual std::int64_t step() const = 0;

  virtual const Atoms& atoms() const = 0;
  virtual const ParticleDomain& domain() const = 0;
  virtual const Phases& phases() const = 0;
  virtual std::int64_t num_rebuilds() const = 0;
  /// Steps of this rank in which an atom had moved further than lists allow for: none, but where steps are enqueued
  /// ahead and an atom was hit harder than was expected.
  virtual std::int64_t num_late_rebuilds() const = 0;
  /// How often this rank gave the GPU a step while nobody waited for it.
  virtual HostLead host_lead() const = 0;
  virtual std::int64_t num_listed_pairs() const = 0;
  virtual std::string explain() const = 0;
};

/// `system` holds any of the atoms on any rank. Throws SetupError or halyard::Error on every rank, among others for a
/// box that is thinner than the reach.
std::unique_ptr<Simulation> make_simulation(MPI_Comm comm, const Settings& settings, const System& system);

}  // namespace halyard::md
