// BindingCore: runs the exchanges of one binding. The whole flow is in advance(): post what may be posted, take what
// has arrived, see what is done.
//
// Made by Assembly. Used by one thread at a time, the one that ThreadRule allows. start, ready and wait are data path
// but for the texts of failures.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/backoff.hpp"
#include "exchange/link.hpp"
#include "halyard/plan.hpp"
#include "halyard/status.hpp"

namespace halyard::exchange {

/// Who may call: nobody but `only`, if that is set (MPI_THREAD_SINGLE and FUNNELED).
struct ThreadRule {
  std::optional<std::thread::id> only;
  bool allows_this_thread() const { return !only || *only == std::this_thread::get_id(); }
};

/// What a binding gets from its context.
struct Surroundings {
  std::uint64_t binding = 0;  // number of the binding, equal on all ranks
  base::WaitPolicy wait;
  ThreadRule threads;
  /// Takes a channel that its peer may still write to, and keeps it until it is quiet.
  std::function<void(std::unique_ptr<transport::Channel>)> retire;
  /// False once nothing can be waited for any more (MPI is finalized).
  std::function<bool()> is_running = [] { return true; };
  /// Whatever must live as long as the binding: the context's workers.
  std::shared_ptr<void> context;
};

}  // namespace halyard::exchange

namespace halyard {

class BindingCore {
 public:
  BindingCore(Plan plan, exchange::Surroundings around, std::vector<exchange::Link> links);
  BindingCore(const BindingCore&) = delete;
  BindingCore& operator=(const BindingCore&) = delete;
  ~BindingCore();

  /// The exchange's number, or one of the refusals below.
  std::uint64_t start(exchange::Kind kind, Reduce op, ReduceOrder order);
  Status wait(std::uint64_t number);
  Status wait_on(std::uint64_t number, int rank);
  bool ready(std::uint64_t number);

  const Plan& plan() const { return plan_; }
  std::string explain() const;

  // Numbers of exchanges that were not started.
  static constexpr std::uint64_t kWrongThread = UINT64_MAX;
  static constexpr std::uint64_t kTooMany = UINT64_MAX - 1;
  static constexpr std::uint64_t kOpaque = UINT64_MAX - 2;
  static constexpr std::uint64_t kFirstRefusal = kOpaque;

 private:
  struct Target;  // what a wait waits for

  bool advance();
  bool advance_sends();
  bool advance_receives();
  void update_done();
  bool look_for_failure();
  bool has_reached(const Target& target) const;
  Status drive(const Target& target);
  void react(base::Backoff::Outcome outcome, const base::Backoff& backoff);
  void look_around();
  void fail(Status status, int culprit);
  void fail_with_wrong_message(const exchange::Link& link, const exchange::Running& running);
  void fail_with_timeout(const base::Backoff& backoff);
  std::string progress_text(const exchange::Running& running, const exchange::Link& link) const;
  Status refusal(std::uint64_t number) const;

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
  base::Backoff polls_;  // of ready()
};

}  // namespace halyard
