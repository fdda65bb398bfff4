// Binding, Transfer, HaloExchange: a plan with real memory, and the exchanges that run on it.
//
// Making a Binding is collective and is where everything that can fail for want of a resource happens. Running it
// allocates nothing, registers nothing and throws nothing.
//
// forward: every ghost gets its owner's value. reverse: every owned cell gets its ghosts' values added (or min, max);
// ghosts keep theirs. All ranks of the plan start the same exchanges on a binding in the same order. Between start and
// wait the owned border (forward) or the ghosts (reverse) must not be written, and what is being filled must be neither
// read nor written: what is sent may be read until wait() returns, by a neighbor or by the NIC, whatever the path. Up
// to kMaxInFlight exchanges of one binding may run at a time, any number of bindings.
//
// Fields in GPU memory: the calls that take a Stream only enqueue and return. The exchange begins after the work
// already in the stream given to forward(); work enqueued after wait_on(stream) sees the ghosts. Every call may be
// captured into a graph: what a replay needs to know lies in GPU memory. Without a Stream, forward() and reverse() use
// the default stream and wait() blocks the caller until the ghosts are there. At most two exchanges of such a binding
// are in flight; they finish in the order in which they started. A binding's exchanges may be given to several streams:
// each then begins after the one before it, and wait_on(stream) waits for the start too. What a graph has captured is
// not ordered with other streams: that is up to whoever replays it. All fields of a binding lie on one GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halyard/context.hpp"
#include "halyard/exchange_kinds.hpp"
#include "halyard/export.hpp"
#include "halyard/field.hpp"
#include "halyard/plan.hpp"
#include "halyard/status.hpp"
#include "halyard/stream.hpp"

namespace halyard {

inline constexpr int kMaxInFlight = 4;

class BindingCore;

/// A running exchange. A small value; valid as long as its Binding. Dropping it does not stop the exchange: the
/// binding finishes it. Called by the thread that may use the binding.
class HALYARD_API Transfer {
 public:
  Transfer() = default;
  Transfer(BindingCore* binding, std::uint64_t number) : binding_(binding), number_(number) {}

  /// Drives the exchange to its end: ghosts (owned cells) are filled and this rank's memory may be written again.
  /// The first failure of the binding comes back here, and from then on from each of its exchanges.
  Status wait();
  /// Makes progress; true once wait() would return at once.
  bool ready();
  /// Returns once everything from neighbor `rank` is in place; others may still be on their way.
  Status wait_on(int rank);
  /// Fields in GPU memory: makes `stream` wait for the ghosts, and returns at once. What was enqueued before it on the
  /// stream runs while the messages are on their way. A failure that comes later is reported by wait().
  Status wait_on(Stream stream);

 private:
  BindingCore* binding_ = nullptr;
  std::uint64_t number_ = 0;
};

class HALYARD_API Binding {
 public:
  /// Collective. `views` holds one FieldView per field and local patch: views[field * patches + patch]. Throws the same
  /// Error on every rank when plans disagree, a view is too small, a pointer is null, the plan was made for another
  /// number of ranks, or a resource is missing.
  Binding(Context& context, Plan plan, std::span<const FieldView> views);
  Binding(Binding&&) noexcept;
  Binding& operator=(Binding&&) noexcept;
  /// Local. Waits for exchanges that are still running, within the deadline.
  ~Binding();

  /// Starts an exchange and returns at once. A failure is reported by the Transfer.
  [[nodiscard]] Transfer forward();
  [[nodiscard]] Transfer reverse(Reduce op = Reduce::sum, ReduceOrder order = ReduceOrder::arrival);

  /// Fields in GPU memory: the same in stream order; see the top of this file.
  [[nodiscard]] Transfer forward(Stream stream);
  [[nodiscard]] Transfer reverse(Stream stream, Reduce op = Reduce::sum, ReduceOrder order = ReduceOrder::arrival);
  /// forward(stream) and wait_on(stream) in one kernel launch, for when there is nothing to compute in between.
  [[nodiscard]] Transfer forward_and_wait_on(Stream stream);
  [[nodiscard]] Transfer reverse_and_wait_on(Stream stream, Reduce op = Reduce::sum,
                                             ReduceOrder order = ReduceOrder::arrival);

  const Plan& plan() const;
  /// The plan's table, with how each neighbor's memory is used (direct, mailbox, …), what a message should take by a
  /// simple model, and what its wire took in the exchanges that were timed.
  std::string explain() const;
  /// The same for programs: rank, num_ranks, fields, and for each neighbor rank, path, form, form_reason, staged,
  /// send_bytes, receive_bytes, predicted_us, measured_us (null before anything was timed), refused [path, reason].
  std::string explain_json() const;

  BindingCore& core() { return *core_; }

 private:
  std::unique_ptr<BindingCore> core_;
};

/// Pattern and fields to a running exchange in one step: a Plan and a Binding. Collective to make.
class HALYARD_API HaloExchange {
 public:
  HaloExchange(Context& context, Pattern pattern, std::vector<FieldView> views);

  [[nodiscard]] Transfer forward() { return binding_.forward(); }
  [[nodiscard]] Transfer reverse(Reduce op = Reduce::sum, ReduceOrder order = ReduceOrder::arrival) {
    return binding_.reverse(op, order);
  }
  const Plan& plan() const { return binding_.plan(); }
  std::string explain() const { return binding_.explain(); }
  Binding& binding() { return binding_; }

 private:
  Binding binding_;
};

}  // namespace halyard
