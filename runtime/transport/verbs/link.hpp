// Link: how the messages and words of one channel travel over verbs. Knows queue pairs; knows nothing of whose turn it
// is.
//
// A message is one RDMA WRITE WITH IMMEDIATE from the send slot into the peer's receive slot, or one per rail where it
// is large; where a message lies in fields, the NIC gathers it from there; a word is an immediate without data. A
// message that would take one packet more for its header goes without it, when it has the size and the tag that the
// peer expects. Where an end has its messages in GPU memory, the payload goes there by a write of its own and the
// header behind it: two parts of one message. Whoever looks for arrivals writes what they say into the slab's control
// words. Nothing here waits for a completion to reuse a send slot: a message whose credit has come back was consumed,
// so all of it has arrived, and packets of it that the NIC might send again are dropped by the peer's NIC for their
// number. Fields are the user's: they are waited for (V5).
//
// Owns the channel's slab and queue pairs and outlives the channel: retired, it is kept by the worker until its own
// farewell has been acknowledged and the peer's has come, so that no last message is cut off; with a broken connection
// it may go at once, because a queue pair in error writes nothing and lets nothing be written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/slab/channel.hpp"
#include "transport/verbs/completions.hpp"
#include "transport/verbs/fields/gather.hpp"
#include "transport/verbs/numbers.hpp"
#include "transport/verbs/queue_pair.hpp"

namespace halyard::transport::verbs {

/// Messages of a link that were to be sent from fields.
struct Unpacked {
  std::unique_ptr<Gather> gather;  // null: it is packed
  std::string why_packed;
};

/// The other end's memory and queue pairs.
struct RemoteEnd {
  std::uint64_t slab = 0;
  slab::Layout layout;                        // of the messages
  std::uint64_t gpu_slots = 0;                // where it receives them in GPU memory; 0: in its slab
  std::uint64_t gpu_stride = 0;               // from slot 0 to slot 1
  std::vector<std::uint32_t> keys;            // by rail, of the slab
  std::vector<std::uint32_t> gpu_keys;        // by rail, of the slots in GPU memory
  std::vector<QueuePairAddress> queue_pairs;  // by rail
};

class Link final : public SlabLink, private Completions::Listener {
 public:
  /// `layout` is that of the messages. Throws Error.
  Link(int peer, slab::Layout layout, Rails& rails, std::shared_ptr<Completions> completions,
       const std::optional<GpuSlots>& on_gpu = {}, std::span<const Parts> unpacked = {});
  ~Link() override;

  RemoteEnd end() const;
  /// Throws Error.
  void connect(RemoteEnd remote, const Settings& settings);

  /// Why a message is not sent from the fields, in words; empty when it is.
  const std::string& why_packed(std::size_t number) const { return unpacked_[number].why_packed; }

  bool is_connected() const override { return !remote_.queue_pairs.empty(); }

  // ---- data path ---------------------------------------------------------------------------------------------------

  void take_in() override;
  bool can_send(std::uint64_t sequence) const override;
  void send_message(std::uint64_t sequence) override;
  void send_unpacked(std::uint64_t sequence, std::size_t number) override;
  bool is_slot_free(std::uint64_t sequence) const override;
  void tell_consumed(std::uint64_t consumed) override;
  void tell_gave_up(std::uint64_t value) override;
  bool sleep(std::chrono::microseconds most) { return completions_->sleep(most); }
  State state() const override { return state_; }
  std::string state_text() const override;
  bool has_peer_closed() const override;

  // ---- the end -----------------------------------------------------------------------------------------------------

  /// The channel is gone: tells the peer that nothing more will come. Called again and again.
  void say_farewell();
  /// May be destroyed.
  bool is_over() const;
  bool may_end_in_order() const { return is_connected() && state_ == State::good; }

  std::string form() const;

 private:
  struct Lane {  // of one rail
    Rail* rail = nullptr;
    memory::Lease lease;
    std::unique_ptr<QueuePair> queue_pair;
    std::uint32_t local_key = 0;
    std::uint32_t remote_key = 0;
    std::uint64_t gathered[slab::kNumSlots] = {};  // the queue pair's last request that reads fields, by slot
    // Where messages lie on GPUs:
    memory::Lease gpu_send;
    memory::Lease gpu_receive;
    std::uint32_t local_payload_key = 0;
    std::uint32_t remote_payload_key = 0;
  };

  void register_fields(std::span<const Parts> unpacked, const Rails& rails);
  std::uint32_t most_pieces() const;
  void add_lane(Rail& rail, std::size_t number);
  void lay_out_gathers();
  void let_fields_go();
  void find_payloads();
  void find_bare_messages();
  bool is_expected(const slab::Header& header);
  void send_bare(const slab::Header& header);
  void send_parts(const ibv_sge& whole, std::uint64_t to);
  void send_gathered(std::size_t lane, std::span<const ibv_sge> pieces, const RemotePlace& to, std::uint32_t number);
  void send_apart(const slab::Header& header);
  void send_part(std::size_t lane, const ibv_sge& part, const RemotePlace& to, std::uint32_t number,
                 Source source = Source::host);
  void send_word(slab::Word word, std::uint64_t value, bool is_last = false);
  void send_wanted_words();
  void note_error(const Lane& lane, const char* what, int error);

  void on_sent(std::size_t rail, std::uint64_t posted) override;
  void on_received(std::size_t rail, std::uint32_t number) override;
  void on_failed(std::size_t rail, const ibv_wc& completion) override;
  void on_word(std::uint32_t number);
  void on_bare_or_not(std::uint32_t number);
  void on_whole(std::uint64_t sequence) {
    ++num_whole_;
    num_arrived_ = std::max(num_arrived_, sequence);
    slab::write_shared(slab().control().arrived[sequence % slab::kNumSlots], sequence);
  }

  int peer_;
  std::shared_ptr<Completions> completions_;
  std::vector<Unpacked> unpacked_;
  std::vector<Lane> lanes_;
  QueuePair* only_queue_pair_ = nullptr;  // where there is one rail, and only slots to be free: asked often
  slab::Layout messages_;
  std::optional<GpuSlots> on_gpu_;
  RemoteEnd remote_;
  std::uint64_t remote_slots_[slab::kNumSlots] = {};  // where the peer receives
  bool is_apart_ = false;                             // header and payload lie apart at one end at least
  std::uint64_t own_payloads_[slab::kNumSlots] = {};
  std::uint64_t remote_payloads_[slab::kNumSlots] = {};
  std::uint32_t id_ = 0;

  // Of messages that may come without a header:
  bool may_send_bare_ = false;
  bool may_receive_bare_ = false;
  TagSeries sent_tags_;
  TagSeries received_tags_;
  std::uint64_t consumed_heard_ = 0;  // what the last message said that the peer had consumed

  std::uint32_t parts_here_[slab::kNumSlots] = {};
  std::uint64_t num_arrived_ = 0;  // the last message that came whole
  std::uint64_t num_whole_ = 0;    // how many did
  std::uint64_t num_sent_ = 0;
  std::uint64_t consumed_wanted_ = 0;
  std::uint64_t consumed_told_ = 0;
  std::optional<std::uint64_t> gave_up_wanted_;
  bool is_farewell_sent_ = false;

  State state_ = State::good;
  std::string trouble_;
};

}  // namespace halyard::transport::verbs
