// See lines.hpp. Opens each transport by itself, as the context does, so that one run can hold all of them side by
// side.
#include "link/lines.hpp"

#include <map>
#include <vector>

#include "context/bootstrap.hpp"
#include "context/launch/wait_policy.hpp"
#include "context/path_filter.hpp"
#include "halyard/options.hpp"
#include "link/channel_line.hpp"
#include "link/mpi_line.hpp"
#include "transport/mpi/factory.hpp"
#include "transport/shared/factory.hpp"
#include "transport/ucx/factory.hpp"
#include "transport/verbs/factory.hpp"

namespace halyard::bench {
namespace {

struct Opened {
  std::unique_ptr<transport::Worker> worker;
  std::string refusal;
  std::string detail;
};

Path path_of(std::string_view name) {
  if (name == "verbs") return Path::verbs;
  if (name == "ucx") return Path::ucx;
  return name == "shared" ? Path::shared : Path::mpi;
}

Opened open_shared(MPI_Comm comm, const Options& options, int peer) {
  auto shared = transport::shared::open_worker(comm, options.arena_bytes);
  Opened opened{std::move(shared.worker), shared.fact.refusal, ""};
  const auto& reaches = shared.fact.reaches;
  if (opened.worker && !reaches.empty() && reaches[static_cast<std::size_t>(peer)] == 0) {
    opened.worker.reset();
    opened.refusal = shared.fact.unreachable;
  }
  return opened;
}

Opened open_network(std::string_view name, const Options& options, int rank_on_node) {
  Opened opened;
  if (name == "verbs") {
    opened.worker = transport::verbs::open_worker({options.verbs, rank_on_node}, opened.refusal);
    if (opened.worker) opened.detail = transport::verbs::describe(*opened.worker);
  } else {
    opened.worker = transport::ucx::open_worker({}, opened.refusal);
    if (opened.worker) opened.detail = transport::ucx::describe(*opened.worker);
  }
  return opened;
}

}  // namespace

struct Lines::Open {
  explicit Open(MPI_Comm comm) : bootstrap(comm) {}

  context::Bootstrap bootstrap;
  base::WaitPolicy wait;
  std::map<std::string_view, Opened> workers;
  std::uint64_t num_channels = 0;

  void open(std::string_view name, const Options& options, const context::NodeShape& node);
};

// One that either rank could not open is closed on both.
void Lines::Open::open(std::string_view name, const Options& options, const context::NodeShape& node) {
  const context::PathFilter filter(options.path);
  const int peer = 1 - bootstrap.rank();
  Opened opened;
  if (name == "shared") opened = open_shared(bootstrap.comm(), options, peer);  // collective, whatever the filter says
  if (name == "mpi-channel") opened.worker = transport::mpi::open_worker(bootstrap.comm());
  if (!filter.allows(path_of(name))) {
    opened = {nullptr, filter.refusal(), ""};
  } else if (name == "verbs" || name == "ucx") {
    opened = open_network(name, options, node.rank_on_node);
  }
  const bool is_open = opened.worker != nullptr;
  const std::vector<std::uint8_t> mine(2, is_open ? 1 : 0);
  if (bootstrap.all_to_all(mine)[static_cast<std::size_t>(peer)] == 0) {
    opened.worker.reset();
    if (is_open) opened.refusal = "rank " + std::to_string(peer) + " cannot open it";
  }
  workers[name] = std::move(opened);
}

Lines::Lines(MPI_Comm comm) : open_(std::make_unique<Open>(comm)) {
  const Options options = Options().with_environment();
  const context::NodeShape node = context::node_shape(comm);
  open_->wait = context::wait_policy(options, node);
  open_->bootstrap.set_wait(open_->wait);
  for (const std::string_view name : kLineNames)
    if (name != "mpi") open_->open(name, options, node);
}

Lines::~Lines() = default;

std::string Lines::refusal(std::string_view name) const {
  const auto found = open_->workers.find(name);
  return found == open_->workers.end() || found->second.worker ? std::string() : found->second.refusal;
}

std::string Lines::detail(std::string_view name) const {
  const auto found = open_->workers.find(name);
  return found == open_->workers.end() ? std::string() : found->second.detail;
}

std::unique_ptr<Line> Lines::make(std::string_view name, std::int64_t bytes) {
  const int rank = open_->bootstrap.rank();
  if (name == "mpi") return std::make_unique<MpiLine>(open_->bootstrap.comm(), rank, bytes);
  return std::make_unique<ChannelLine>(open_->bootstrap, *open_->workers.at(name).worker, open_->wait,
                                       ChannelLine::Size{++open_->num_channels, bytes});
}

}  // namespace halyard::bench
