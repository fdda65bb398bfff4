// See channel.hpp.
#include "transport/verbs/channel.hpp"

#include <utility>

#include "transport/verbs/address.hpp"
#include "transport/verbs/worker.hpp"

namespace halyard::transport::verbs {

VerbsChannel::VerbsChannel(VerbsWorker& worker, const ChannelSpec& spec)
    : VerbsChannel(worker, spec, worker.make_link(spec, layout_of(spec))) {}

VerbsChannel::VerbsChannel(VerbsWorker& worker, const ChannelSpec& spec, std::unique_ptr<Link> link)
    : SlabChannel(spec, "verbs", *link), worker_(worker), link_(std::move(link)) {}

VerbsChannel::~VerbsChannel() { worker_.retire(std::move(link_)); }

Blob VerbsChannel::address() { return encode(spec().binding, link_->end()); }

void VerbsChannel::connect(std::span<const std::byte> peer_address) {
  ChannelAddress peer = decode(peer_address);
  check_peer(peer.binding, peer.end.layout);
  link_->connect(std::move(peer.end), worker_.settings());
}

}  // namespace halyard::transport::verbs
