// LoopbackWorld: N ranks in one process. Each gets a worker of its own over loopback; bindings are assembled rank by
// rank, and exchanges driven by turns (or by one thread per rank, if the test likes).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "exchange/assembly.hpp"
#include "exchange/binding_core.hpp"
#include "halyard/plan.hpp"
#include "transport/loopback/factory.hpp"

namespace halyard::metrics {
class Registry;
}

namespace halyard::test {

class LoopbackWorld {
 public:
  using Decorate = std::function<std::unique_ptr<transport::Worker>(int rank, std::unique_ptr<transport::Worker>)>;

  /// Exports::everything makes messages in place, Exports::nothing sends them through mailboxes.
  LoopbackWorld(int num_ranks, transport::loopback::Exports exports, const Decorate& decorate = nullptr,
                base::WaitPolicy wait = {base::WaitPolicy::kYieldEarly, 20.0});

  int num_ranks() const { return static_cast<int>(workers_.size()); }
  PathFacts facts(int rank) const { return PathFacts::uniform(Path::shared, rank, num_ranks()); }

  /// Where bindings made from now on are counted, by rank.
  void set_metrics(std::vector<std::shared_ptr<metrics::Registry>> metrics) { metrics_ = std::move(metrics); }

  /// One binding per rank from one plan and its views per rank.
  std::vector<std::unique_ptr<BindingCore>> bind(std::vector<Plan> plans,
                                                 const std::vector<std::vector<FieldView>>& views);

  /// Starts an exchange on every rank and drives them by turns until all are done or one fails.
  static Status run(std::vector<std::unique_ptr<BindingCore>>& bindings, exchange::Kind kind, Reduce op = Reduce::sum,
                    ReduceOrder order = ReduceOrder::arrival);

 private:
  std::vector<std::unique_ptr<transport::Worker>> workers_;
  base::WaitPolicy wait_;
  std::vector<std::shared_ptr<metrics::Registry>> metrics_;
  std::uint64_t num_bindings_ = 0;
};

}  // namespace halyard::test
