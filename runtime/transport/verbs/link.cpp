// See link.hpp.
#include "transport/verbs/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "halyard/status.hpp"

namespace halyard::transport::verbs {
namespace {

using slab::Header;
using slab::Word;

// Below this a message stays on one rail: half a message on each would save less than a second request costs.
constexpr std::uint64_t kSplitBytes = 64 * 1024;
constexpr auto kLine = static_cast<std::uint32_t>(slab::kLine);

std::uint32_t length_of_part(std::uint32_t bytes, std::uint32_t num_parts) {
  return (bytes / num_parts + kLine - 1) / kLine * kLine;
}

/// The payloads of messages on a GPU are not in the slab.
slab::Layout slab_layout(slab::Layout messages, bool is_on_gpu) { return is_on_gpu ? slab::Layout{} : messages; }

bool means_lost_peer(ibv_wc_status status) {
  return status == IBV_WC_RETRY_EXC_ERR || status == IBV_WC_RNR_RETRY_EXC_ERR || status == IBV_WC_REM_ABORT_ERR;
}

const char* remedy(ibv_wc_status status) {
  if (means_lost_peer(status))
    return "the peer's process or its link is gone, or HALYARD_VERBS_TIMEOUT and HALYARD_VERBS_RETRY are too small for "
           "this network; look at 'rdma link' on both nodes";
  if (status == IBV_WC_LOC_QP_OP_ERR) return "the own port went down; look at 'rdma link'";
  return "look at the kernel's log and 'rdma statistic' on both nodes";
}

}  // namespace

Link::Link(int peer, slab::Layout layout, Rails& rails, std::shared_ptr<Completions> completions,
           const std::optional<GpuSlots>& on_gpu, std::span<const Parts> unpacked)
    : peer_(peer), completions_(std::move(completions)), messages_(layout), on_gpu_(on_gpu) {
  id_ = completions_->join(*this);
  for (std::size_t r = 0; r < rails.size(); ++r) add_lane(*rails[r], r);
  register_fields(unpacked, rails);  // behind what cannot be done without
  for (std::size_t r = 0; r < rails.size(); ++r)
    lanes_[r].queue_pair = std::make_unique<QueuePair>(*rails[r], completions_->queue(r), id_, most_pieces());
}

// A field that cannot be registered is packed, as if it were in many pieces.
void Link::register_fields(std::span<const Parts> unpacked, const Rails& rails) {
  for (const Parts& parts : unpacked) {
    Unpacked message;
    try {
      message.gather = std::make_unique<Gather>(parts, rails);
    } catch (const Error& error) {
      message.why_packed = "packed: " + error.status().text();
    }
    unpacked_.push_back(std::move(message));
  }
}

std::uint32_t Link::most_pieces() const {
  std::size_t most = 1;
  for (const Unpacked& message : unpacked_)
    if (message.gather != nullptr) most = std::max(most, message.gather->num_pieces());
  return static_cast<std::uint32_t>(most);
}

void Link::add_lane(Rail& rail, std::size_t number) {
  Lane lane;
  lane.rail = &rail;
  memory::Cache& cache = rail.cache();
  const slab::Layout layout = slab_layout(messages_, on_gpu_.has_value());
  lane.lease = number == 0 ? cache.allocate(layout.total()) : cache.acquire(slab().base(), layout.total());
  if (number == 0) set_slab(slab::View(lane.lease.base(), layout));
  lane.local_key = lane.local_payload_key = lane.lease.as<Registration>().local_key();
  if (on_gpu_) {
    lane.gpu_send = cache.acquire(on_gpu_->send, 1);  // registers the whole allocation
    lane.gpu_receive = cache.acquire(on_gpu_->receive, 1);
    lane.local_payload_key = lane.gpu_send.as<Registration>().local_key();
  }
  lanes_.push_back(std::move(lane));
}

Link::~Link() { completions_->leave(id_); }

RemoteEnd Link::end() const {
  RemoteEnd end;
  end.slab = reinterpret_cast<std::uint64_t>(slab().base());
  end.layout = messages_;
  if (on_gpu_) end.gpu_slots = reinterpret_cast<std::uint64_t>(on_gpu_->receive), end.gpu_stride = on_gpu_->stride;
  for (const Lane& lane : lanes_) {
    end.keys.push_back(lane.lease.as<Registration>().remote_key());
    end.gpu_keys.push_back(on_gpu_ ? lane.gpu_receive.as<Registration>().remote_key() : end.keys.back());
    end.queue_pairs.push_back(lane.queue_pair->address());
  }
  return end;
}

void Link::connect(RemoteEnd remote, const Settings& settings) {
  const std::size_t count = std::min(lanes_.size(), remote.queue_pairs.size());
  lanes_.resize(count);  // rails that the other end does not have
  for (std::size_t i = 0; i < count; ++i) {
    lanes_[i].queue_pair->connect(remote.queue_pairs[i], peer_, settings);
    lanes_[i].remote_key = remote.keys[i];
    lanes_[i].remote_payload_key = remote.gpu_keys[i];
  }
  remote_ = std::move(remote);
  if (count == 1 && most_pieces() == 1) only_queue_pair_ = lanes_[0].queue_pair.get();
  find_payloads();
  find_bare_messages();
  lay_out_gathers();
}

// Both ends come to the same answer. Over several rails a small message may overtake a large one, whose tag is then not
// known yet.
void Link::find_bare_messages() {
  if (is_apart_ || lanes_.size() > 1) return;
  const std::uint64_t packet = lanes_[0].queue_pair->packet_bytes();
  may_send_bare_ = costs_a_packet(sizeof(Header), messages_.send_bytes, packet);
  may_receive_bare_ = costs_a_packet(sizeof(Header), messages_.receive_bytes, packet);
}

void Link::lay_out_gathers() {
  Gather::Slab own{reinterpret_cast<std::uint64_t>(slab().base()), {}};
  for (const Lane& lane : lanes_) own.keys.push_back(lane.local_key);
  for (const Unpacked& message : unpacked_) {
    if (message.gather == nullptr) continue;
    const std::uint32_t bytes = message.gather->bytes();
    const auto num_parts = static_cast<std::uint32_t>(bytes < kSplitBytes ? 1 : lanes_.size());
    message.gather->lay_out(own, num_parts == 1 ? bytes : length_of_part(bytes, num_parts));
  }
}

void Link::find_payloads() {
  const bool is_there_on_gpu = remote_.gpu_slots != 0;
  const slab::Layout there = slab_layout(remote_.layout, is_there_on_gpu);
  is_apart_ = on_gpu_ || is_there_on_gpu;
  for (std::uint64_t slot = 0; slot < slab::kNumSlots; ++slot) {
    const std::byte* own = on_gpu_ ? on_gpu_->send + slot * on_gpu_->stride : slab::payload_of(slab().to_send(slot));
    own_payloads_[slot] = reinterpret_cast<std::uint64_t>(own);
    remote_slots_[slot] = remote_.slab + there.receive_slot(slot);
    remote_payloads_[slot] =
        is_there_on_gpu ? remote_.gpu_slots + slot * remote_.gpu_stride : remote_slots_[slot] + sizeof(Header);
  }
}

// data path
void Link::take_in() {
  completions_->take_in_for(id_);
  if (consumed_wanted_ != consumed_told_ || gave_up_wanted_) send_wanted_words();
}

// data path
bool Link::is_slot_free(std::uint64_t sequence) const {
  if (only_queue_pair_ != nullptr) return only_queue_pair_->has_room();
  for (const Lane& lane : lanes_)
    if (!lane.queue_pair->has_room() || !lane.queue_pair->has_read(lane.gathered[sequence % slab::kNumSlots]))
      return false;
  return true;
}

// data path
bool Link::can_send(std::uint64_t sequence) const { return state_ == State::good && is_slot_free(sequence); }

// data path
void Link::send_message(std::uint64_t sequence) {
  num_sent_ = sequence;
  const Header& header = slab().to_send(sequence);
  if (is_apart_) return send_apart(header);
  if (may_send_bare_ && is_expected(header)) return send_bare(header);
  Lane& lane = lanes_.front();
  const ibv_sge whole{reinterpret_cast<std::uint64_t>(&header),
                      static_cast<std::uint32_t>(sizeof header + header.bytes), lane.local_key};
  const std::uint64_t to = remote_slots_[sequence % slab::kNumSlots];
  if (whole.length >= kSplitBytes && lanes_.size() > 1) return send_parts(whole, to);
  const int error = lane.queue_pair->write(whole, {to, lane.remote_key}, number_of_message(sequence, 1));
  if (error != 0) note_error(lane, "post a write", error);
}

// data path
void Link::send_unpacked(std::uint64_t sequence, std::size_t number) {
  num_sent_ = sequence;
  const Header& header = slab().to_send(sequence);
  const std::uint64_t slot = sequence % slab::kNumSlots;
  const std::span<GatherWrite> writes = unpacked_[number].gather->writes();
  if (may_send_bare_ && is_expected(header)) {
    const std::span<const ibv_sge> payload = std::span(writes[0].pieces).subspan(1);
    return send_gathered(0, payload, {remote_payloads_[slot], lanes_[0].remote_key},
                         number_of_bare(sequence, header.consumed));
  }
  writes[0].pieces[0].addr = reinterpret_cast<std::uint64_t>(&header);
  for (std::size_t i = 0; i < writes.size(); ++i)
    send_gathered(i, writes[i].pieces, {remote_slots_[slot] + writes[i].begin, lanes_[i].remote_key},
                  number_of_message(sequence, static_cast<std::uint32_t>(writes.size())));
}

// data path
void Link::send_gathered(std::size_t index, std::span<const ibv_sge> pieces, const RemotePlace& to,
                         std::uint32_t number) {
  Lane& lane = lanes_[index];
  const int error = lane.queue_pair->write_pieces(pieces, to, number);
  lane.gathered[num_sent_ % slab::kNumSlots] = lane.queue_pair->num_posted();
  if (error != 0) note_error(lane, "post a write", error);
}

// data path
bool Link::is_expected(const Header& header) {
  const bool is_so = header.bytes == messages_.send_bytes && header.tag == sent_tags_.expected();
  sent_tags_.saw(header.tag);
  return is_so;
}

// data path
void Link::send_bare(const Header& header) {
  Lane& lane = lanes_.front();
  const std::uint64_t slot = header.sequence % slab::kNumSlots;
  const ibv_sge payload{own_payloads_[slot], static_cast<std::uint32_t>(header.bytes), lane.local_key};
  const int error = lane.queue_pair->write(payload, {remote_payloads_[slot], lane.remote_key},
                                           number_of_bare(header.sequence, header.consumed));
  if (error != 0) note_error(lane, "post a write", error);
}

// data path
void Link::send_parts(const ibv_sge& whole, std::uint64_t to) {
  const auto num_parts = static_cast<std::uint32_t>(lanes_.size());
  const std::uint32_t most = length_of_part(whole.length, num_parts);
  const std::uint32_t number = number_of_message(num_sent_, num_parts);
  for (std::uint32_t i = 0; i < num_parts; ++i) {
    const std::uint32_t begin = i * most;
    const std::uint32_t bytes = i + 1 < num_parts ? most : whole.length - begin;
    send_part(i, {whole.addr + begin, bytes, lanes_[i].local_key}, {to + begin, lanes_[i].remote_key}, number);
  }
}

// data path
void Link::send_apart(const Header& header) {
  const std::uint64_t slot = header.sequence % slab::kNumSlots;
  const auto length = static_cast<std::uint32_t>(header.bytes);
  const auto num_rails = static_cast<std::uint32_t>(length < kSplitBytes ? 1 : lanes_.size());
  const std::uint32_t num_parts = length == 0 ? 0 : num_rails;
  const std::uint32_t most = length_of_part(length, num_rails);
  const std::uint32_t number = number_of_message(header.sequence, num_parts + 1);
  for (std::uint32_t i = 0; i < num_parts; ++i) {
    const std::uint32_t begin = i * most;
    const std::uint32_t bytes = i + 1 < num_parts ? most : length - begin;
    send_part(i, {own_payloads_[slot] + begin, bytes, lanes_[i].local_payload_key},
              {remote_payloads_[slot] + begin, lanes_[i].remote_payload_key}, number,
              on_gpu_ ? Source::gpu : Source::host);
  }
  send_part(0, {reinterpret_cast<std::uint64_t>(&header), sizeof header, lanes_[0].local_key},
            {remote_slots_[slot], lanes_[0].remote_key}, number);
}

// data path
void Link::send_part(std::size_t index, const ibv_sge& part, const RemotePlace& to, std::uint32_t number,
                     Source source) {
  Lane& lane = lanes_[index];
  const int error = lane.queue_pair->write(part, to, number, source);
  if (error != 0) note_error(lane, "post a write", error);
}

// data path
void Link::tell_consumed(std::uint64_t consumed) {
  consumed_wanted_ = consumed;
  send_wanted_words();
}

void Link::tell_gave_up(std::uint64_t value) {
  gave_up_wanted_ = value;
  send_wanted_words();
}

// data path
void Link::send_wanted_words() {
  if (state_ != State::good || !lanes_[0].queue_pair->has_room()) return;
  if (consumed_wanted_ != consumed_told_) {
    consumed_told_ = consumed_wanted_;
    send_word(Word::consumed, consumed_told_);
  }
  if (!gave_up_wanted_ || !lanes_[0].queue_pair->has_room()) return;
  send_word(Word::gave_up, *gave_up_wanted_);
  gave_up_wanted_.reset();
}

// data path
void Link::send_word(Word word, std::uint64_t value, bool is_last) {
  Lane& lane = lanes_[0];
  const int error = lane.queue_pair->write_word({remote_.slab, lane.remote_key}, number_of_word(word, value), is_last);
  if (error != 0) note_error(lane, "post a word", error);
}

// ---- completions ---------------------------------------------------------------------------------------------------

// data path
void Link::on_sent(std::size_t rail, std::uint64_t posted) {
  if (rail < lanes_.size()) lanes_[rail].queue_pair->on_sent(posted);
}

// data path
void Link::on_received(std::size_t rail, std::uint32_t number) {
  if (const int error = lanes_[rail].queue_pair->on_received(); error != 0)
    note_error(lanes_[rail], "post receives", error);
  if (!is_message(number)) return on_word(number);
  if (may_receive_bare_) return on_bare_or_not(number);
  // At most two are under way, and over several rails the second may be whole before the first.
  const std::uint64_t known = num_arrived_ - std::min(num_arrived_, slab::kNumSlots);
  const std::uint64_t sequence = continued(known, low_bits(number, kSequenceBits), kSequenceBits);
  std::uint32_t& parts = parts_here_[sequence % slab::kNumSlots];
  if (++parts < parts_of(number)) return;
  parts = 0;
  on_whole(sequence);
}

// data path
void Link::on_word(std::uint32_t number) {
  std::uint64_t& word = slab().control()[word_of(number)];
  if (word_of(number) == Word::consumed)
    slab::write_shared(word, continued(word, low_bits(number, kValueBits), kValueBits));
  else
    slab::write_shared(word, low_bits(number, kValueBits));
}

// One rail and no parts, so messages come in order. Where the header was not sent it is written here: of our messages
// the peer has consumed at least what it last said, in a message or by a word, and hardly more, for without a word from
// it we could have posted but two since. data path
void Link::on_bare_or_not(std::uint32_t number) {
  const std::uint64_t sequence = num_arrived_ + 1;
  Header& header = slab().received(sequence);
  if (is_bare(number)) {
    const std::uint64_t known = std::max(consumed_heard_, slab().control()[Word::consumed]);
    header = {continued(sequence, low_bits(number, kBareBits), kBareBits), received_tags_.expected(),
              messages_.receive_bytes, continued(known, low_bits(number >> kBareBits, kBareBits), kBareBits)};
  }
  received_tags_.saw(header.tag);
  consumed_heard_ = header.consumed;
  on_whole(sequence);
}

void Link::on_failed(std::size_t rail, const ibv_wc& completion) {
  // The first one tells what happened; what was behind it comes back as flushed.
  if (state_ != State::good || completion.status == IBV_WC_WR_FLUSH_ERR) {
    if (state_ == State::good) {
      state_ = State::broken;
      trouble_ = fmt::format("the connection to rank {} over verbs on {} was cut: {}", peer_, lanes_[rail].rail->name(),
                             remedy(completion.status));
    }
    return;
  }
  state_ = means_lost_peer(completion.status) ? State::peer_lost : State::broken;
  trouble_ =
      fmt::format("write to rank {} over verbs on {}: {} (vendor error {:#x}); {}", peer_, lanes_[rail].rail->name(),
                  ibv_wc_status_str(completion.status), completion.vendor_err, remedy(completion.status));
}

void Link::note_error(const Lane& lane, const char* what, int error) {
  if (state_ != State::good) return;
  state_ = State::broken;
  trouble_ = fmt::format("{} to rank {} over verbs on {}: {}", what, peer_, lane.rail->name(), std::strerror(error));
}

std::string Link::state_text() const {
  std::string text = trouble_;
  for (const Lane& lane : lanes_)
    if (const std::string device = lane.rail->trouble(); !device.empty()) text += "; " + device;
  return text;
}

// ---- the end -------------------------------------------------------------------------------------------------------

/// What nobody reads any more need not stay registered until the peer says farewell.
void Link::let_fields_go() {
  for (const Lane& lane : lanes_)
    for (const std::uint64_t posted : lane.gathered)
      if (!lane.queue_pair->has_read(posted)) return;
  unpacked_.clear();
}

void Link::say_farewell() {
  if (!may_end_in_order()) return;
  completions_->take_in();
  let_fields_go();
  send_wanted_words();
  if (is_farewell_sent_ || !may_end_in_order() || !lanes_[0].queue_pair->has_room()) return;
  send_word(Word::closed, farewell_after(num_sent_), true);
  is_farewell_sent_ = true;
}

// Over several rails a part may be behind the farewell.
// data path
bool Link::has_peer_closed() const {
  return slab::read_shared(slab().control()[Word::closed]) == farewell_after(num_whole_);
}

bool Link::is_over() const {
  if (!may_end_in_order()) return true;
  const bool is_acknowledged = is_farewell_sent_ && lanes_[0].queue_pair->is_idle();
  return is_acknowledged && slab::read_shared(slab().control()[Word::closed]) != 0;
}

std::string Link::form() const {
  std::string names;
  for (const Lane& lane : lanes_) names += (names.empty() ? "" : "+") + lane.rail->name();
  return "write over " + names;
}

}  // namespace halyard::transport::verbs
