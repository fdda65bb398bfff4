// CudaSimulation: the fields in GPU memory, the steps enqueued, the host up to Marks::kMostAhead steps ahead.
//
// Two streams. The exchange runs on the one of high priority, so that its few blocks find room although the interior
// kernel fills the GPU; the kernels run on the other. Events order them: an exchange begins when the step before has
// ended, the boundary kernel when the exchange and the interior kernel have.
#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gpu/cuda/field.hpp"
#include "gpu/cuda/kernels.hpp"
#include "gpu/cuda/streams.hpp"
#include "halyard/context.hpp"
#include "halyard/exchange.hpp"
#include "simulation.hpp"

namespace halyard::stencil::gpu {

class CudaSimulation : public Simulation {
 public:
  CudaSimulation(MPI_Comm comm, const Settings& settings, const Grid& grid, double coefficient);
  ~CudaSimulation() override;

  void start(const std::function<void(const Block&)>& write) override;
  Block block() override;
  const Plan& plan() const override { return exchanges_.front().plan(); }
  std::string explain() const override { return exchanges_.front().explain(); }

  void rehearse(Times& times) override;
  void advance(Times& times) override;
  void settle(Times& times) override;

 private:
  /// The handles of CUDA: what a rank may fail to get.
  struct Queues {
    OwnedStream exchange = make_stream(Priority::high);
    OwnedStream compute = make_stream(Priority::low);
    OwnedEvent has_ghosts = make_event(cudaEventDisableTiming);
    Marks marks;
    Kokkos::Cuda space{compute.get()};
  };

  static std::unique_ptr<Queues> make_queues(MPI_Comm comm);
  static std::vector<Field> make_fields(MPI_Comm comm, const Grid& grid);
  std::vector<FieldView> views() const;

  void rehearse_exchanges(Times& times);
  void rehearse_kernels(Times& times);
  void enqueue_overlapped(const Sweep& sweep);
  void enqueue_in_turn(const Sweep& sweep);
  void enqueue_interior(const Sweep& sweep);
  void enqueue_boundary(const Sweep& sweep);
  void exchange_in(std::size_t field, cudaStream_t stream);
  void finish_in(cudaStream_t stream);
  void record(Times& times, double step_us);
  void wait_for_exchange();
  Sweep sweep() const { return {fields_[current_].array(), fields_[1 - current_].array()}; }

  std::unique_ptr<Queues> queues_;
  Context context_;
  std::vector<Field> fields_;
  std::vector<HaloExchange> exchanges_;
  Kernels kernels_;
  HostCopy copy_;
  Transfer transfer_;               // the youngest one
  cudaEvent_t step_end_ = nullptr;  // of the step before, one of the marks
  bool is_overlapped_;
  bool is_staged_;
  double compute_us_ = 0;  // median of a step without exchange
  std::int64_t num_steps_ = 0;
  std::size_t current_ = 0;
};

}  // namespace halyard::stencil::gpu
