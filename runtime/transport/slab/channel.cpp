// See channel.hpp.
#include "transport/slab/channel.hpp"

#include <algorithm>

namespace halyard::transport {

using slab::Header;
using slab::kNumSlots;
using slab::Word;

void SlabChannel::check(const ChannelSpec& spec, const char* path) {
  if (!spec.sends_in_place && !spec.receives_in_place && spec.send_bytes >= 0 && spec.receive_bytes >= 0) return;
  throw Error(StatusCode::invalid_argument,
              std::string("open a channel over ") + path + " to rank " + std::to_string(spec.peer) +
                  ": messages are never in place (exported() says so) and sizes are 0 or more");
}

slab::Layout SlabChannel::layout_of(const ChannelSpec& spec) {
  return {static_cast<std::uint64_t>(spec.send_bytes), static_cast<std::uint64_t>(spec.receive_bytes)};
}

void SlabChannel::check_peer(std::uint64_t peer_binding, const slab::Layout& peer) const {
  const slab::Layout own = layout_of(spec_);
  if (peer_binding == spec_.binding && peer.receive_bytes == own.send_bytes && peer.send_bytes == own.receive_bytes)
    return;
  throw Error(StatusCode::disagreement,
              "connect to rank " + std::to_string(spec_.peer) + " over " + path_ + ": it sends up to " +
                  std::to_string(peer.send_bytes) + " and receives up to " + std::to_string(peer.receive_bytes) +
                  " bytes in binding " + std::to_string(peer_binding) + ", expected were " +
                  std::to_string(own.receive_bytes) + " and " + std::to_string(own.send_bytes) + " in binding " +
                  std::to_string(spec_.binding));
}

// data path
bool SlabChannel::may_post() {
  if (!slab_link_.can_send(num_posted_ + 1) && !may_send_now()) return false;
  if (has_broken_header_ || peer_gave_up() != 0) return false;
  if (num_posted_ - num_consumed_by_peer_ >= kNumSlots) learn_consumed();
  return num_posted_ - num_consumed_by_peer_ < kNumSlots;
}

// An end that only sends looks at its completions here. data path
bool SlabChannel::may_send_now() {
  slab_link_.take_in();
  return slab_link_.can_send(num_posted_ + 1);
}

std::byte* SlabChannel::send_buffer() {
  return spec_.on_gpu ? nullptr : slab::payload_of(slab_link_.slab().to_send(num_posted_ + 1));
}

// data path
void SlabChannel::begin_message(std::int64_t bytes, std::uint64_t tag) {
  ++num_posted_;
  if (num_posted_ > kNumSlots) num_delivered_ = std::max(num_delivered_, num_posted_ - kNumSlots);
  slab_link_.slab().to_send(num_posted_) = {num_posted_, tag, static_cast<std::uint64_t>(bytes), num_consumed_};
  num_consumed_told_ = num_consumed_;
}

// data path
void SlabChannel::post(std::int64_t bytes, std::uint64_t tag) {
  begin_message(bytes, tag);
  slab_link_.send_message(num_posted_);
}

// data path
void SlabChannel::post_unpacked(std::size_t number, std::int64_t bytes, std::uint64_t tag) {
  begin_message(bytes, tag);
  slab_link_.send_unpacked(num_posted_, number);
}

// data path
std::uint64_t SlabChannel::num_delivered() {
  while (num_delivered_ < num_posted_) {
    if (!slab_link_.is_slot_free(num_delivered_ + 1) && !is_slot_free_now()) break;
    ++num_delivered_;
  }
  return num_delivered_;
}

// data path
bool SlabChannel::is_slot_free_now() {
  slab_link_.take_in();
  return slab_link_.is_slot_free(num_delivered_ + 1);
}

// data path
std::optional<Incoming> SlabChannel::receive() {
  const std::uint64_t sequence = num_consumed_ + 1;
  if (!has_arrived(sequence)) {
    slab_link_.take_in();
    if (!has_arrived(sequence)) return std::nullopt;
  }
  if (has_broken_header_) return std::nullopt;
  Header& header = slab_link_.slab().received(sequence);
  if (is_broken(header, sequence)) return std::nullopt;
  return Incoming{spec_.on_gpu ? nullptr : slab::payload_of(header), header.tag};
}

// data path
void SlabChannel::release() {
  ++num_consumed_;
  num_consumed_by_peer_ = std::max(num_consumed_by_peer_, slab_link_.slab().received(num_consumed_).consumed);
  // Where we post as well, our next message tells; where we do not, or the peer may have no credit left, a word does.
  // On a GPU our next message may itself wait, in its stream, for a message that the peer sends with this credit.
  const bool may_wait =
      !spec_.on_gpu && num_posted_ != num_posted_at_release_ && num_consumed_ - num_consumed_told_ < kNumSlots;
  num_posted_at_release_ = num_posted_;
  if (may_wait || slab_link_.state() != SlabLink::State::good) return;
  num_consumed_told_ = num_consumed_;
  slab_link_.tell_consumed(num_consumed_);
}

std::uint64_t SlabChannel::peer_gave_up() const {
  return slab::read_shared(slab_link_.slab().control()[Word::gave_up]);
}

// In this order: what came before the farewell is seen once the farewell is.
bool SlabChannel::has_peer_left() const {
  return slab_link_.has_peer_closed() && !has_arrived(num_consumed_ + 1) && slab_link_.is_slot_free(num_posted_) &&
         slab_link_.is_slot_free(num_posted_ + 1);
}

bool SlabChannel::has_arrived(std::uint64_t sequence) const {
  return slab::read_shared(slab_link_.slab().control().arrived[sequence % kNumSlots]) == sequence;
}

/// Credits come as a word of their own and in the headers of arrived messages, received or not.
void SlabChannel::learn_consumed() {
  slab_link_.take_in();
  const slab::View& slab = slab_link_.slab();
  std::uint64_t known = std::max(num_consumed_by_peer_, slab::read_shared(slab.control()[Word::consumed]));
  for (std::uint64_t sequence = num_consumed_ + 1; sequence <= num_consumed_ + kNumSlots; ++sequence) {
    if (!has_arrived(sequence)) break;
    known = std::max(known, slab.received(sequence).consumed);
  }
  num_consumed_by_peer_ = std::min(known, num_posted_);
}

bool SlabChannel::is_broken(const Header& header, std::uint64_t sequence) {
  if (header.sequence == sequence && header.bytes <= static_cast<std::uint64_t>(spec_.receive_bytes)) return false;
  broken_header_ = header;
  has_broken_header_ = true;
  return true;
}

StatusCode SlabChannel::failure() const {
  if (has_broken_header_) return StatusCode::transport_failed;
  const SlabLink::State state = slab_link_.state();
  if (state != SlabLink::State::good) {
    if (has_arrived(num_consumed_ + 1)) return StatusCode::ok;
    return state == SlabLink::State::peer_lost ? StatusCode::peer_failed : StatusCode::transport_failed;
  }
  return peer_gave_up() == 0 && !has_peer_left() ? StatusCode::ok : StatusCode::peer_failed;
}

std::string SlabChannel::failure_text() const {
  const std::string peer = "rank " + std::to_string(spec_.peer);
  if (has_broken_header_) {
    return "message " + std::to_string(num_consumed_ + 1) + " of " + peer + " over " + path_ + " arrived as number " +
           std::to_string(broken_header_.sequence) + " with " + std::to_string(broken_header_.bytes) +
           " bytes: data and sequence word came out of order";
  }
  if (slab_link_.state() != SlabLink::State::good) return slab_link_.state_text();
  const std::uint64_t culprit = peer_gave_up();
  if (culprit != 0) return peer + " gave up because of rank " + std::to_string(culprit - 1);
  if (!has_peer_left()) return {};
  return peer +
         " has destroyed its binding, and this rank's exchange still needs it; all ranks must start the same exchanges "
         "on a binding before they destroy it";
}

void SlabChannel::give_up(int culprit) {
  if (slab_link_.is_connected() && slab_link_.state() == SlabLink::State::good)
    slab_link_.tell_gave_up(static_cast<std::uint64_t>(culprit) + 1);
}

}  // namespace halyard::transport
