// Simulation: two fields, their exchanges and the kernels, advanced step by step, on the host (host/) or on a GPU
// (gpu/).
//
// Collective to make, to advance and to destroy. One field is read, the other one written, then they change places.
// Each field has a binding of its own, so nothing is bound or registered while steps run. Main thread only.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "halyard/exchange.hpp"
#include "halyard/plan.hpp"
#include "io/block.hpp"
#include "model/grid.hpp"
#include "options.hpp"
#include "report/timing.hpp"

namespace halyard::stencil {

/// A step or an exchange did not end well. Thrown by one rank alone: no collective call may follow.
class TransferFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Simulation {
 public:
  Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  virtual ~Simulation() = default;

  /// Local. `write` sets the owned cells of the field that is read next, in host memory.
  virtual void start(const std::function<void(const Block&)>& write) = 0;
  /// Local. The owned cells after the last step, in host memory; valid until the next call.
  virtual Block block() = 0;

  virtual const Plan& plan() const = 0;
  virtual std::string explain() const = 0;

  /// Once, before the first step: warms up and records what is measured apart from the steps. Changes no owned cell
  /// that a step reads. Throws TransferFailed.
  virtual void rehearse(Times& times) = 0;
  /// One time step. Records at least the steps that have ended. Throws TransferFailed.
  virtual void advance(Times& times) = 0;
  /// Returns when every step has ended and is recorded. Throws TransferFailed.
  virtual void settle(Times& times) = 0;
};

/// What settings.device says. Throws SetupError or halyard::Error on every rank.
std::unique_ptr<Simulation> make_simulation(MPI_Comm comm, const Settings& settings, const Grid& grid,
                                            double coefficient);

/// Two halo exchanges of the same pattern, one for each field. Collective.
std::vector<HaloExchange> make_exchanges(Context& context, const std::vector<FieldView>& fields, const Grid& grid);

/// The Options of a run.
Options context_options(const Settings& settings);

}  // namespace halyard::stencil
