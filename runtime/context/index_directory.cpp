// index_halo as a collective: owners are found through a directory that is spread over the ranks by a hash of the id,
// so that no rank holds more than its share. See halyard/context.hpp; the twin for one process is
// pattern/index_halo.cpp.
#include <algorithm>
#include <unordered_map>

#include "base/hash.hpp"
#include "context/context_core.hpp"
#include "halyard/context.hpp"
#include "pattern/index_lists.hpp"

namespace halyard {
namespace {

template <class T>
using Lists = std::vector<std::vector<T>>;  // by rank

struct Owned {
  std::int64_t id;
  std::int64_t at;
};

// A ghost on its way: asked by its holder, completed by the directory, told to its owner.
struct Ghost {
  std::int64_t id;
  std::int64_t at;       // the holder's element
  std::int64_t number;   // in the holder's list: both ends sort by it
  std::int64_t peer;     // the directory fills in the other end's rank …
  std::int64_t peer_at;  // … and the owner's element
};

struct Owner {
  int rank;
  std::int64_t at;
};
using Directory = std::unordered_map<std::int64_t, Owner>;

std::size_t keeper_of(std::int64_t id, int num_ranks) {
  return static_cast<std::size_t>(base::Hash().add(id).value() % static_cast<std::uint64_t>(num_ranks));
}

Lists<Owned> owned_by_keeper(const IndexHalo& mine, int num_ranks) {
  Lists<Owned> lists(static_cast<std::size_t>(num_ranks));
  for (std::size_t i = 0; i < mine.owned.size(); ++i)
    lists[keeper_of(mine.owned[i], num_ranks)].push_back({mine.owned[i], pattern::owned_at(mine, i)});
  return lists;
}

Lists<Ghost> ghosts_by_keeper(const IndexHalo& mine, int num_ranks) {
  Lists<Ghost> lists(static_cast<std::size_t>(num_ranks));
  for (std::size_t i = 0; i < mine.ghosts.size(); ++i)
    lists[keeper_of(mine.ghosts[i], num_ranks)].push_back(
        {mine.ghosts[i], pattern::ghost_at(mine, i), static_cast<std::int64_t>(i), 0, 0});
  return lists;
}

Directory directory_of(const Lists<Owned>& owned) {
  Directory directory;
  for (std::size_t r = 0; r < owned.size(); ++r)
    for (const Owned& entry : owned[r]) {
      const auto [found, is_new] = directory.try_emplace(entry.id, Owner{static_cast<int>(r), entry.at});
      if (!is_new) pattern::refuse_two_owners(entry.id, found->second.rank, static_cast<int>(r));
    }
  return directory;
}

struct Answers {
  Lists<Ghost> to_holders;
  Lists<Ghost> to_owners;
};

Answers answer(const Directory& directory, const Lists<Ghost>& asked) {
  Answers answers{Lists<Ghost>(asked.size()), Lists<Ghost>(asked.size())};
  for (std::size_t holder = 0; holder < asked.size(); ++holder)
    for (Ghost ghost : asked[holder]) {
      const auto owner = directory.find(ghost.id);
      if (owner == directory.end()) pattern::refuse_no_owner(ghost.id, static_cast<int>(holder));
      ghost.peer_at = owner->second.at;
      ghost.peer = owner->second.rank;
      answers.to_holders[holder].push_back(ghost);
      ghost.peer = static_cast<std::int64_t>(holder);
      answers.to_owners[static_cast<std::size_t>(owner->second.rank)].push_back(ghost);
    }
  return answers;
}

// By peer, in the order of the holder's list.
pattern::MatchesByRank matches_of(const Lists<Ghost>& lists) {
  std::vector<Ghost> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  std::sort(all.begin(), all.end(), [](const Ghost& a, const Ghost& b) { return a.number < b.number; });
  pattern::MatchesByRank matches;
  for (const Ghost& ghost : all) matches[static_cast<int>(ghost.peer)].push_back({ghost.id, ghost.peer_at, ghost.at});
  return matches;
}

}  // namespace

Pattern index_halo(Context& context, const IndexHalo& mine) {
  ContextCore& core = *context.core();
  core.check_thread();
  context::Bootstrap& bootstrap = core.bootstrap();
  const int num_ranks = bootstrap.size();
  bootstrap.together("build an index halo", [&] { pattern::check_lists(mine, bootstrap.rank()); });
  const auto owned = bootstrap.all_to_all_lists(owned_by_keeper(mine, num_ranks));
  const auto asked = bootstrap.all_to_all_lists(ghosts_by_keeper(mine, num_ranks));
  Answers answers;
  bootstrap.together("build an index halo", [&] { answers = answer(directory_of(owned), asked); });
  const auto receives = matches_of(bootstrap.all_to_all_lists(answers.to_holders));
  const auto sends = matches_of(bootstrap.all_to_all_lists(answers.to_owners));
  return pattern::pattern_from(mine, bootstrap.rank(), num_ranks, receives, sends);
}

}  // namespace halyard
