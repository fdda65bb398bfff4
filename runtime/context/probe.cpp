// See probe.hpp. A path counts between two ranks only when both ends offer it to each other.
#include "context/probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "context/gpu/peer_probe.hpp"
#include "device/factory.hpp"
#include "transport/mpi/factory.hpp"
#include "transport/ucx/factory.hpp"
#include "transport/verbs/factory.hpp"

namespace halyard::context {
namespace {

PathFact& fact_of(PathFacts& facts, Path path) { return facts.paths[static_cast<std::size_t>(path)]; }

void open_shared(Bootstrap& bootstrap, const PathFilter& filter, const ProbeSettings& settings, OpenPaths& open) {
  PathFact& fact = fact_of(open.facts, Path::shared);
  // Opened even where it is not allowed: Context::allocate hands out the segment, and other ranks may want it.
  auto opened = transport::shared::open_worker(bootstrap.comm(), settings.arena_bytes);
  open.shared = std::move(opened.worker);
  fact = std::move(opened.fact);
  if (filter.allows(Path::shared)) return;
  fact.is_open = false;
  fact.refusal = filter.refusal();
}

void open_verbs(const PathFilter& filter, const ProbeSettings& settings, OpenPaths& open) {
  PathFact& fact = fact_of(open.facts, Path::verbs);
  if (!filter.allows(Path::verbs)) {
    fact.refusal = filter.refusal();
    return;
  }
  const VerbsOptions& wish = settings.verbs;
  open.verbs =
      transport::verbs::open_worker({wish, settings.rank_on_node, settings.registrations, open.device}, fact.refusal);
  fact.is_open = open.verbs != nullptr;
  if (fact.is_open) open.texts[static_cast<std::size_t>(Path::verbs)] = transport::verbs::describe(*open.verbs);
  // Who names a device expects it to be used.
  if (!fact.is_open && (!wish.device.empty() || wish.gid >= 0))
    base::log_warn("the verbs path stays closed: " + fact.refusal);
}

void open_ucx(const PathFilter& filter, const ProbeSettings& settings, OpenPaths& open) {
  PathFact& fact = fact_of(open.facts, Path::ucx);
  if (!filter.allows(Path::ucx)) {
    fact.refusal = filter.refusal();
    return;
  }
  open.ucx = transport::ucx::open_worker({settings.needs_threads, settings.registrations, open.device != nullptr},
                                         fact.refusal);
  fact.is_open = open.ucx != nullptr;
  if (open.ucx != nullptr) open.texts[static_cast<std::size_t>(Path::ucx)] = transport::ucx::describe(*open.ucx);
}

void open_mpi(const PathFilter& filter, const ProbeSettings& settings, OpenPaths& open) {
  PathFact& fact = fact_of(open.facts, Path::mpi);
  open.mpi = transport::mpi::open_worker(settings.data_comm);
  fact.is_open = filter.allows(Path::mpi);
  if (!fact.is_open) fact.refusal = filter.refusal();
}

// The driver is opened even where the path is not allowed: fields in GPU memory are then staged.
void open_peer(Bootstrap& bootstrap, const PathFilter& filter, const ProbeSettings& settings, OpenPaths& open) {
  bootstrap.together("open the GPU driver", [&] {
    auto opened = device::open(settings.device);
    open.device = std::move(opened.device);
    open.device_text = std::move(opened.text);
  });
  PathFact& fact = fact_of(open.facts, Path::peer);
  gpu::PeerProbe found = gpu::probe_peers(bootstrap, settings.ranks_on_node, open.device, open.device_text);
  fact = std::move(found.fact);
  open.ranks_per_gpu = std::move(found.ranks_per_gpu);
  if (filter.allows(Path::peer)) return;
  fact.is_open = false;
  fact.refusal = filter.refusal();
}

bool offers(const PathFact& fact, std::size_t rank) {
  return fact.is_open && (fact.reaches.empty() || fact.reaches[rank] != 0);
}

// What one rank tells another.
struct Offer {
  std::uint16_t paths = 0;  // bit p: this rank can reach that one by path p
  transport::verbs::Fabric fabric = transport::verbs::Fabric::none;
};

std::vector<Offer> offers_of(const OpenPaths& open) {
  std::vector<Offer> offered(static_cast<std::size_t>(open.facts.num_ranks));
  for (std::size_t r = 0; r < offered.size(); ++r) {
    for (std::size_t p = 0; p < kNumPaths; ++p)
      if (offers(open.facts.paths[p], r)) offered[r].paths = static_cast<std::uint16_t>(offered[r].paths | 1U << p);
    if (open.verbs != nullptr) offered[r].fabric = transport::verbs::fabric_of(*open.verbs);
  }
  return offered;
}

void close_to(PathFact& fact, std::size_t rank, std::size_t num_ranks, std::string reason) {
  if (fact.reaches.empty()) fact.reaches.assign(num_ranks, 1);
  fact.reaches[rank] = 0;
  fact.unreachable_by_rank[static_cast<int>(rank)] = std::move(reason);
}

void keep_mutual(const std::vector<Offer>& theirs, PathFacts& facts) {
  for (std::size_t p = 0; p < kNumPaths; ++p) {
    PathFact& fact = facts.paths[p];
    if (!fact.is_open) continue;
    const auto is_offered = [&](std::size_t r) { return (unsigned{theirs[r].paths} >> p & 1U) != 0; };
    for (std::size_t r = 0; r < theirs.size(); ++r) {
      if (is_offered(r) || !offers(fact, r)) continue;
      close_to(fact, r, theirs.size(),
               fmt::format("rank {} does not offer it (its HALYARD_PATH, or its probe failed)", r));
    }
  }
}

// Two ports that both work may still be of two networks.
void keep_one_fabric(const std::vector<Offer>& theirs, OpenPaths& open) {
  PathFact& fact = fact_of(open.facts, Path::verbs);
  if (!fact.is_open) return;
  const auto own = transport::verbs::fabric_of(*open.verbs);
  for (std::size_t r = 0; r < theirs.size(); ++r)
    if (offers(fact, r) && theirs[r].fabric != own)
      close_to(fact, r, theirs.size(),
               fmt::format("this rank's port is {} and rank {}'s is {}; choose ports of one network with "
                           "HALYARD_VERBS_DEVICE",
                           name_of(own), r, name_of(theirs[r].fabric)));
}

}  // namespace

OpenPaths open_paths(Bootstrap& bootstrap, const PathFilter& filter, const ProbeSettings& settings) {
  OpenPaths open;
  open.facts.rank = bootstrap.rank();
  open.facts.num_ranks = bootstrap.size();
  fact_of(open.facts, Path::self).is_open = true;
  open_peer(bootstrap, filter, settings, open);
  open_shared(bootstrap, filter, settings, open);
  open_verbs(filter, settings, open);
  open_ucx(filter, settings, open);
  open_mpi(filter, settings, open);
  const auto theirs = bootstrap.all_to_all(offers_of(open));
  keep_mutual(theirs, open.facts);
  keep_one_fabric(theirs, open);
  return open;
}

}  // namespace halyard::context
