// Simulation: two fields, their exchanges and the kernel, advanced step by step.
//
// Collective to make, to advance and to destroy. Field `current` is read, the other one written,
// then they change places. Each field has a binding of its own, so nothing is bound or registered
// while steps run.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "halyard/context.hpp"
#include "halyard/exchange.hpp"
#include "model/field.hpp"
#include "model/grid.hpp"
#include "model/kernels.hpp"
#include "options.hpp"

namespace halyard::stencil {

/// What one step took on this rank, in microseconds.
struct StepTime {
  double step = 0;     // all of it
  double exposed = 0;  // of it, inside Halyard: nothing was computed meanwhile
};

/// An exchange did not end well. Thrown by one rank alone: no collective call may follow.
class TransferFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Simulation {
 public:
  Simulation(MPI_Comm comm, const Settings& settings, const Grid& grid, double coefficient);
  Simulation(const Simulation&) = delete;  // the fields give their memory back to context_
  Simulation& operator=(const Simulation&) = delete;

  /// The owned cells of the current field.
  Block block() const { return fields_[current_].block(); }
  const Plan& plan() const { return exchanges_.front().plan(); }
  std::string explain() const { return exchanges_.front().explain(); }

  /// Fills the ghosts of one field (of the other one next time), with nothing computed meanwhile.
  /// Returns the microseconds that it took. Throws TransferFailed.
  double exchange_only();

  /// One time step. Throws TransferFailed.
  StepTime advance();

 private:
  static std::vector<Field> make_fields(MPI_Comm comm, Context& context, const Settings& settings, const Grid& grid);
  static std::vector<HaloExchange> make_exchanges(Context& context, const std::vector<Field>& fields, const Grid& grid);
  StepTime advance_overlapped(const Sweep& sweep);
  StepTime advance_in_turn(const Sweep& sweep);
  void compute_all(const std::vector<Box>& regions, const Sweep& sweep);

  Context context_;
  std::vector<Field> fields_;
  std::vector<HaloExchange> exchanges_;
  Kernel kernel_;
  Regions regions_;
  bool is_overlapped_;
  std::size_t next_rehearsed_ = 0;
  std::size_t current_ = 0;
};

}  // namespace halyard::stencil
