// Registry: all meters of one context, and the sums of those that have gone. Made by the context; bindings ask it for
// meters while they are set up. Any thread; the lock is never taken on the data path.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "metrics/meter.hpp"

namespace halyard::metrics {

/// What a registry knows of its context.
struct Setting {
  int rank = 0;
  std::vector<int> ranks_on_node;  // ascending
  std::shared_ptr<Trace> trace;    // null when none is taken
  std::function<RegistrationMetrics()> registrations;
};

class Registry : public std::enable_shared_from_this<Registry> {
 public:
  explicit Registry(Setting setting);

  std::unique_ptr<Meter> make_meter(std::uint64_t binding, const std::vector<MeteredLink>& links,
                                    Meter::StagedBytes staged_bytes = nullptr);
  Metrics snapshot() const;

  Nearness nearness_of(int rank) const;
  const TickBounds& bounds() const { return bounds_; }
  Trace* trace() const { return setting_.trace.get(); }

  /// The registrations can be asked no more: their transports are going.
  void forget_registrations();

 private:
  friend class Meter;
  void add(const Meter& meter);
  void retire(const Meter& meter);

  Setting setting_;
  const TickBounds bounds_;
  mutable std::mutex mutex_;
  std::vector<const Meter*> meters_;
  Metrics retired_;
};

}  // namespace halyard::metrics
