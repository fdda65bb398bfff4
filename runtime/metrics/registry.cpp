// See registry.hpp.
#include "metrics/registry.hpp"

#include <algorithm>

namespace halyard {

std::string_view name_of(Nearness nearness) {
  switch (nearness) {
    case Nearness::self:
      return "self";
    case Nearness::node:
      return "node";
    case Nearness::network:
      return "network";
  }
  return "unknown";
}

}  // namespace halyard

namespace halyard::metrics {

Registry::Registry(Setting setting) : setting_(std::move(setting)) { retired_.rank = setting_.rank; }

std::unique_ptr<Meter> Registry::make_meter(std::uint64_t binding, const std::vector<MeteredLink>& links,
                                            Meter::StagedBytes staged_bytes) {
  return std::make_unique<Meter>(shared_from_this(), binding, links, std::move(staged_bytes));
}

Nearness Registry::nearness_of(int rank) const {
  if (rank == setting_.rank) return Nearness::self;
  const auto& here = setting_.ranks_on_node;
  return std::binary_search(here.begin(), here.end(), rank) ? Nearness::node : Nearness::network;
}

void Registry::add(const Meter& meter) {
  const std::lock_guard lock(mutex_);
  meters_.push_back(&meter);
}

void Registry::retire(const Meter& meter) {
  const double tick_s = seconds_per_tick();
  const std::lock_guard lock(mutex_);
  std::erase(meters_, &meter);
  meter.add_to(retired_, tick_s);
}

void Registry::forget_registrations() {
  const std::lock_guard lock(mutex_);
  if (setting_.registrations) retired_.registrations = setting_.registrations();
  setting_.registrations = nullptr;
}

Metrics Registry::snapshot() const {
  const double tick_s = seconds_per_tick();
  const std::lock_guard lock(mutex_);
  Metrics all = retired_;
  for (const Meter* meter : meters_) meter->add_to(all, tick_s);
  if (setting_.registrations) all.registrations = setting_.registrations();
  if (setting_.trace != nullptr) {
    all.trace_events = setting_.trace->num_added();
    all.trace_events_dropped = setting_.trace->num_dropped();
  }
  return all;
}

}  // namespace halyard::metrics
