// UcxChannel: see channel.hpp.
#include "transport/ucx/channel.hpp"

#include <algorithm>
#include <utility>

#include "transport/ucx/address.hpp"
#include "transport/ucx/worker.hpp"

namespace halyard::transport::ucx {
namespace {

SlabLayout layout_of(const ChannelSpec& spec) {
  return {static_cast<std::uint64_t>(spec.send_bytes), static_cast<std::uint64_t>(spec.receive_bytes)};
}

/// The peer is gone, as opposed to: something else went wrong.
bool means_lost_peer(ucs_status_t status) {
  return status == UCS_ERR_CONNECTION_RESET || status == UCS_ERR_ENDPOINT_TIMEOUT || status == UCS_ERR_UNREACHABLE ||
         status == UCS_ERR_REJECTED || status == UCS_ERR_NOT_CONNECTED || status == UCS_ERR_TIMED_OUT ||
         status == UCS_ERR_CANCELED;
}

}  // namespace

UcxChannel::UcxChannel(UcxWorker& worker, const ChannelSpec& spec)
    : worker_(worker), spec_(spec), link_(worker.make_link(layout_of(spec))) {}

UcxChannel::~UcxChannel() { worker_.retire(std::move(link_)); }

Blob UcxChannel::address() {
  link_->set_announced();
  std::size_t key_bytes = 0;
  const PackedKey key = worker_.registrar().pack_key(link_->slab().registration(), key_bytes);
  const ChannelAddress address{reinterpret_cast<std::uint64_t>(link_->slab().data()),
                               reinterpret_cast<std::uint64_t>(link_.get()),
                               link_->slab().layout().send_bytes,
                               link_->slab().layout().receive_bytes,
                               spec_.binding,
                               {static_cast<const std::byte*>(key.get()), key_bytes},
                               worker_.address()};
  return encode(address);
}

void UcxChannel::connect(std::span<const std::byte> peer_address) {
  const ChannelAddress peer = decode(peer_address);
  const SlabLayout layout{peer.send_bytes, peer.receive_bytes};
  const SlabLayout& own = link_->slab().layout();
  if (peer.binding != spec_.binding || layout.receive_bytes != own.send_bytes ||
      layout.send_bytes != own.receive_bytes) {
    throw Error(StatusCode::disagreement,
                "connect to rank " + std::to_string(spec_.peer) + " over UCX: it sends up to " +
                    std::to_string(layout.send_bytes) + " and receives up to " + std::to_string(layout.receive_bytes) +
                    " bytes in binding " + std::to_string(peer.binding) + ", expected were " +
                    std::to_string(own.receive_bytes) + " and " + std::to_string(own.send_bytes) + " in binding " +
                    std::to_string(spec_.binding));
  }
  endpoint_ = &worker_.endpoint_to(spec_.peer, peer.worker);
  RemoteKey key = worker_.unpack_key(*endpoint_, peer.slab_key);
  const bool can_put = can_put_into(endpoint_->lane(), key.get(), peer.slab);
  link_->connect(*endpoint_, {peer.slab, peer.link, layout, std::move(key), can_put});
}

// data path
bool UcxChannel::may_post() {
  if (failure() != StatusCode::ok || !link_->is_slot_free(num_posted_ + 1)) return false;
  if (num_posted_ - num_consumed_by_peer_ >= kNumSlots) learn_consumed();
  return num_posted_ - num_consumed_by_peer_ < kNumSlots;
}

std::byte* UcxChannel::send_buffer() { return payload_of(link_->slab().to_send(num_posted_ + 1)); }

// data path
void UcxChannel::post(std::int64_t bytes, std::uint64_t tag) {
  if (link_->failure() != UCS_OK) return;
  ++num_posted_;
  if (num_posted_ > kNumSlots) num_delivered_ = std::max(num_delivered_, num_posted_ - kNumSlots);
  link_->slab().to_send(num_posted_) = {num_posted_, tag, static_cast<std::uint64_t>(bytes), num_consumed_};
  num_consumed_told_ = num_consumed_;
  link_->send_message(num_posted_);
}

// data path
std::uint64_t UcxChannel::num_delivered() {
  while (num_delivered_ < num_posted_ && link_->is_slot_free(num_delivered_ + 1)) ++num_delivered_;
  return num_delivered_;
}

// data path
std::optional<Incoming> UcxChannel::receive() {
  const std::uint64_t sequence = num_consumed_ + 1;
  if (has_broken_header_ || !has_arrived(sequence)) return std::nullopt;
  Header& header = link_->slab().received(sequence);
  if (is_broken(header, sequence)) return std::nullopt;
  return Incoming{payload_of(header), header.tag};
}

// data path
void UcxChannel::release() {
  ++num_consumed_;
  num_consumed_by_peer_ = std::max(num_consumed_by_peer_, link_->slab().received(num_consumed_).consumed);
  if (link_->failure() != UCS_OK) return;
  // Where we post as well, our next message tells; where we do not, or the peer may have no credit left, a put does.
  const bool may_wait = num_posted_ != num_posted_at_release_ && num_consumed_ - num_consumed_told_ < kNumSlots;
  num_posted_at_release_ = num_posted_;
  if (may_wait) return;
  num_consumed_told_ = num_consumed_;
  link_->tell_consumed(num_consumed_);
}

bool UcxChannel::has_arrived(std::uint64_t sequence) const {
  return read_shared(link_->slab().control().arrived[sequence % kNumSlots]) == sequence;
}

/// Credits come as a word of their own and in the headers of arrived messages, received or not.
void UcxChannel::learn_consumed() {
  const Slab& slab = link_->slab();
  std::uint64_t known = std::max(num_consumed_by_peer_, read_shared(slab.control()[Word::consumed]));
  for (std::uint64_t sequence = num_consumed_ + 1; sequence <= num_consumed_ + kNumSlots; ++sequence) {
    if (!has_arrived(sequence)) break;
    known = std::max(known, slab.received(sequence).consumed);
  }
  num_consumed_by_peer_ = std::min(known, num_posted_);
}

bool UcxChannel::is_broken(const Header& header, std::uint64_t sequence) {
  if (header.sequence == sequence && header.bytes <= link_->slab().layout().receive_bytes) return false;
  broken_header_ = header;
  has_broken_header_ = true;
  return true;
}

StatusCode UcxChannel::failure() const {
  if (has_broken_header_) return StatusCode::transport_failed;
  const ucs_status_t status = link_->failure();
  if (status != UCS_OK) {
    if (has_arrived(num_consumed_ + 1)) return StatusCode::ok;
    const bool is_lost = means_lost_peer(status) || (endpoint_ != nullptr && endpoint_->failure() != UCS_OK);
    return is_lost ? StatusCode::peer_failed : StatusCode::transport_failed;
  }
  return read_shared(link_->slab().control()[Word::gave_up]) == 0 ? StatusCode::ok : StatusCode::peer_failed;
}

std::string UcxChannel::failure_text() const {
  const std::string peer = "rank " + std::to_string(spec_.peer);
  if (has_broken_header_) {
    return "message " + std::to_string(num_consumed_ + 1) + " of " + peer + " over UCX arrived as number " +
           std::to_string(broken_header_.sequence) + " with " + std::to_string(broken_header_.bytes) +
           " bytes: data and sequence word came out of order";
  }
  if (endpoint_ != nullptr && endpoint_->failure() != UCS_OK) return endpoint_->failure_text();
  const ucs_status_t status = link_->failure();
  if (status != UCS_OK) return "put to " + peer + " over UCX: " + ucs_status_string(status);
  const std::uint64_t culprit = read_shared(link_->slab().control()[Word::gave_up]);
  return culprit == 0 ? std::string() : peer + " gave up because of rank " + std::to_string(culprit - 1);
}

void UcxChannel::give_up(int culprit) {
  if (link_->is_connected() && link_->failure() == UCS_OK) link_->tell_gave_up(static_cast<std::uint64_t>(culprit) + 1);
}

std::string UcxChannel::form() const {
  if (endpoint_ == nullptr) return "put";
  const Lane& lane = endpoint_->lane();
  const std::string how = link_->can_put() ? "put" : "active messages";
  return lane.transport.empty() ? how : how + " over " + lane.transport;
}

}  // namespace halyard::transport::ucx
