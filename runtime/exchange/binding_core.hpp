// BindingCore: what a Binding runs its exchanges on. HostBinding moves fields in host memory, GpuBinding fields in GPU
// memory; Transfer and Binding know only this.
//
// Used by one thread at a time, the one that ThreadRule allows. Nothing throws.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/backoff.hpp"
#include "exchange/tag.hpp"
#include "halyard/exchange_kinds.hpp"
#include "halyard/plan.hpp"
#include "halyard/status.hpp"
#include "halyard/stream.hpp"
#include "transport/worker.hpp"

namespace halyard::metrics {
class Registry;
}

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
  /// Where exchanges are counted; null where nobody does.
  std::shared_ptr<metrics::Registry> metrics;
  /// Whatever must live as long as the binding: the context's workers.
  std::shared_ptr<void> context;
};

}  // namespace halyard::exchange

namespace halyard {

class BindingCore {
 public:
  BindingCore() = default;
  BindingCore(const BindingCore&) = delete;
  BindingCore& operator=(const BindingCore&) = delete;
  virtual ~BindingCore() = default;

  /// The exchange's number, or one of the refusals below, which wait() puts in words.
  virtual std::uint64_t start(exchange::Kind kind, Reduce op, ReduceOrder order) = 0;
  virtual Status wait(std::uint64_t number) = 0;
  virtual Status wait_on(std::uint64_t number, int rank) = 0;
  virtual bool ready(std::uint64_t number) = 0;

  // In stream order; fields in host memory refuse.
  virtual std::uint64_t start_in(Stream stream, exchange::Kind kind, Reduce op, ReduceOrder order);
  virtual std::uint64_t run_in(Stream stream, exchange::Kind kind, Reduce op, ReduceOrder order);
  virtual Status wait_in(std::uint64_t number, Stream stream);

  virtual const Plan& plan() const = 0;
  virtual std::string explain() const = 0;
  virtual std::string explain_json() const = 0;

  // Numbers of exchanges that were not started.
  static constexpr std::uint64_t kWrongThread = UINT64_MAX;
  static constexpr std::uint64_t kTooMany = UINT64_MAX - 1;
  static constexpr std::uint64_t kOpaque = UINT64_MAX - 2;
  static constexpr std::uint64_t kNotOnGpu = UINT64_MAX - 3;       // a stream, but fields in host memory
  static constexpr std::uint64_t kWrongStream = UINT64_MAX - 4;    // a stream of another GPU
  static constexpr std::uint64_t kUnaligned = UINT64_MAX - 5;      // a reduction of cells that are not aligned
  static constexpr std::uint64_t kNotCapturable = UINT64_MAX - 6;  // the caller must drive staged messages
  static constexpr std::uint64_t kNotListed = UINT64_MAX - 7;      // particles moved on, their borders were not built
  static constexpr std::uint64_t kFirstRefusal = kNotListed;

 protected:
  /// The words for a refusal.
  static Status refusal(std::uint64_t number, int most_in_flight);
};

}  // namespace halyard
