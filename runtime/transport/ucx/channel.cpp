// UcxChannel: see channel.hpp.
#include "transport/ucx/channel.hpp"

#include <utility>

#include "transport/ucx/address.hpp"
#include "transport/ucx/worker.hpp"

namespace halyard::transport::ucx {

UcxChannel::UcxChannel(UcxWorker& worker, const ChannelSpec& spec)
    : UcxChannel(worker, spec, worker.make_link(layout_of(spec))) {}

UcxChannel::UcxChannel(UcxWorker& worker, const ChannelSpec& spec, std::unique_ptr<Link> link)
    : SlabChannel(spec, "UCX", *link), worker_(worker), link_(std::move(link)) {}

UcxChannel::~UcxChannel() { worker_.retire(std::move(link_)); }

Blob UcxChannel::address() {
  link_->set_announced();
  std::size_t key_bytes = 0;
  const PackedKey key = worker_.registrar().pack_key(link_->registered().registration(), key_bytes);
  const ChannelAddress address{reinterpret_cast<std::uint64_t>(link_->slab().base()),
                               reinterpret_cast<std::uint64_t>(link_.get()),
                               link_->slab().layout().send_bytes,
                               link_->slab().layout().receive_bytes,
                               spec().binding,
                               {static_cast<const std::byte*>(key.get()), key_bytes},
                               worker_.address()};
  return encode(address);
}

void UcxChannel::connect(std::span<const std::byte> peer_address) {
  const ChannelAddress peer = decode(peer_address);
  const slab::Layout layout{peer.send_bytes, peer.receive_bytes};
  check_peer(peer.binding, layout);
  endpoint_ = &worker_.endpoint_to(spec().peer, peer.worker);
  RemoteKey key = worker_.unpack_key(*endpoint_, peer.slab_key);
  const bool can_put = can_put_into(endpoint_->lane(), key.get(), peer.slab);
  link_->connect(*endpoint_, {peer.slab, peer.link, layout, std::move(key), can_put});
}

std::string UcxChannel::form() const {
  if (endpoint_ == nullptr) return "put";
  const Lane& lane = endpoint_->lane();
  const std::string how = link_->can_put() ? "put" : "active messages";
  return lane.transport.empty() ? how : how + " over " + lane.transport;
}

}  // namespace halyard::transport::ucx
