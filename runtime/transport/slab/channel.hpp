// SlabChannel: whose turn it is, on paths that put into a peer's slab. Counts messages and credits of one connection;
// a SlabLink of the backend moves the bytes and the words.
//
// Invariants, for each direction: posted - consumed <= 2, so a landing slot is written only when its reader is done
// with it; the peer learns of every consumed message, by the header of our next message or by a word of its own, at the
// latest when it has no credit left. Message n carries n in its header, and its slot's arrived word becomes n.
//
// A peer may close as soon as its last message is here, so a broken connection is a failure only when no message waits,
// and a closed channel only when, besides, all of ours is delivered: what is still missing then never comes.
#pragma once

#include <cstdint>
#include <string>

#include "transport/channel.hpp"
#include "transport/slab/layout.hpp"

namespace halyard::transport {

/// How one channel's messages and words travel. Data path but for slab().
class SlabLink {
 public:
  SlabLink() = default;
  SlabLink(const SlabLink&) = delete;
  SlabLink& operator=(const SlabLink&) = delete;
  virtual ~SlabLink() = default;

  const slab::View& slab() const { return slab_; }
  virtual bool is_connected() const = 0;

  /// Takes in what has come, where nobody else does.
  virtual void take_in() {}
  /// Nothing is broken, and the slot of message `sequence` is free.
  virtual bool can_send(std::uint64_t sequence) const = 0;
  /// Sends message `sequence`, header filled in, after can_send() said yes.
  virtual void send_message(std::uint64_t sequence) = 0;
  /// The same of message `number` of ChannelSpec::unpacked, its header alone in the slot.
  virtual void send_unpacked(std::uint64_t sequence, std::size_t number) { (void)sequence, (void)number; }
  /// Message `sequence`, or what lay in its slot before, needs nothing of this end any more.
  virtual bool is_slot_free(std::uint64_t sequence) const = 0;
  virtual void tell_consumed(std::uint64_t consumed) = 0;
  virtual void tell_gave_up(std::uint64_t value) = 0;

  enum class State { good, peer_lost, broken };
  virtual State state() const = 0;
  /// What state() means, in words.
  virtual std::string state_text() const = 0;
  /// The peer has closed its channel, and all that it sent before is here.
  virtual bool has_peer_closed() const = 0;

 protected:
  void set_slab(const slab::View& slab) { slab_ = slab; }

 private:
  slab::View slab_;
};

class SlabChannel : public Channel {
 public:
  /// `link` belongs to the backend's channel and lives as long as that.
  SlabChannel(const ChannelSpec& spec, std::string path, SlabLink& link)
      : spec_(spec), path_(std::move(path)), slab_link_(link) {}

  bool may_post() override;
  std::byte* send_buffer() override;
  void post(std::int64_t bytes, std::uint64_t tag) override;
  void post_unpacked(std::size_t number, std::int64_t bytes, std::uint64_t tag) override;
  std::uint64_t num_delivered() override;

  std::optional<Incoming> receive() override;
  void release() override;

  StatusCode failure() const override;
  std::string failure_text() const override;
  void give_up(int culprit) override;

  /// Throws Error(invalid_argument) for messages that stay in place, or of negative size.
  static void check(const ChannelSpec& spec, const char* path);

 protected:
  const ChannelSpec& spec() const { return spec_; }
  static slab::Layout layout_of(const ChannelSpec& spec);
  /// Throws Error(disagreement) when the peer describes another channel than this one.
  void check_peer(std::uint64_t peer_binding, const slab::Layout& peer) const;

 private:
  [[gnu::always_inline]] inline void begin_message(std::int64_t bytes, std::uint64_t tag);
  [[gnu::noinline]] bool may_send_now();
  [[gnu::noinline]] bool is_slot_free_now();
  bool has_arrived(std::uint64_t sequence) const;
  /// 1 + the rank because of which the peer gave up; 0: it did not.
  std::uint64_t peer_gave_up() const;
  bool has_peer_left() const;
  void learn_consumed();
  bool is_broken(const slab::Header& header, std::uint64_t sequence);

  ChannelSpec spec_;
  std::string path_;  // "UCX", for texts
  SlabLink& slab_link_;

  std::uint64_t num_posted_ = 0;
  std::uint64_t num_delivered_ = 0;
  std::uint64_t num_consumed_by_peer_ = 0;
  std::uint64_t num_consumed_ = 0;       // messages of the peer that were released
  std::uint64_t num_consumed_told_ = 0;  // what the peer was told, or is being told, of them
  std::uint64_t num_posted_at_release_ = 0;

  slab::Header broken_header_;  // kept for failure_text()
  bool has_broken_header_ = false;
};

}  // namespace halyard::transport
