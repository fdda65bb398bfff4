// The flow of a time step, written out once with overlap and once without.
#include "simulation.hpp"

#include <utility>

#include "agree.hpp"
#include "report/timing.hpp"

namespace halyard::stencil {
namespace {

Options context_options(const Settings& settings) {
  Options options;
  options.path = settings.path;
  options.deadline_s = settings.deadline_s;
  return options;
}

void finish(Transfer& transfer) {
  const Status status = transfer.wait();
  if (!status.ok()) throw TransferFailed(status.text());
}

}  // namespace

Simulation::Simulation(MPI_Comm comm, const Settings& settings, const Grid& grid, double coefficient)
    : context_(comm, context_options(settings)),
      fields_(make_fields(comm, context_, settings, grid)),
      exchanges_(make_exchanges(context_, fields_, grid)),
      kernel_(grid.stencil, update_weights(grid.stencil, coefficient)),
      regions_(split_regions(grid.mine.extents(), grid.stencil.radius)),
      is_overlapped_(settings.overlap) {}

std::vector<Field> Simulation::make_fields(MPI_Comm comm, Context& context, const Settings& settings,
                                           const Grid& grid) {
  std::vector<Field> fields;
  agreed(comm, [&] {
    for (int i = 0; i < 2; ++i) fields.emplace_back(context, settings.memory, grid.mine.extents(), grid.width());
  });
  return fields;
}

std::vector<HaloExchange> Simulation::make_exchanges(Context& context, const std::vector<Field>& fields,
                                                     const Grid& grid) {
  const BoxHalo halo{grid.decomposition, grid.periodic, grid.width(), grid.stencil.reach()};
  const Pattern pattern = box_halo(halo, context.rank());
  std::vector<HaloExchange> exchanges;
  for (const Field& field : fields) exchanges.emplace_back(context, pattern, std::vector<FieldView>{field.view()});
  return exchanges;
}

double Simulation::exchange_only() {
  Stopwatch watch;
  Transfer transfer = exchanges_[next_rehearsed_].forward();
  finish(transfer);
  next_rehearsed_ = 1 - next_rehearsed_;
  return watch.lap();
}

StepTime Simulation::advance() {
  const Sweep sweep{fields_[current_].array(), fields_[1 - current_].array()};
  const StepTime time = is_overlapped_ ? advance_overlapped(sweep) : advance_in_turn(sweep);
  current_ = 1 - current_;
  return time;
}

StepTime Simulation::advance_overlapped(const Sweep& sweep) {
  Stopwatch watch;
  StepTime time;
  const auto computed = [&] { time.step += watch.lap(); };
  const auto exchanged = [&] {
    const double us = watch.lap();
    time.step += us;
    time.exposed += us;
  };

  Transfer transfer = exchanges_[current_].forward();
  exchanged();
  for (const Box& slab : regions_.interior) {
    kernel_.apply(sweep, slab);
    computed();
    transfer.ready();  // drives the paths that move only when called
    exchanged();
  }
  finish(transfer);
  exchanged();
  compute_all(regions_.boundary, sweep);
  computed();
  return time;
}

StepTime Simulation::advance_in_turn(const Sweep& sweep) {
  Stopwatch watch;
  Transfer transfer = exchanges_[current_].forward();
  finish(transfer);
  const double exchange = watch.lap();
  compute_all(regions_.interior, sweep);
  compute_all(regions_.boundary, sweep);
  return {exchange + watch.lap(), exchange};
}

void Simulation::compute_all(const std::vector<Box>& regions, const Sweep& sweep) {
  for (const Box& region : regions) kernel_.apply(sweep, region);
}

}  // namespace halyard::stencil
