// HostBinding: runs the exchanges of one binding of fields in host memory. The whole flow is in advance(): post what
// may be posted, take what has arrived, see what is done.
//
// Made by Assembly. Used by one thread at a time, the one that ThreadRule allows. start, ready and wait are data path
// but for the texts of failures.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/backoff.hpp"
#include "exchange/binding_core.hpp"
#include "exchange/link.hpp"
#include "halyard/plan.hpp"
#include "halyard/status.hpp"
#include "plan/explain_table.hpp"

namespace halyard::metrics {
class Meter;
}  // namespace halyard::metrics

namespace halyard {

class HostBinding final : public BindingCore {
 public:
  HostBinding(Plan plan, exchange::Surroundings around, std::vector<exchange::Link> links);
  ~HostBinding() override;

  std::uint64_t start(exchange::Kind kind, Reduce op, ReduceOrder order) override;
  Status wait(std::uint64_t number) override;
  Status wait_on(std::uint64_t number, int rank) override;
  bool ready(std::uint64_t number) override;

  /// Whether no exchange is running: what its links move may then be listed anew, and their channels be replaced.
  bool is_idle();
  const Status& failure() const { return failure_; }
  std::span<exchange::Link> links() { return links_; }
  std::span<const exchange::Link> links() const { return links_; }

  /// For metrics: what exchanges move over link `number` from now on, where the plan does not say it.
  void set_volumes(std::size_t number, std::int64_t sent_bytes, std::int64_t received_bytes);

  const Plan& plan() const override { return plan_; }
  std::string explain() const override;
  std::string explain_json() const override;

 private:
  struct Target;  // what a wait waits for

  bool advance();
  bool advance_sends();
  bool advance_receives();
  void update_done();
  bool look_for_failure();
  bool has_reached(const Target& target) const;
  Status drive(const Target& target);
  std::size_t late() const;
  bool sleep();
  void react(base::Backoff::Outcome outcome, const base::Backoff& backoff);
  void look_around();
  std::vector<plan::Form> forms() const;
  void fail(Status status, int culprit);
  void fail_with_wrong_message(const exchange::Link& link, const exchange::Running& running);
  void fail_with_timeout(const base::Backoff& backoff);
  std::string progress_text(const exchange::Running& running, const exchange::Link& link) const;

  exchange::Running& running(std::uint64_t number) { return running_[number % kMaxInFlight]; }
  exchange::Link* first_pending();

  Plan plan_;
  exchange::Surroundings around_;
  std::vector<exchange::Link> links_;        // ascending by rank
  std::vector<transport::Worker*> workers_;  // each once
  bool may_reduce_ = true;                   // no field is opaque
  exchange::Running running_[kMaxInFlight];
  std::uint64_t num_started_ = 0;
  std::uint64_t num_done_ = 0;
  Status failure_;
  base::Backoff polls_;                         // of ready()
  metrics::Meter* timed_ = nullptr;             // meter_ while exchanges are timed
  const exchange::Link* last_moved_ = nullptr;  // to receive a message
  const exchange::Link* pending_ = nullptr;     // when it was last looked whether an exchange is done
  std::unique_ptr<metrics::Meter> meter_;       // null where nobody counts
};

}  // namespace halyard
