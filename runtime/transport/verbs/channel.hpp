// VerbsChannel: a slab channel whose link writes through verbs.
#pragma once

#include <memory>
#include <string>

#include "transport/slab/channel.hpp"
#include "transport/verbs/link.hpp"

namespace halyard::transport::verbs {

class VerbsWorker;

class VerbsChannel final : public SlabChannel {
 public:
  VerbsChannel(VerbsWorker& worker, const ChannelSpec& spec);
  ~VerbsChannel() override;

  Blob address() override;
  void connect(std::span<const std::byte> peer_address) override;
  std::string why_packed(std::size_t number) const override { return link_->why_packed(number); }
  bool sleep(std::chrono::microseconds most) override { return link_->sleep(most); }
  std::string form() const override { return link_->form(); }

 private:
  VerbsChannel(VerbsWorker& worker, const ChannelSpec& spec, std::unique_ptr<Link> link);

  VerbsWorker& worker_;
  std::unique_ptr<Link> link_;
};

}  // namespace halyard::transport::verbs
