// See shelf.hpp.
#include "memory/shelf.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace halyard::memory {

Shelf::Place Shelf::add(Region region) {
  const bool is_findable = region.origin == Region::Origin::device || region.watch.has_value();
  in_use_.push_back(std::move(region));
  const Place place = std::prev(in_use_.end());
  place->num_leases = 1;
  place->is_findable = is_findable && findable_.emplace(place->range.first, place).second;
  ++counters_.regions;
  counters_.bytes += place->range.bytes();
  if (place->origin == Region::Origin::own) own_bytes_ += place->range.bytes();
  count_own(place);
  return place;
}

void Shelf::take(Place place) {
  if (place->num_leases++ > 0) return;
  in_use_.splice(in_use_.end(), idle_, place);
  --counters_.idle_regions;
  counters_.idle_bytes -= place->range.bytes();
  count_own(place);
}

void Shelf::give_back(Place place) {
  if (--place->num_leases > 0) return;
  idle_.splice(idle_.end(), in_use_, place);
  ++counters_.idle_regions;
  counters_.idle_bytes += place->range.bytes();
  if (place->origin == Region::Origin::own) own_in_use_ -= place->range.bytes();
  if (!place->is_findable && place->origin != Region::Origin::own) erase_idle(place);
  while (exceeds(0, 0) && evict_one()) {
  }
}

std::optional<Shelf::Place> Shelf::around(Range range) {
  const auto next = findable_.upper_bound(range.first);
  if (next == findable_.begin()) return std::nullopt;
  const Place place = std::prev(next)->second;
  if (!place->range.contains(range)) return std::nullopt;
  return place;
}

std::vector<Shelf::Place> Shelf::overlapping(Range range) {
  std::vector<Place> found;
  auto at = findable_.lower_bound(range.first);
  // By invariant 2 ends are ordered as beginnings are, so those that reach into the range lie just before.
  while (at != findable_.begin() && std::prev(at)->second->range.overlaps(range)) --at;
  for (; at != findable_.end() && at->second->range.overlaps(range); ++at) found.push_back(at->second);
  return found;
}

std::optional<Shelf::Place> Shelf::idle_own(std::size_t bytes) {
  std::optional<Place> best;  // the smallest: another would be missed by who needs its size
  for (Place place = idle_.begin(); place != idle_.end(); ++place) {
    const std::size_t size = place->range.bytes();
    if (place->origin != Region::Origin::own || size < bytes || size / 2 > bytes) continue;
    if (!best || size < (*best)->range.bytes()) best = place;
  }
  return best;
}

void Shelf::drop(Place place) {
  hide(place);
  if (is_idle(place)) erase_idle(place);
}

void Shelf::drop_stale(const std::function<bool(const Region&)>& has_gone) {
  std::vector<Place> gone;
  for (const auto& [first, place] : findable_)
    if (has_gone(*place)) gone.push_back(place);
  for (const Place place : gone) drop(place);
  counters_.stale += gone.size();
}

void Shelf::make_room(std::size_t bytes) {
  while (exceeds(1, bytes) && evict_one()) {
  }
}

bool Shelf::evict_one() {
  if (idle_.empty()) return false;
  drop(idle_.begin());
  ++counters_.evicted;
  return true;
}

void Shelf::make_room_for_own(std::size_t bytes) {
  const std::size_t most = std::max(own_in_use_at_most_, own_in_use_ + bytes);
  for (Place place = idle_.begin(); place != idle_.end() && own_bytes_ + bytes > most;) {
    const Place oldest = place++;
    if (oldest->origin != Region::Origin::own) continue;
    erase_idle(oldest);
    ++counters_.evicted;
  }
}

/// Own memory that has come into use.
void Shelf::count_own(Place place) {
  if (place->origin != Region::Origin::own) return;
  own_in_use_ += place->range.bytes();
  own_in_use_at_most_ = std::max(own_in_use_at_most_, own_in_use_);
}

bool Shelf::exceeds(std::size_t regions, std::size_t bytes) const {
  return counters_.regions + regions > limits_.regions ||
         (limits_.bytes != 0 && counters_.bytes + bytes > limits_.bytes);
}

void Shelf::hide(Place place) {
  if (!place->is_findable) return;
  findable_.erase(place->range.first);
  place->is_findable = false;
}

void Shelf::erase_idle(Place place) {
  const std::size_t bytes = place->range.bytes();
  --counters_.regions;
  --counters_.idle_regions;
  counters_.bytes -= bytes;
  counters_.idle_bytes -= bytes;
  if (place->origin == Region::Origin::own) own_bytes_ -= bytes;
  idle_.erase(place);
}

}  // namespace halyard::memory
