// Paths and what reaches whom, see halyard/path.hpp.
#include <fmt/format.h>

#include "halyard/path.hpp"
#include "halyard/status.hpp"

namespace halyard {
namespace {

// Why this path cannot be taken to `peer`; empty when it can.
std::string refusal_of(const PathFact& fact, int peer) {
  if (!fact.is_open) return fact.refusal.empty() ? "not open" : fact.refusal;
  const auto index = static_cast<std::size_t>(peer);
  if (fact.reaches.empty() || (index < fact.reaches.size() && fact.reaches[index] != 0)) return {};
  const auto own = fact.unreachable_by_rank.find(peer);
  if (own != fact.unreachable_by_rank.end()) return own->second;
  return fact.unreachable.empty() ? "rank is not reached" : fact.unreachable;
}

}  // namespace

PathChoice PathFacts::choose(int peer, Memory memory) const {
  PathChoice choice;
  if (peer == rank) {
    choice.path = Path::self;
    return choice;
  }
  std::string all;
  const Path best = memory == Memory::gpu ? Path::peer : Path::shared;  // peer carries GPU memory only
  for (int p = static_cast<int>(best); p < kNumPaths; ++p) {
    const auto path = static_cast<Path>(p);
    const std::string refusal = refusal_of(paths[p], peer);
    if (refusal.empty()) {
      choice.path = path;
      choice.is_staged = memory == Memory::gpu && path != Path::peer;
      return choice;
    }
    choice.refused.push_back({path, refusal});
    all += fmt::format("\n  {}: {}", name_of(path), refusal);
  }
  throw Error(StatusCode::not_supported,
              fmt::format("choose a path from rank {} to rank {}: none is left; allow one of "
                          "these:{}",
                          rank, peer, all));
}

PathFacts PathFacts::uniform(Path path, int rank, int num_ranks) {
  PathFacts facts;
  facts.rank = rank;
  facts.num_ranks = num_ranks;
  for (PathFact& fact : facts.paths) fact.refusal = "not part of these facts";
  facts.paths[static_cast<std::size_t>(path)].is_open = true;
  return facts;
}

}  // namespace halyard
