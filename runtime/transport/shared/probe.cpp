// Opening the shared path, see factory.hpp: every rank of a node makes a segment, tries to open all others, and a pair
// shares only if both ends managed. Nobody is trusted to reach anybody because of a host name.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "transport/mpi/handles.hpp"
#include "transport/shared/worker.hpp"

namespace halyard::transport::shared {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kMostAddressSpace = std::size_t{16} << 40;  // for all arenas of a node in one process

std::size_t node_memory_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

std::size_t arena_size(std::int64_t asked, int num_node_ranks) {
  std::size_t bytes = static_cast<std::size_t>(asked);
  if (asked == 0) bytes = std::min(node_memory_bytes(), kMostAddressSpace / static_cast<std::size_t>(num_node_ranks));
  return std::max(bytes, kMiB) / Segment::kHeaderBytes * Segment::kHeaderBytes + Segment::kHeaderBytes;
}

// What each rank of the node tells the others.
struct Offer {
  int rank = 0;
  int has_segment = 0;
  SegmentAddress address;
  char refusal[256] = {};
};

struct Node {
  mpi::Comm comm;
  std::vector<Offer> offers;
  int own = 0;
};

Node gather(MPI_Comm comm, Offer mine, mpi::Comm node_comm) {
  Node node{std::move(node_comm), {}, 0};
  MPI_Comm_rank(comm, &mine.rank);
  int size = 0;
  MPI_Comm_size(node.comm.get(), &size);
  MPI_Comm_rank(node.comm.get(), &node.own);
  node.offers.resize(static_cast<std::size_t>(size));
  constexpr int kBytes = static_cast<int>(sizeof(Offer));
  MPI_Allgather(&mine, kBytes, MPI_BYTE, node.offers.data(), kBytes, MPI_BYTE, node.comm.get());
  return node;
}

// Opens the peers' segments; what cannot be opened goes into the fact with its reason.
std::map<int, Segment> open_peers(const Node& node, PathFact& fact) {
  std::map<int, Segment> segments;
  for (const Offer& offer : node.offers) {
    if (&offer == &node.offers[static_cast<std::size_t>(node.own)]) continue;
    if (offer.has_segment == 0) {
      fact.unreachable_by_rank[offer.rank] = fmt::format("rank {} has no segment: {}", offer.rank, offer.refusal);
      continue;
    }
    try {
      segments.emplace(offer.rank, Segment::open(offer.address));
    } catch (const Error& error) {
      fact.unreachable_by_rank[offer.rank] = error.status().text();
    }
  }
  return segments;
}

// Keeps only the peers that opened this rank's segment too.
void keep_mutual(const Node& node, std::map<int, Segment>& segments, PathFact& fact) {
  std::vector<unsigned char> mine;
  std::vector<unsigned char> theirs(node.offers.size());
  for (const Offer& offer : node.offers) mine.push_back(segments.count(offer.rank) != 0 ? 1 : 0);
  MPI_Alltoall(mine.data(), 1, MPI_UNSIGNED_CHAR, theirs.data(), 1, MPI_UNSIGNED_CHAR, node.comm.get());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const int rank = node.offers[i].rank;
    const auto segment = segments.find(rank);
    if (segment == segments.end()) continue;
    if (theirs[i] != 0) {
      fact.reaches[static_cast<std::size_t>(rank)] = 1;
      continue;
    }
    fact.unreachable_by_rank[rank] = fmt::format("rank {} could not open this rank's segment", rank);
    segments.erase(segment);
  }
}

}  // namespace

Opened open_worker(MPI_Comm comm, std::int64_t arena_bytes) {
  Opened opened;
  int size = 0;
  MPI_Comm_size(comm, &size);
  opened.fact.reaches.assign(static_cast<std::size_t>(size), 0);
  opened.fact.unreachable = "rank is on another node";
  mpi::Comm node_comm = mpi::split_by_node(comm);
  int num_node_ranks = 0;
  MPI_Comm_size(node_comm.get(), &num_node_ranks);
  Offer offer;
  Segment own;
  try {
    own = Segment::make(arena_size(arena_bytes, num_node_ranks));
    offer.address = own.address();
    offer.has_segment = 1;
  } catch (const Error& error) {
    opened.fact.refusal = error.status().text();
    opened.fact.refusal.copy(offer.refusal, sizeof(offer.refusal) - 1);
  }
  const Node node = gather(comm, offer, std::move(node_comm));
  auto peers = open_peers(node, opened.fact);
  if (offer.has_segment == 0) peers.clear();
  keep_mutual(node, peers, opened.fact);  // a barrier too: from here on no name is needed
  own.unlink();
  if (offer.has_segment == 0) return opened;
  opened.worker = std::make_unique<NodeWorker>(std::move(own), std::move(peers));
  opened.fact.is_open = true;
  return opened;
}

}  // namespace halyard::transport::shared
