// Link: how the messages and words of one channel travel. Knows UCX; knows nothing of whose turn it is.
//
// Two ways, chosen by what the endpoint's transport can do. Put: the message, then its sequence word, written into the
// peer's slab. Active messages, where the transport has no put: the message, or a word, with an Envelope, which the
// peer's progress call writes into its slab. The receiving side looks the same: words in the slab that change.
//
// Owns the channel's slab and outlives the channel: retired, it is kept by the worker until nothing of ours is under
// way and the peer has said that it sends no more (`closed`). Without that a late write of the peer would hit freed
// memory, or on an RDMA network break the connection that other channels share.
//
// Every operation runs: issue, then a callback, at once or from any progress call of any thread; so what callbacks
// touch is atomic. Callbacks may put and send, but not flush: UCX 1.20 asserts when a request that waited for the
// connection completes and its callback flushes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "transport/slab/channel.hpp"
#include "transport/ucx/endpoint.hpp"
#include "transport/ucx/handles.hpp"
#include "transport/ucx/probe.hpp"
#include "transport/ucx/slab.hpp"

namespace halyard::transport::ucx {

inline constexpr unsigned kActiveMessageId = 1;

/// The other end's memory.
struct RemoteSlab {
  std::uint64_t base = 0;
  std::uint64_t link = 0;
  slab::Layout layout;
  RemoteKey key;
  bool can_put = false;  // else messages and words go as active messages
};

/// The header of an active message: message `value`, or the new value of a word.
struct Envelope {
  std::uint64_t link = 0;  // the receiver's Link; it lives until the sender has said `closed`
  std::uint64_t value = 0;
  std::uint64_t is_message = 0;
  Word word = Word::consumed;
};

class Link final : public SlabLink {
 public:
  Link(ucp_worker_h worker, Ordering ordering, Slab slab);

  const Slab& registered() const { return slab_; }
  void connect(const Endpoint& endpoint, RemoteSlab remote);
  bool is_connected() const override { return endpoint_ != nullptr; }
  bool can_put() const { return remote_.can_put; }

  // ---- data path: each of these needs is_connected() ---------------------------------------------------------------

  bool can_send(std::uint64_t sequence) const override;
  void send_message(std::uint64_t sequence) override;
  bool is_slot_free(std::uint64_t sequence) const override;
  /// If the word is under way already, tells it when that is done.
  void tell_consumed(std::uint64_t consumed) override;
  void tell_gave_up(std::uint64_t value) override;
  State state() const override;
  std::string state_text() const override;
  bool has_peer_closed() const override;

  static ucs_status_t on_active_message(void* unused, const void* header, std::size_t header_bytes, void* data,
                                        std::size_t bytes, const ucp_am_recv_param_t* param);

  // ---- the end -----------------------------------------------------------------------------------------------------

  /// The peer was given the address of this slab, so it may write to it.
  void set_announced() { is_announced_ = true; }
  /// The channel is gone: as soon as nothing is under way, tells the peer that nothing more will come. Called again and
  /// again, by one thread at a time and never from a callback.
  void say_farewell();
  /// A retired link that may be destroyed while its worker lives on.
  bool is_over() const;
  /// False when is_over() can never become true: not connected, or the connection is lost.
  bool may_end_in_order() const { return is_connected() && failure() == UCS_OK; }
  /// Before the worker closes: remote keys belong to it.
  void drop_remote_key() { remote_.key.reset(); }

 private:
  struct Slot {
    Link* link = nullptr;
    std::uint64_t sequence = 0;
    Envelope envelope;
    std::atomic<int> in_flight{0};
  };

  void put_message(Slot& slot);
  void put_sequence(Slot& slot);
  void send_word(Word word, std::uint64_t value, ucp_send_nbx_callback_t done);
  void issue_consumed();
  void end_operation() { num_open_operations_.fetch_sub(1, std::memory_order_release); }
  void note(ucs_status_t status);
  /// The first error of an operation or of the endpoint.
  ucs_status_t failure() const;
  void accept(const Envelope& envelope, const void* data, std::size_t bytes);

  void put(const void* source, std::size_t bytes, std::uint64_t offset, ucp_send_nbx_callback_t done, void* subject);
  void send(const Envelope& envelope, std::size_t bytes, ucp_send_nbx_callback_t done, void* subject);
  void flush(ucp_send_nbx_callback_t done, void* subject);

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
  Envelope word_envelopes_[kNumWords];

  std::atomic<std::uint64_t> consumed_wanted_{0};
  std::atomic<std::uint64_t> consumed_told_{0};
  std::atomic<bool> is_consumed_in_flight_{false};
  std::atomic<ucs_status_t> failure_{UCS_OK};
  std::atomic<std::uint64_t> num_active_sent_{0};
  std::atomic<std::uint64_t> num_active_accepted_{0};

  std::atomic<int> num_open_operations_{0};
  bool is_farewell_started_ = false;
  std::atomic<bool> is_farewell_sent_{false};
  bool is_announced_ = false;
};

}  // namespace halyard::transport::ucx
