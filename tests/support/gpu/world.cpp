// See gpu_world.hpp.
#include "support/gpu/world.hpp"

#include "support/driven_to_end.hpp"
#include "support/swapped.hpp"
#include "transport/loopback/factory.hpp"

namespace halyard::test {

namespace {

std::vector<int> ordinals_by_turns(int num_ranks, int num_gpus) {
  std::vector<int> ordinals;
  for (int rank = 0; rank < num_ranks; ++rank) ordinals.push_back(rank % num_gpus);
  return ordinals;
}

}  // namespace

GpuWorld::GpuWorld(int num_ranks, const std::shared_ptr<device::Device>& device, const Settings& settings)
    : GpuWorld(std::vector(static_cast<std::size_t>(num_ranks), device),
               ordinals_by_turns(num_ranks, device->num_gpus()), settings) {}

GpuWorld::GpuWorld(std::vector<std::shared_ptr<device::Device>> devices, std::vector<int> ordinals,
                   const Settings& settings)
    : devices_(std::move(devices)), ordinals_(std::move(ordinals)), settings_(settings) {
  for (std::size_t r = 0; r < devices_.size(); ++r) {
    streams_.push_back(devices_[r]->create_stream(ordinals_[r]));
    workers_.push_back(transport::loopback::open_worker(Path::shared, transport::loopback::Exports::nothing));
  }
  if (settings_.has_progress_thread) progress_ = std::make_shared<exchange::gpu::Progress>();
}

GpuWorld::~GpuWorld() {
  progress_.reset();
  watch_.reset();
  for (std::size_t r = 0; r < devices_.size(); ++r) devices_[r]->destroy_stream(streams_[r]);
}

GpuWorld::Bindings GpuWorld::bind(std::vector<Plan> plans, const std::vector<std::vector<FieldView>>& views) {
  ++num_bindings_;
  std::vector<exchange::gpu::GpuAssembly> assemblies;
  std::vector<std::vector<int>> neighbors;
  std::vector<Blobs> given;
  for (std::size_t r = 0; r < workers_.size(); ++r) {
    exchange::gpu::GpuSurroundings around;
    around.around.binding = num_bindings_;
    around.around.wait = settings_.wait;
    around.device = devices_[r];
    around.home_gpu = ordinal(static_cast<int>(r));
    around.allow_staging = settings_.allow_staging;
    around.most_mapped_bytes = settings_.most_mapped_bytes;
    around.progress = progress_;
    around.watch = watch_;
    if (settings_.stamps) around.stamps = settings_.stamps(static_cast<int>(r));
    if (settings_.shares_gpus) around.ranks_per_gpu.assign(static_cast<std::size_t>(devices_[r]->num_gpus()), 2);
    around.host_path = [worker = workers_[r].get()](int) { return exchange::gpu::HostPath{worker, true}; };
    assemblies.emplace_back(std::move(plans[r]), views[r], around);
    neighbors.push_back(assemblies.back().remote_ranks());
    given.push_back(assemblies.back().windows());
  }
  auto got = swapped(neighbors, given);
  for (std::size_t r = 0; r < workers_.size(); ++r) {
    assemblies[r].open(got[r]);
    given[r] = assemblies[r].verdicts();
  }
  got = swapped(neighbors, given);
  for (std::size_t r = 0; r < workers_.size(); ++r) {
    assemblies[r].decide(got[r]);
    given[r] = assemblies[r].addresses();
  }
  got = swapped(neighbors, given);
  Bindings bindings;
  for (std::size_t r = 0; r < workers_.size(); ++r) bindings.push_back(assemblies[r].connect(got[r]));
  return bindings;
}

Status GpuWorld::run(Bindings& bindings, exchange::Kind kind, Launches launches, Reduce op) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t r = 0; r < bindings.size(); ++r)
    numbers.push_back(launches == Launches::one ? bindings[r]->run_in(streams_[r], kind, op, ReduceOrder::fixed)
                                                : bindings[r]->start_in(streams_[r], kind, op, ReduceOrder::fixed));
  // Whoever has no progress thread must poll: no rank may block while another has not sent.
  return driven_to_end(bindings, numbers);
}

}  // namespace halyard::test
