// See probe.hpp. A path counts between two ranks only when both ends offer it to each other.
#include "context/probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "context/gpu/peer_probe.hpp"
#include "device/factory.hpp"
#include "transport/mpi/factory.hpp"
#include "transport/ucx/factory.hpp"

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

void open_ucx(const PathFilter& filter, const ProbeSettings& settings, OpenPaths& open) {
  PathFact& fact = fact_of(open.facts, Path::ucx);
  if (!filter.allows(Path::ucx)) {
    fact.refusal = filter.refusal();
    return;
  }
  open.ucx = transport::ucx::open_worker({settings.needs_threads, settings.registrations}, fact.refusal);
  fact.is_open = open.ucx != nullptr;
  if (open.ucx != nullptr) open.ucx_text = transport::ucx::describe(*open.ucx);
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
  fact = gpu::probe_peers(bootstrap, open.device, open.device_text);
  if (filter.allows(Path::peer)) return;
  fact.is_open = false;
  fact.refusal = filter.refusal();
}

bool offers(const PathFact& fact, std::size_t rank) {
  return fact.is_open && (fact.reaches.empty() || fact.reaches[rank] != 0);
}

// Bit p: this rank can reach that one by path p.
std::vector<std::uint8_t> offers_of(const PathFacts& facts) {
  std::vector<std::uint8_t> offered(static_cast<std::size_t>(facts.num_ranks));
  for (std::size_t r = 0; r < offered.size(); ++r)
    for (std::size_t p = 0; p < kNumPaths; ++p)
      if (offers(facts.paths[p], r)) offered[r] = static_cast<std::uint8_t>(offered[r] | 1U << p);
  return offered;
}

void keep_mutual(const std::vector<std::uint8_t>& theirs, PathFacts& facts) {
  for (std::size_t p = 0; p < kNumPaths; ++p) {
    PathFact& fact = facts.paths[p];
    if (!fact.is_open) continue;
    const auto is_offered = [&](std::size_t r) { return (unsigned{theirs[r]} >> p & 1U) != 0; };
    for (std::size_t r = 0; r < theirs.size(); ++r) {
      if (is_offered(r) || !offers(fact, r)) continue;
      if (fact.reaches.empty()) fact.reaches.assign(theirs.size(), 1);
      fact.reaches[r] = 0;
      fact.unreachable_by_rank[static_cast<int>(r)] =
          fmt::format("rank {} does not offer it (its HALYARD_PATH, or its probe failed)", r);
    }
  }
}

}  // namespace

OpenPaths open_paths(Bootstrap& bootstrap, const PathFilter& filter, const ProbeSettings& settings) {
  OpenPaths open;
  open.facts.rank = bootstrap.rank();
  open.facts.num_ranks = bootstrap.size();
  fact_of(open.facts, Path::self).is_open = true;
  open_peer(bootstrap, filter, settings, open);
  open_shared(bootstrap, filter, settings, open);
  open_ucx(filter, settings, open);
  open_mpi(filter, settings, open);
  keep_mutual(bootstrap.all_to_all(offers_of(open.facts)), open.facts);
  return open;
}

}  // namespace halyard::context
