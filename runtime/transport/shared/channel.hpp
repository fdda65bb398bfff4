// shared::Channel: a mailbox channel whose memory lies in the two ranks' segments.
#pragma once

#include <span>

#include "memory/arena.hpp"
#include "transport/mailbox/channel.hpp"
#include "transport/mailbox/signal_pool.hpp"

namespace halyard::transport::shared {

/// What a channel needs of its worker; valid for as long as the worker.
struct Memory {
  memory::Arena& arena;
  mailbox::SignalPool& signals;
};

class Channel final : public mailbox::Channel {
 public:
  /// `peer_segment` is where the peer's segment lies in this process.
  Channel(const ChannelSpec& spec, const Memory& memory, std::span<std::byte> peer_segment);
  ~Channel() override;

  Blob address() override;
  void connect(std::span<const std::byte> peer_address) override;
  /// Always: it may be destroyed at any moment, and the sooner it is, the sooner the peer knows.
  bool is_quiet() override { return true; }

 private:
  Memory memory_;
  std::span<std::byte> peer_segment_;
};

}  // namespace halyard::transport::shared
