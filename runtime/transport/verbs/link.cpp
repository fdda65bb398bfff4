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

Link::Link(int peer, slab::Layout layout, Rails& rails, std::shared_ptr<Completions> completions)
    : peer_(peer), completions_(std::move(completions)) {
  id_ = completions_->join(*this);
  for (std::size_t r = 0; r < rails.size(); ++r) {
    Lane lane;
    lane.rail = rails[r].get();
    memory::Cache& cache = lane.rail->cache();
    lane.lease = r == 0 ? cache.allocate(layout.total()) : cache.acquire(slab().base(), layout.total());
    if (r == 0) set_slab(slab::View(lane.lease.base(), layout));
    lane.local_key = lane.lease.as<Registration>().local_key();
    lane.queue_pair = std::make_unique<QueuePair>(*lane.rail, completions_->queue(r), id_);
    lanes_.push_back(std::move(lane));
  }
}

Link::~Link() { completions_->leave(id_); }

RemoteEnd Link::end() const {
  RemoteEnd end;
  end.slab = reinterpret_cast<std::uint64_t>(slab().base());
  end.layout = slab().layout();
  for (const Lane& lane : lanes_) {
    end.keys.push_back(lane.lease.as<Registration>().remote_key());
    end.queue_pairs.push_back(lane.queue_pair->address());
  }
  return end;
}

void Link::connect(RemoteEnd remote, const Settings& settings) {
  const std::size_t count = std::min(lanes_.size(), remote.queue_pairs.size());
  lanes_.resize(count);  // rails that the other end does not have
  for (std::size_t i = 0; i < count; ++i) lanes_[i].queue_pair->connect(remote.queue_pairs[i], peer_, settings);
  for (std::size_t i = 0; i < count; ++i) lanes_[i].remote_key = remote.keys[i];
  for (std::uint64_t slot = 0; slot < slab::kNumSlots; ++slot)
    remote_slots_[slot] = remote.slab + remote.layout.receive_slot(slot);
  remote_ = std::move(remote);
}

// data path
void Link::take_in() {
  completions_->take_in_for(id_);
  if (consumed_wanted_ != consumed_told_ || gave_up_wanted_) send_wanted_words();
}

// data path
bool Link::is_slot_free(std::uint64_t) const {
  for (const Lane& lane : lanes_)
    if (!lane.queue_pair->has_room()) return false;
  return true;
}

// data path
bool Link::can_send(std::uint64_t sequence) const { return state_ == State::good && is_slot_free(sequence); }

// data path
void Link::send_message(std::uint64_t sequence) {
  num_sent_ = sequence;
  const Header& header = slab().to_send(sequence);
  const ibv_sge whole{reinterpret_cast<std::uint64_t>(&header),
                      static_cast<std::uint32_t>(sizeof header + header.bytes), lanes_[0].local_key};
  const std::uint64_t to = remote_slots_[sequence % slab::kNumSlots];
  if (whole.length < kSplitBytes || lanes_.size() == 1)
    send_part(0, whole, to, number_of_message(sequence, 1));
  else
    send_parts(whole, to);
}

// data path
void Link::send_parts(const ibv_sge& whole, std::uint64_t to) {
  const auto num_parts = static_cast<std::uint32_t>(lanes_.size());
  const std::uint32_t most = (whole.length / num_parts + kLine - 1) / kLine * kLine;
  const std::uint64_t sequence = reinterpret_cast<const Header*>(whole.addr)->sequence;
  for (std::uint32_t i = 0; i < num_parts; ++i) {
    const std::uint32_t begin = i * most;
    const std::uint32_t bytes = i + 1 < num_parts ? most : whole.length - begin;
    send_part(i, {whole.addr + begin, bytes, lanes_[i].local_key}, to + begin, number_of_message(sequence, num_parts));
  }
}

// data path
void Link::send_part(std::size_t index, const ibv_sge& part, std::uint64_t to, std::uint32_t number) {
  Lane& lane = lanes_[index];
  const int error = lane.queue_pair->write(&part, {to, lane.remote_key}, number);
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
  const int error =
      lane.queue_pair->write(nullptr, {remote_.slab, lane.remote_key}, number_of_word(word, value), is_last);
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
  if (is_message(number)) return on_message(number);
  std::uint64_t& word = slab().control()[word_of(number)];
  if (word_of(number) == Word::consumed)
    slab::write_shared(word, continued(word, low_bits(number, kValueBits), kValueBits));
  else
    slab::write_shared(word, low_bits(number, kValueBits));
}

// data path
void Link::on_message(std::uint32_t number) {
  // At most two are under way, and over several rails the second may be whole before the first.
  const std::uint64_t known = num_arrived_ - std::min(num_arrived_, slab::kNumSlots);
  const std::uint64_t sequence = continued(known, low_bits(number, kSequenceBits), kSequenceBits);
  std::uint32_t& parts = parts_here_[sequence % slab::kNumSlots];
  if (++parts < parts_of(number)) return;
  parts = 0;
  ++num_whole_;
  num_arrived_ = std::max(num_arrived_, sequence);
  slab::write_shared(slab().control().arrived[sequence % slab::kNumSlots], sequence);
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

void Link::say_farewell() {
  if (!may_end_in_order()) return;
  completions_->take_in();
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
