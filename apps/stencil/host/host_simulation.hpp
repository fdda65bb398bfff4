// HostSimulation: the fields in host memory, the kernels in Kokkos' host execution space.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "halyard/context.hpp"
#include "halyard/exchange.hpp"
#include "halyard/metrics.hpp"
#include "host/field.hpp"
#include "host/kernels.hpp"
#include "simulation.hpp"

namespace halyard::stencil {

class HostSimulation : public Simulation {
 public:
  HostSimulation(MPI_Comm comm, const Settings& settings, const Grid& grid, double coefficient);

  void start(const std::function<void(const Block&)>& write) override { write(block()); }
  Block block() override { return fields_[current_].block(); }
  const Plan& plan() const override { return exchanges_.front().plan(); }
  std::string explain() const override { return exchanges_.front().explain(); }

  void rehearse(Times& times) override;
  void advance(Times& times) override;
  void settle(Times&) override {}

 private:
  /// What one step took on this rank, in microseconds.
  struct StepTime {
    double step = 0;     // all of it
    double exposed = 0;  // of it, inside Halyard: nothing was computed meanwhile
  };

  static std::vector<Field> make_fields(MPI_Comm comm, Context& context, const Settings& settings, const Grid& grid);
  std::vector<FieldView> views() const;
  double exchange_only(std::size_t field);
  StepTime advance_overlapped(const Sweep& sweep);
  StepTime advance_in_turn(const Sweep& sweep);
  void compute_all(const std::vector<Box>& regions, const Sweep& sweep);

  Context context_;
  std::vector<Field> fields_;  // give their memory back to context_
  std::vector<HaloExchange> exchanges_;
  Kernel kernel_;
  Regions regions_;
  bool is_overlapped_;
  std::size_t current_ = 0;
};

}  // namespace halyard::stencil
