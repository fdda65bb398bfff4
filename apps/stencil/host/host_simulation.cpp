// The flow of a time step on the host, written out once with overlap and once without.
#include "host/host_simulation.hpp"

#include "common/agree.hpp"

namespace halyard::stencil {
namespace {

void finish(Transfer& transfer) {
  const Status status = transfer.wait();
  if (!status.ok()) throw TransferFailed(status.text());
}

}  // namespace

HostSimulation::HostSimulation(MPI_Comm comm, const Settings& settings, const Grid& grid, double coefficient)
    : context_(comm, context_options(settings)),
      fields_(make_fields(comm, context_, settings, grid)),
      exchanges_(make_exchanges(context_, views(), grid)),
      kernel_(grid.stencil, update_weights(grid.stencil, coefficient)),
      regions_(split_regions(grid.mine.extents(), grid.stencil.radius)),
      is_overlapped_(settings.overlap) {}

std::vector<Field> HostSimulation::make_fields(MPI_Comm comm, Context& context, const Settings& settings,
                                               const Grid& grid) {
  std::vector<Field> fields;
  app::agreed(comm, [&] {
    for (int i = 0; i < 2; ++i) fields.emplace_back(context, settings.memory, grid.mine.extents(), grid.width());
  });
  return fields;
}

std::vector<FieldView> HostSimulation::views() const {
  std::vector<FieldView> views;
  for (const Field& field : fields_) views.push_back(field.view());
  return views;
}

void HostSimulation::rehearse(Times& times) {
  for (std::size_t i = 0; i < kWarmUps; ++i) exchange_only(i % 2);
  if (!is_overlapped_) return;  // the steps' own exchanges have nothing beside them
  for (std::size_t i = 0; i < kRehearsals; ++i) times.exchange.record(exchange_only(i % 2));
}

double HostSimulation::exchange_only(std::size_t field) {
  Stopwatch watch;
  Transfer transfer = exchanges_[field].forward();
  finish(transfer);
  return watch.lap();
}

void HostSimulation::advance(Times& times) {
  const Sweep sweep{fields_[current_].array(), fields_[1 - current_].array()};
  const StepTime time = is_overlapped_ ? advance_overlapped(sweep) : advance_in_turn(sweep);
  times.step.record(time.step);
  times.exposed.record(time.exposed);
  if (!is_overlapped_) times.exchange.record(time.exposed);
  current_ = 1 - current_;
}

HostSimulation::StepTime HostSimulation::advance_overlapped(const Sweep& sweep) {
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
    {
      const TraceRange range("interior");
      kernel_.apply(sweep, slab);
    }
    computed();
    transfer.ready();  // drives the paths that move only when called
    exchanged();
  }
  finish(transfer);
  exchanged();
  {
    const TraceRange range("boundary");
    compute_all(regions_.boundary, sweep);
  }
  computed();
  return time;
}

HostSimulation::StepTime HostSimulation::advance_in_turn(const Sweep& sweep) {
  Stopwatch watch;
  Transfer transfer = exchanges_[current_].forward();
  finish(transfer);
  const double exchange = watch.lap();
  const TraceRange range("interior and boundary");
  compute_all(regions_.interior, sweep);
  compute_all(regions_.boundary, sweep);
  return {exchange + watch.lap(), exchange};
}

void HostSimulation::compute_all(const std::vector<Box>& regions, const Sweep& sweep) {
  for (const Box& region : regions) kernel_.apply(sweep, region);
}

}  // namespace halyard::stencil
