// Link: the puts of one channel: messages, credits, words of farewell. Knows UCX; knows nothing of whose turn it is.
//
// Owns the channel's slab and outlives the channel: after retire() the worker keeps it until no put of ours is under way
// and the peer has said that it will write here no more (it put 1 in `closed`). Without that a late put of the peer
// would hit freed memory, or on an RDMA network break the connection that other channels share.
//
// Every operation runs: issue, then a callback, at once or from any progress call of any thread; so what callbacks touch
// is atomic. Operations, the owner included, are counted; whoever brings the count to zero starts the farewell.
#pragma once

#include <atomic>
#include <cstdint>

#include "transport/ucx/endpoint.hpp"
#include "transport/ucx/handles.hpp"
#include "transport/ucx/probe.hpp"
#include "transport/ucx/slab.hpp"

namespace halyard::transport::ucx {

/// The peer's slab.
struct RemoteSlab {
  std::uint64_t base = 0;
  SlabLayout layout;
  RemoteKey key;
};

class Link {
 public:
  Link(ucp_worker_h worker, Ordering ordering, Slab slab);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const Slab& slab() const { return slab_; }
  void connect(const Endpoint& endpoint, RemoteSlab remote);
  bool is_connected() const { return endpoint_ != nullptr; }

  // ---- data path: each of these needs is_connected() ---------------------------------------------------------------

  /// Puts message `sequence`, header filled in, and then its sequence word. Its slot must be free.
  void put_message(std::uint64_t sequence);
  bool is_slot_free(std::uint64_t sequence) const;
  /// Tells the peer how many of its messages are consumed; if a put of that word is under way, when it is done.
  void put_consumed(std::uint64_t consumed);
  void put_gave_up(std::uint64_t word);
  /// The first error of a put or of the endpoint.
  ucs_status_t failure() const;

  // ---- the end -----------------------------------------------------------------------------------------------------

  /// The peer was given the address of this slab, so it may write to it.
  void set_announced() { is_announced_ = true; }
  /// The owner needs this link no more.
  void retire() { end_operation(); }
  /// A retired link that may be destroyed while its worker lives on.
  bool is_over() const;
  /// Before the worker closes: remote keys belong to it.
  void drop_remote_key() { remote_.key.reset(); }

 private:
  struct Slot {
    Link* link = nullptr;
    std::uint64_t sequence = 0;
    std::atomic<int> in_flight{0};
  };

  void put(const void* source, std::size_t bytes, std::uint64_t offset, ucp_send_nbx_callback_t done, void* subject);
  void flush(ucp_send_nbx_callback_t done, void* subject);
  void put_sequence(Slot& slot);
  void issue_consumed();
  void start_farewell();
  void end_operation();
  void note(ucs_status_t status);

  static void on_slot_done(void* request, ucs_status_t status, void* slot);
  static void on_slot_flushed(void* request, ucs_status_t status, void* slot);
  static void on_consumed_done(void* request, ucs_status_t status, void* link);
  static void on_gave_up_done(void* request, ucs_status_t status, void* link);
  static void on_farewell_flushed(void* request, ucs_status_t status, void* link);
  static void on_farewell_done(void* request, ucs_status_t status, void* link);

  ucp_worker_h worker_;
  Ordering ordering_;
  Slab slab_;
  const Endpoint* endpoint_ = nullptr;
  RemoteSlab remote_;
  Slot slots_[kNumSlots];

  std::atomic<std::uint64_t> consumed_wanted_{0};
  std::atomic<bool> is_consumed_in_flight_{false};
  std::atomic<ucs_status_t> failure_{UCS_OK};

  std::atomic<int> num_open_operations_{1};  // the owner is one
  std::atomic<bool> is_farewell_started_{false};
  std::atomic<bool> is_farewell_sent_{false};
  bool is_announced_ = false;
};

}  // namespace halyard::transport::ucx
