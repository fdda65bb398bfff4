// mailbox::Channel: the protocol of ../protocol.md over memory that both ends can address. What loopback (one process)
// and shared (one node) have in common: they differ only in where the memory comes from and how the peer finds it.
#pragma once

#include "transport/channel.hpp"
#include "transport/mailbox/signal.hpp"

namespace halyard::transport::mailbox {

/// The memory of one end: a Signal and, for messages that are not in place, kNumSlots landing buffers.
struct End {
  Signal* signal = nullptr;
  std::byte* landing = nullptr;
};

/// Bytes of the landing buffers for messages of at most `bytes`.
std::size_t landing_bytes(std::int64_t bytes);

class Channel : public transport::Channel {
 public:
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
  /// `mine` is where the peer writes.
  Channel(const ChannelSpec& spec, const End& mine) : spec_(spec), mine_(mine) {}
  /// `theirs` is where this end writes.
  void attach(const End& theirs) { theirs_ = theirs; }

  const ChannelSpec& spec() const { return spec_; }
  const End& mine() const { return mine_; }

 private:
  ChannelSpec spec_;
  End mine_;
  End theirs_;
  std::uint64_t num_posted_ = 0;
  std::uint64_t num_received_ = 0;
  std::uint64_t num_consumed_by_peer_ = 0;  // as last seen
  bool has_given_up_ = false;
};

}  // namespace halyard::transport::mailbox
