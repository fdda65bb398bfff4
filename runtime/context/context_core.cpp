// See context_core.hpp.
#include "context/context_core.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "context/launch/launch_check.hpp"
#include "context/path_filter.hpp"
#include "exchange/gpu/stamps/stamps.hpp"
#include "memory/shelf.hpp"
#include "transport/ucx/factory.hpp"

namespace halyard {
namespace {

MPI_Comm checked(MPI_Comm comm) {
  if (!transport::mpi::is_running())
    throw Error(StatusCode::invalid_argument,
                "make a context: MPI is not initialized, or finalized already; make contexts "
                "between MPI_Init_thread and MPI_Finalize");
  if (comm == MPI_COMM_NULL)
    throw Error(StatusCode::invalid_argument, "make a context: the communicator is MPI_COMM_NULL");
  return comm;
}

transport::mpi::Comm duplicate(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  return transport::mpi::Comm(copy);
}

exchange::ThreadRule thread_rule() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  exchange::ThreadRule rule;
  if (level < MPI_THREAD_SERIALIZED) rule.only = std::this_thread::get_id();
  return rule;
}

void check_main_thread() {
  int level = MPI_THREAD_SINGLE;
  int is_main = 0;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&is_main);
  if (level < MPI_THREAD_SERIALIZED && is_main == 0)
    throw Error(StatusCode::wrong_thread,
                "make a context: the thread level is SINGLE or FUNNELED and this is not the thread "
                "that initialized MPI; ask MPI_Init_thread for SERIALIZED or MULTIPLE");
}

memory::CacheLimits registration_limits(const Options& options) {
  memory::CacheLimits limits;
  limits.bytes = static_cast<std::size_t>(options.registration_bytes);
  return limits;
}

bool has_many_threads() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace

ContextCore::ContextCore(MPI_Comm comm, const Options& options)
    : bootstrap_(checked(comm)),
      data_comm_(duplicate(bootstrap_.comm())),
      node_(context::node_shape(bootstrap_.comm())),
      threads_(thread_rule()),
      needs_threads_(has_many_threads()),
      open_((configure(options),
             context::open_paths(bootstrap_, context::PathFilter(options_.path),
                                 {data_comm_.get(), options_.arena_bytes, needs_threads_, options_.device,
                                  registration_limits(options_), options_.verbs, node_.rank_on_node, node_.ranks}))),
      memory_(open_.shared == nullptr ? nullptr : &open_.shared->arena()),
      observation_(bootstrap_, options_, node_, [this] { return registrations(); }) {}

ContextCore::~ContextCore() {
  if (stamps_ != nullptr) stamps_->end();
  observation_.end(transport::mpi::is_running());
}

void ContextCore::configure(const Options& options) {
  bootstrap_.set_wait(context::wait_policy(options, node_));
  bootstrap_.together("make a context", [&] {
    check_main_thread();
    options_ = options.with_environment();
    (void)context::PathFilter(options_.path);
    int world_size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (!options_.allow_singleton)
      context::check_launch(world_size, context::process_environment, context::pmi_types_of_srun);
  });
  bootstrap_.set_wait(context::wait_policy(options_, node_));
  base::set_log(options_.log, bootstrap_.rank());
}

exchange::Workers ContextCore::workers() const {
  exchange::Workers workers{};
  workers[static_cast<std::size_t>(Path::shared)] = open_.shared.get();
  workers[static_cast<std::size_t>(Path::verbs)] = open_.verbs.get();
  workers[static_cast<std::size_t>(Path::ucx)] = open_.ucx.get();
  workers[static_cast<std::size_t>(Path::mpi)] = open_.mpi.get();
  return workers;
}

exchange::Surroundings ContextCore::next_surroundings(std::uint64_t numbers) {
  exchange::Surroundings around;
  around.binding = num_bindings_ + 1;
  num_bindings_ += numbers;
  around.wait = context::wait_policy(options_, node_);
  around.threads = threads_;
  around.retire = [this](std::unique_ptr<transport::Channel> channel) { retire(std::move(channel)); };
  around.metrics = observation_.registry();
  around.is_running = transport::mpi::is_running;
  around.context = shared_from_this();
  return around;
}

