// See meter.hpp.
#include "metrics/meter.hpp"

#include <algorithm>
#include <utility>

#include "metrics/registry.hpp"

namespace halyard::metrics {
namespace {

std::uint64_t as_u64(std::int64_t bytes) { return static_cast<std::uint64_t>(bytes); }

PathMetrics& entry_of(Metrics& all, Path path, Nearness nearness) {
  const auto is_it = [&](const PathMetrics& entry) { return entry.path == path && entry.nearness == nearness; };
  const auto known = std::find_if(all.paths.begin(), all.paths.end(), is_it);
  if (known != all.paths.end()) return *known;
  PathMetrics entry;
  entry.path = path;
  entry.nearness = nearness;
  return all.paths.emplace_back(entry);
}

NeighborMetrics& entry_of(Metrics& all, int rank) {
  const auto at = std::lower_bound(all.neighbors.begin(), all.neighbors.end(), rank,
                                   [](const NeighborMetrics& entry, int r) { return entry.rank < r; });
  if (at != all.neighbors.end() && at->rank == rank) return *at;
  NeighborMetrics entry;
  entry.rank = rank;
  return *all.neighbors.insert(at, entry);
}

}  // namespace

Meter::Meter(std::shared_ptr<Registry> registry, std::uint64_t binding, const std::vector<MeteredLink>& links,
             StagedBytes staged_bytes)
    : registry_(std::move(registry)),
      bounds_(registry_->bounds()),
      trace_(registry_->trace()),
      binding_(static_cast<std::uint32_t>(binding)),
      staged_bytes_(std::move(staged_bytes)),
      links_(links.size()),
      whats_(links.size()) {
  std::vector<Way> ways;
  for (const MeteredLink& link : links) {
    const Way way{link.path, registry_->nearness_of(link.rank)};
    if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
  }
  cells_ = std::vector<Cell>(ways.size());
  for (std::size_t i = 0; i < ways.size(); ++i) cells_[i].way = ways[i];
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Way way{links[i].path, registry_->nearness_of(links[i].rank)};
    links_[i].what = links[i];
    links_[i].cell = static_cast<std::size_t>(std::find(ways.begin(), ways.end(), way) - ways.begin());
  }
  sum_up();
  describe();
  registry_->add(*this);
}

Meter::~Meter() { registry_->retire(*this); }

void Meter::set_volumes(std::size_t link, const Volume& forward, const Volume& reverse) {
  links_[link].what.forward = forward;
  links_[link].what.reverse = reverse;
  sum_up();
  describe();
}

void Meter::sum_up() {
  for (Cell& cell : cells_) cell.per_exchange[0] = cell.per_exchange[1] = {};
  for (const Link& link : links_) {
    cells_[link.cell].per_exchange[0].add(link.what.forward);
    cells_[link.cell].per_exchange[1].add(link.what.reverse);
  }
}

// Before the events happen, so that writing one is a copy.
void Meter::describe() {
  What what;
  what.binding = binding_;
  what.thread = Trace::own_thread();
  wait_ = what;
  wait_.kind = EventKind::wait;
  launch_ = what;
  launch_.kind = EventKind::launch;
  for (std::size_t i = 0; i < links_.size(); ++i)
    for (const bool is_reverse : {false, true}) {
      const Volume& volume = links_[i].what.of(is_reverse);
      what.peer = links_[i].what.rank;
      what.bytes = as_u64(volume.sent_bytes);
      what.kind = volume.packs ? EventKind::pack : EventKind::nothing;
      whats_[i].pack[is_reverse ? 1 : 0] = what;
      what.bytes = as_u64(volume.received_bytes);
      what.kind = volume.receives ? EventKind::unpack : EventKind::nothing;
      whats_[i].unpack[is_reverse ? 1 : 0] = what;
    }
}

void Meter::Sum::add(const Volume& volume) {
  sent_messages += volume.sends ? 1U : 0U;
  received_messages += volume.receives ? 1U : 0U;
  sent_bytes += static_cast<std::uint64_t>(volume.sent_bytes);
  received_bytes += static_cast<std::uint64_t>(volume.received_bytes);
  direct_bytes += volume.is_direct ? static_cast<std::uint64_t>(volume.received_bytes) : 0U;
}

void Meter::Cell::count(const Sum& sum) {  // data path
  sent_messages.add(sum.sent_messages);
  sent_bytes.add(sum.sent_bytes);
  received_messages.add(sum.received_messages);
  received_bytes.add(sum.received_bytes);
  direct_bytes.add(sum.direct_bytes);
}

void Meter::finished(bool is_reverse) {  // data path
  exchanges_[is_reverse ? 1 : 0].add(1);
  for (Cell& cell : cells_) cell.count(cell.per_exchange[is_reverse ? 1 : 0]);
}

void Meter::sample_sent(std::size_t number, Ticks begin, Step step) {  // data path
  Link& link = links_[number];
  link.posted = boundary_;
  link.posted_step = step.code;
  if (link.what.of(step.is_reverse()).packs) cells_[link.cell].pack.add(boundary_ - begin, bounds_);
}

void Meter::sample_received(std::size_t number, Ticks seen, Step step) {  // data path
  Link& link = links_[number];
  cells_[link.cell].unpack.add(boundary_ - seen, bounds_);
  if (link.what.path == Path::self || link.posted_step != step.code) return;
  cells_[link.cell].wire.add(seen - link.posted, bounds_);
  link.num_timed.add(1);
  link.wire_ticks.add(seen - link.posted);
}

void Meter::waited(Ticks begin, Step step, std::size_t late) {  // data path
  const Ticks end = now_ticks();
  exposed_.add(end - begin, bounds_);
  if (late < links_.size()) links_[late].late.add(1);
  if (trace_ != nullptr) trace_->add(wait_, begin, end, step);
}

void Meter::add_to(Metrics& all, double tick_s) const {
  all.forward_exchanges += exchanges_[0].value();
  all.reverse_exchanges += exchanges_[1].value();
  for (const Cell& cell : cells_) cell.add_to(entry_of(all, cell.way.path, cell.way.nearness), tick_s);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    NeighborMetrics& neighbor = entry_of(all, link.what.rank);
    neighbor.late += link.late.value();
    neighbor.num_timed += link.num_timed.value();
    neighbor.wire_s += static_cast<double>(link.wire_ticks.value()) * tick_s;
    if (staged_bytes_)
      entry_of(all, link.what.path, registry_->nearness_of(link.what.rank)).staged_bytes += staged_bytes_(i);
  }
  exposed_.add_to(all.exposed, tick_s);
  for (std::size_t code = 0; code < errors_.size(); ++code) all.errors[code] += errors_[code].value();
}

void Meter::Cell::add_to(PathMetrics& entry, double tick_s) const {
  entry.sent_messages += sent_messages.value();
  entry.sent_bytes += sent_bytes.value();
  entry.received_messages += received_messages.value();
  entry.received_bytes += received_bytes.value();
  entry.direct_bytes += direct_bytes.value();
  pack.add_to(entry.pack, tick_s);
  wire.add_to(entry.wire, tick_s);
  unpack.add_to(entry.unpack, tick_s);
}

double Meter::mean_wire_s(std::size_t link) const {
  const std::uint64_t num_timed = links_[link].num_timed.value();
  if (num_timed == 0) return 0;
  return static_cast<double>(links_[link].wire_ticks.value()) * seconds_per_tick() / static_cast<double>(num_timed);
}

}  // namespace halyard::metrics
