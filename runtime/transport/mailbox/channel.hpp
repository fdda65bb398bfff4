// mailbox::Channel: the protocol of ../protocol.md over memory that both ends can address. What loopback (one process)
// and shared (one node) have in common: they differ only in where the memory comes from and how the peer finds it.
//
// A channel may be destroyed at any moment: what it posted lies in the peer's memory, it tells the peer that it is
// gone, and it leaves what the peer may still write with the pool that its Signal came from.
#pragma once

#include "transport/channel.hpp"
#include "transport/mailbox/signal_pool.hpp"

namespace halyard::transport::mailbox {

/// The memory of one end: a Signal and, for messages that are not in place, kNumSlots landing buffers.
struct End {
  Signal* signal = nullptr;
  std::byte* landing = nullptr;
};

/// Bytes of the landing buffers for messages of at most `bytes`.
std::size_t landing_bytes(std::int64_t bytes);
/// The same for what the peer sends, and for what this end sends: whole pages if the spec asks for them.
std::size_t receive_landing_bytes(const ChannelSpec& spec);
std::size_t send_landing_bytes(const ChannelSpec& spec);

class Channel : public transport::Channel {
 public:
  /// Says farewell to the peer.
  ~Channel() override;

  std::vector<std::span<std::byte>> buffers() override;
  bool may_post() override;
  std::byte* send_buffer() override;
  void post(std::int64_t bytes, std::uint64_t tag) override;
  std::uint64_t num_delivered() override;
  std::optional<Incoming> receive() override;
  void release() override;
  bool is_quiet() override;
  StatusCode failure() const override;
  std::string failure_text() const override;
  void give_up(int culprit) override;
  std::string form() const override;

 protected:
  /// `mine` is where the peer writes; its Signal comes from `signals`, which outlives this channel.
  Channel(const ChannelSpec& spec, const End& mine, SignalPool& signals)
      : spec_(spec), mine_(mine), signals_(signals) {}
  /// `theirs` is where this end writes.
  void attach(const End& theirs) { theirs_ = theirs; }

  const ChannelSpec& spec() const { return spec_; }
  const End& mine() const { return mine_; }
  /// To be called by the destructor of who allocated mine(): gives the Signal back and calls `free_landing`, now or
  /// when the peer's farewell has come.
  void leave(std::function<void()> free_landing);

 private:
  bool is_connected() const { return theirs_.signal != nullptr; }
  bool has_peer_given_up() const;
  bool has_peer_closed() const;

  ChannelSpec spec_;
  End mine_;
  SignalPool& signals_;
  End theirs_;
  std::uint64_t num_posted_ = 0;
  std::uint64_t num_received_ = 0;
  std::uint64_t num_consumed_by_peer_ = 0;  // as last seen
};

}  // namespace halyard::transport::mailbox
