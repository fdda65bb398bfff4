// Completions: the completion queues of one binding, one per rail, and to which link each completion belongs.
//
// All channels of a binding share it and are used by one thread at a time, so there is no lock; what is left of them
// when the binding is gone is driven by the worker, under its lock. The queues grow with every link that joins, so that
// they cannot overrun (field case V01).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/verbs/device/rail.hpp"
#include "transport/verbs/handles.hpp"

namespace halyard::transport::verbs {

using Rails = std::vector<std::unique_ptr<Rail>>;

class Completions {
 public:
  /// Who wants to hear of completions. Data path.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_sent(std::size_t rail, std::uint64_t posted) = 0;
    virtual void on_received(std::size_t rail, std::uint32_t number) = 0;
    virtual void on_failed(std::size_t rail, const ibv_wc& completion) = 0;
  };

  explicit Completions(const Rails& rails);
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;

  /// Makes room for one queue pair per rail. The id by which its completions find the listener. Throws Error.
  std::uint32_t join(Listener& listener);
  /// The listener hears nothing more. Its id is never used again.
  void leave(std::uint32_t id);

  ibv_cq* queue(std::size_t rail) const { return queues_[rail].get(); }

  /// Data path: hands out what has completed.
  void take_in();
  /// Until a completion comes, or `most` has passed. False when it cannot be waited for.
  bool sleep(std::chrono::microseconds most);

  /// The same as take_in(), once for a round in which every listener asks, in the order in which they joined.
  void take_in_for(std::uint32_t id);

 private:
  void make_room();
  void forget_events(std::size_t rail);
  void hand_out(std::size_t rail, const ibv_wc& completion);

  const Rails& rails_;
  std::vector<CompletionEvents> events_;
  std::vector<CompletionQueue> queues_;
  std::uint64_t num_taken_in_ = 0;
  std::vector<Listener*> listeners_;  // by id; null once left
  int num_listeners_ = 0;
  std::uint32_t last_asked_ = UINT32_MAX;
};

}  // namespace halyard::transport::verbs
