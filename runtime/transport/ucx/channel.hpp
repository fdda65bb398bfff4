// UcxChannel: a slab channel whose link puts through UCX, or sends active messages where UCX cannot put.
#pragma once

#include <memory>
#include <string>

#include "transport/slab/channel.hpp"
#include "transport/ucx/link.hpp"

namespace halyard::transport::ucx {

class UcxWorker;

class UcxChannel final : public SlabChannel {
 public:
  UcxChannel(UcxWorker& worker, const ChannelSpec& spec);
  ~UcxChannel() override;

  Blob address() override;
  void connect(std::span<const std::byte> peer_address) override;
  std::string form() const override;

 private:
  UcxChannel(UcxWorker& worker, const ChannelSpec& spec, std::unique_ptr<Link> link);

  UcxWorker& worker_;
  std::unique_ptr<Link> link_;
  const Endpoint* endpoint_ = nullptr;
};

}  // namespace halyard::transport::ucx