exchange::gpu::GpuSurroundings ContextCore::on_gpu(const exchange::Surroundings& around) {
  if (progress_ == nullptr) progress_ = std::make_shared<exchange::gpu::Progress>();
  if (stamps_ == nullptr) open_stamps();
  exchange::gpu::GpuSurroundings on_gpu;
  on_gpu.around = around;
  on_gpu.device = open_.device;
  if (open_.device != nullptr) on_gpu.home_gpu = open_.device->current_gpu();
  on_gpu.allow_staging = options_.allow_staging;
  on_gpu.ranks_per_gpu = open_.ranks_per_gpu;
  on_gpu.progress = on_gpu.watch = progress_;
  on_gpu.stamps = stamps_;
  on_gpu.host_path = [this](int rank) {
    const Path path = facts().choose(rank).path;
    return exchange::gpu::HostPath{workers()[static_cast<std::size_t>(path)], may_drive_in_a_thread(path)};
  };
  return on_gpu;
}

// A trace without times of the GPU is better than no run.
void ContextCore::open_stamps() {
  metrics::Trace* trace = observation_.registry()->trace();
  if (trace == nullptr || open_.device == nullptr) return;
  try {
    auto stamps = std::make_shared<exchange::gpu::Stamps>(*trace, open_.device);
    (void)stamps->log_of(open_.device->current_gpu());
    stamps_ = std::move(stamps);
  } catch (const Error& error) {
    base::log_error(std::string("goes on without times of the GPU in the trace: ") + error.what());
  }
}

// Whether channels of this path may be driven while the program's threads use the rest of the context.
bool ContextCore::may_drive_in_a_thread(Path path) const {
  if (path == Path::ucx) return transport::ucx::is_thread_safe(*open_.ucx);
  return path == Path::shared || path == Path::verbs || needs_threads_;  // those share nothing between bindings
}

void ContextCore::retire(std::unique_ptr<transport::Channel> channel) {
  const std::lock_guard lock(retired_mutex_);
  retired_.push_back(std::move(channel));
}

RegistrationMetrics ContextCore::registrations() const {
  memory::CacheCounters all;
  for (const transport::Worker* worker : workers())
    if (worker != nullptr) all += worker->registrations();
  RegistrationMetrics result;
  result.hits = all.hits;
  result.misses = all.misses;
  result.stale = all.stale;
  result.evicted = all.evicted;
  result.retries = all.retried;
  result.regions = all.regions;
  result.bytes = all.bytes;
  result.seconds = static_cast<double>(all.registering_ns) * 1e-9;
  return result;
}

void ContextCore::sweep() {
  for (transport::Worker* worker : workers())
    if (worker != nullptr) worker->sweep();
  const std::lock_guard lock(retired_mutex_);
  std::erase_if(retired_, [](const auto& channel) { return channel->is_quiet(); });
}

void ContextCore::check_thread() const {
  if (!threads_.allows_this_thread())
    throw Error(StatusCode::wrong_thread,
                "use a context from another thread than the one that initialized MPI: the thread level "
                "is SINGLE or FUNNELED; ask MPI_Init_thread for SERIALIZED or MULTIPLE");
}

std::string ContextCore::explain() const {
  std::string text =
      fmt::format("rank {} of {}; {}\n", bootstrap_.rank(), bootstrap_.size(), context::wait_text(options_, node_));
  for (std::size_t p = 1; p < kNumPaths; ++p) {
    const PathFact& fact = open_.facts.paths[p];
    const auto reached =
        fact.reaches.empty() ? bootstrap_.size() - 1 : std::count(fact.reaches.begin(), fact.reaches.end(), 1);
    const std::string state =
        fact.is_open ? fmt::format("open, reaches {} rank(s)", reached) : "not open: " + fact.refusal;
    const std::string& found = open_.texts[p];
    const std::string detail = fact.is_open && !found.empty() ? "; " + found : "";
    text += fmt::format("  {:<7} {}{}\n", name_of(static_cast<Path>(p)), state, detail);
  }
  const std::string own =
      open_.device == nullptr ? "" : "; current: " + open_.device->describe(open_.device->current_gpu());
  text += fmt::format("  GPU     {}{}\n", open_.device_text, own);
  return text;
}

}  // namespace halyard
