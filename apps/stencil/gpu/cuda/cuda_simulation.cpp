// The flow of a time step on a GPU, written out once with overlap and once without. See cuda_simulation.hpp.
#include "gpu/cuda/cuda_simulation.hpp"

#include <algorithm>

#include "common/agree.hpp"
#include "gpu/gpu.hpp"
#include "halyard/metrics.hpp"

namespace halyard::stencil::gpu {
namespace {

constexpr std::int64_t kStepsBetweenLooks = 256;  // at the exchanges' outcome, which stops the GPU for a moment

void expect_ok(const Status& status) {
  if (!status.ok()) throw TransferFailed(status.text());
}

}  // namespace

CudaSimulation::CudaSimulation(MPI_Comm comm, const Settings& settings, const Grid& grid, double coefficient)
    : queues_(make_queues(comm)),
      context_(comm, context_options(settings)),
      fields_(make_fields(comm, grid)),
      exchanges_(make_exchanges(context_, views(), grid)),
      kernels_(grid.stencil, update_weights(grid.stencil, coefficient), grid.mine.extents()),
      copy_(fields_.front().array(), grid.mine.extents(), grid.width()),
      is_overlapped_(settings.overlap) {
  const auto& neighbors = plan().neighbors();
  is_staged_ = std::any_of(neighbors.begin(), neighbors.end(), [](const PlanNeighbor& n) { return n.is_staged; });
}

// Kernels that still run must not lose their fields.
CudaSimulation::~CudaSimulation() {
  (void)cudaStreamSynchronize(queues_->compute.get());
  (void)cudaStreamSynchronize(queues_->exchange.get());
}

std::unique_ptr<CudaSimulation::Queues> CudaSimulation::make_queues(MPI_Comm comm) {
  std::unique_ptr<Queues> queues;
  app::agreed(comm, [&] { queues = std::make_unique<Queues>(); });
  return queues;
}

std::vector<Field> CudaSimulation::make_fields(MPI_Comm comm, const Grid& grid) {
  std::vector<Field> fields;
  app::agreed(comm, [&] {
    for (int i = 0; i < 2; ++i) fields.emplace_back(grid.mine.extents(), grid.width());
    Kokkos::fence();  // set to 0, on a stream of Kokkos
  });
  return fields;
}

std::vector<FieldView> CudaSimulation::views() const {
  std::vector<FieldView> views;
  for (const Field& field : fields_) views.push_back(field.view());
  return views;
}

void CudaSimulation::start(const std::function<void(const Block&)>& write) {
  write(copy_.block());  // around it, in memory that is new, 0
  copy_.write_to(fields_[current_].array());
}

Block CudaSimulation::block() {
  copy_.read(fields_[current_].array());
  return copy_.block();
}

// ---- a step
// -----------------------------------------------------------------------------------------------------------

void CudaSimulation::advance(Times& times) {
  if (num_steps_ == 0) step_end_ = queues_->marks.mark(queues_->compute.get());
  if (is_overlapped_)
    enqueue_overlapped(sweep());
  else
    enqueue_in_turn(sweep());
  step_end_ = queues_->marks.mark(queues_->compute.get());
  current_ = 1 - current_;
  if (++num_steps_ % kStepsBetweenLooks == 0) wait_for_exchange();
  while (const auto us = queues_->marks.next_passed()) record(times, *us);
}

void CudaSimulation::enqueue_overlapped(const Sweep& sweep) {
  const cudaStream_t compute = queues_->compute.get();
  const cudaStream_t exchange = queues_->exchange.get();
  check("wait for the end of a step", cudaStreamWaitEvent(exchange, step_end_, 0));
  exchange_in(current_, exchange);
  enqueue_interior(sweep);
  finish_in(exchange);
  check("mark the end of an exchange", cudaEventRecord(queues_->has_ghosts.get(), exchange));
  check("wait for the end of an exchange", cudaStreamWaitEvent(compute, queues_->has_ghosts.get(), 0));
  enqueue_boundary(sweep);
}

void CudaSimulation::enqueue_in_turn(const Sweep& sweep) {
  exchange_in(current_, queues_->compute.get());
  finish_in(queues_->compute.get());
  enqueue_interior(sweep);
  enqueue_boundary(sweep);
}

void CudaSimulation::enqueue_interior(const Sweep& sweep) {
  const TraceRange range("interior", queues_->compute.get());
  kernels_.interior(queues_->space, sweep);
}

void CudaSimulation::enqueue_boundary(const Sweep& sweep) {
  const TraceRange range("boundary", queues_->compute.get());
  kernels_.boundary(queues_->space, sweep);
}

// One launch, unless the host has to help: then the interior kernel is enqueued before it does.
void CudaSimulation::exchange_in(std::size_t field, cudaStream_t stream) {
  Binding& binding = exchanges_[field].binding();
  transfer_ = is_staged_ ? binding.forward(stream) : binding.forward_and_wait_on(stream);
}

void CudaSimulation::finish_in(cudaStream_t stream) { expect_ok(transfer_.wait_on(Stream(stream))); }

void CudaSimulation::record(Times& times, double step_us) {
  times.step.record(step_us);
  times.exposed.record(step_us - compute_us_);
}

void CudaSimulation::wait_for_exchange() { expect_ok(transfer_.wait()); }

void CudaSimulation::settle(Times& times) {
  if (num_steps_ > 0) wait_for_exchange();
  while (const auto us = queues_->marks.next()) record(times, *us);
  check("run the kernels of the last step", cudaStreamSynchronize(queues_->compute.get()));
}

// ---- measured apart from the steps
// --------------------------------------------------------------------------------------

void CudaSimulation::rehearse(Times& times) {
  rehearse_exchanges(times);
  rehearse_kernels(times);
}

// Ghosts of both fields are filled with what the fields hold; a step fills them anew.
void CudaSimulation::rehearse_exchanges(Times& times) {
  Marks& marks = queues_->marks;
  const cudaStream_t stream = queues_->exchange.get();
  for (std::size_t i = 0; i < kWarmUps + kRehearsals; ++i) {
    if (i >= kWarmUps) marks.mark(stream);
    exchange_in(i % 2, stream);
    finish_in(stream);
  }
  marks.mark(stream);
  wait_for_exchange();
  while (const auto us = marks.next()) times.exchange.record(*us);
  marks.clear();
}

// The kernels of the first step, again and again: they write what that step writes.
void CudaSimulation::rehearse_kernels(Times& times) {
  Marks& marks = queues_->marks;
  const cudaStream_t stream = queues_->compute.get();
  std::vector<double> took;
  for (std::size_t i = 0; i < kWarmUps + kRehearsals; ++i) {
    if (i >= kWarmUps) marks.mark(stream);
    kernels_.interior(queues_->space, sweep());
    kernels_.boundary(queues_->space, sweep());
  }
  marks.mark(stream);
  while (const auto us = marks.next()) took.push_back(*us);
  for (const double us : took) times.compute.record(us);
  compute_us_ = spread_of(took).median;
  marks.clear();
}

// ---- the choice
// -----------------------------------------------------------------------------------------------------------

std::unique_ptr<Simulation> make_simulation(MPI_Comm comm, const Settings& settings, const Grid& grid,
                                            double coefficient) {
  return std::make_unique<CudaSimulation>(comm, settings, grid, coefficient);
}

}  // namespace halyard::stencil::gpu
