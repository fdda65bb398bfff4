// The shared worker: this rank's segment with its arena, and the peers' segments mapped beside it.
#pragma once

#include <map>
#include <span>

#include "transport/mailbox/signal_pool.hpp"
#include "transport/shared/factory.hpp"
#include "transport/shared/segment.hpp"

namespace halyard::transport::shared {

class NodeWorker final : public SharedWorker {
 public:
  /// `peers` by rank on the context's communicator.
  NodeWorker(Segment own, std::map<int, Segment> peers);

  Path path() const override { return Path::shared; }
  std::unique_ptr<transport::Channel> open(const ChannelSpec& spec) override;
  std::optional<std::uint64_t> exported(const void* data, std::size_t bytes) const override;
  std::byte* map(int peer, std::uint64_t token) const override;
  std::optional<std::string> loss_of(int peer) const override;
  memory::Arena& arena() override { return arena_; }

  void unlink() { own_.unlink(); }

 private:
  std::span<std::byte> arena_of(const Segment& segment) const;

  Segment own_;
  std::map<int, Segment> peers_;
  memory::Arena arena_;
  mailbox::SignalPool signals_;
};

}  // namespace halyard::transport::shared
