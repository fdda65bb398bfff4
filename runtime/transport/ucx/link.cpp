// Link: see link.hpp.
#include "transport/ucx/link.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace halyard::transport::ucx {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

void free_request(void* request) {
  if (request != nullptr) ucp_request_free(request);
}

ucp_request_param_t completing(ucp_send_nbx_callback_t done, void* subject) {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.send = done;
  param.user_data = subject;
  return param;
}

/// UCX calls back only for what did not end at once.
void complete_now(ucs_status_ptr_t request, ucp_send_nbx_callback_t done, void* subject) {
  if (!UCS_PTR_IS_PTR(request)) done(nullptr, UCS_PTR_STATUS(request), subject);
}

/// The peer is gone, as opposed to: something else went wrong.
bool means_lost_peer(ucs_status_t status) {
  return status == UCS_ERR_CONNECTION_RESET || status == UCS_ERR_ENDPOINT_TIMEOUT || status == UCS_ERR_UNREACHABLE ||
         status == UCS_ERR_REJECTED || status == UCS_ERR_NOT_CONNECTED || status == UCS_ERR_TIMED_OUT ||
         status == UCS_ERR_CANCELED;
}

}  // namespace

Link::Link(ucp_worker_h worker, Ordering ordering, Slab slab)
    : worker_(worker), ordering_(ordering), slab_(std::move(slab)) {
  set_slab(slab_.view());
  for (Slot& slot : slots_) slot.link = this;
}

void Link::connect(const Endpoint& endpoint, RemoteSlab remote) {
  remote_ = std::move(remote);
  endpoint_ = &endpoint;
}

// data path
void Link::send_message(std::uint64_t sequence) {
  Slot& slot = slots_[sequence % kNumSlots];
  slot.sequence = sequence;
  if (remote_.can_put) {
    put_message(slot);
    return;
  }
  slot.in_flight.store(1, std::memory_order_relaxed);
  slot.envelope = {remote_.link, sequence, 1, Word::consumed};
  send(slot.envelope, sizeof(Header) + slab().to_send(sequence).bytes, &Link::on_slot_done, &slot);
}

// data path
void Link::put_message(Slot& slot) {
  const Header& header = slab().to_send(slot.sequence);
  slot.in_flight.store(2, std::memory_order_relaxed);  // the message and its sequence word
  put(&header, sizeof header + header.bytes, remote_.layout.receive_slot(slot.sequence), &Link::on_slot_done, &slot);
  if (ordering_ == Ordering::fence) {
    note(ucp_worker_fence(worker_));
    put_sequence(slot);
  } else {
    flush(&Link::on_slot_flushed, &slot);
  }
}

// data path
void Link::put_sequence(Slot& slot) {
  const std::uint64_t index = slot.sequence % kNumSlots;
  std::uint64_t& source = slab().control().arrived_sources[index];
  source = slot.sequence;
  put(&source, kWord, offsetof(Control, arrived) + index * kWord, &Link::on_slot_done, &slot);
}

// data path
bool Link::can_send(std::uint64_t sequence) const { return failure() == UCS_OK && is_slot_free(sequence); }

bool Link::is_slot_free(std::uint64_t sequence) const {
  return slots_[sequence % kNumSlots].in_flight.load(std::memory_order_acquire) == 0;
}

// data path
void Link::tell_consumed(std::uint64_t consumed) {
  consumed_wanted_.store(consumed);
  if (!is_consumed_in_flight_.exchange(true)) issue_consumed();
}

void Link::issue_consumed() {
  const std::uint64_t consumed = consumed_wanted_.load();
  consumed_told_.store(consumed);
  send_word(Word::consumed, consumed, &Link::on_consumed_done);
}

void Link::tell_gave_up(std::uint64_t value) { send_word(Word::gave_up, value, &Link::on_gave_up_done); }

void Link::send_word(Word word, std::uint64_t value, ucp_send_nbx_callback_t done) {
  const auto index = static_cast<std::size_t>(word);
  if (!remote_.can_put) {
    word_envelopes_[index] = {remote_.link, value, 0, word};
    send(word_envelopes_[index], 0, done, this);
    return;
  }
  std::uint64_t& source = slab().control().word_sources[index];
  source = value;
  put(&source, kWord, offsetof(Control, words) + index * kWord, done, this);
}

ucs_status_t Link::failure() const {
  const ucs_status_t status = failure_.load(std::memory_order_acquire);
  if (status != UCS_OK || endpoint_ == nullptr) return status;
  return endpoint_->failure();
}

// data path
SlabLink::State Link::state() const {
  const ucs_status_t status = failure();
  if (status == UCS_OK) return State::good;
  const bool is_lost = means_lost_peer(status) || (endpoint_ != nullptr && endpoint_->failure() != UCS_OK);
  return is_lost ? State::peer_lost : State::broken;
}

std::string Link::state_text() const {
  if (endpoint_ == nullptr) return {};
  if (endpoint_->failure() != UCS_OK) return endpoint_->failure_text();
  return "put to rank " + std::to_string(endpoint_->peer()) + " over UCX: " + ucs_status_string(failure());
}

// ---- operations ----------------------------------------------------------------------------------------------------

void Link::put(const void* source, std::size_t bytes, std::uint64_t offset, ucp_send_nbx_callback_t done,
               void* subject) {
  ucp_request_param_t param = completing(done, subject);
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_MEMH | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.memh = slab_.handle();
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  num_open_operations_.fetch_add(1);
  complete_now(ucp_put_nbx(endpoint_->get(), source, bytes, remote_.base + offset, remote_.key.get(), &param), done,
               subject);
}

/// Sends an envelope and, for a message, `bytes` of its slot. Eager, so that nothing waits for an answer of the peer.
void Link::send(const Envelope& envelope, std::size_t bytes, ucp_send_nbx_callback_t done, void* subject) {
  ucp_request_param_t param = completing(done, subject);
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  const void* data = bytes == 0 ? nullptr : &slab().to_send(envelope.value);
  num_open_operations_.fetch_add(1);
  num_active_sent_.fetch_add(1);
  complete_now(ucp_am_send_nbx(endpoint_->get(), kActiveMessageId, &envelope, sizeof envelope, data, bytes, &param),
               done, subject);
}

void Link::flush(ucp_send_nbx_callback_t done, void* subject) {
  const ucp_request_param_t param = completing(done, subject);
  num_open_operations_.fetch_add(1);
  complete_now(ucp_ep_flush_nbx(endpoint_->get(), &param), done, subject);
}

void Link::on_slot_done(void* request, ucs_status_t status, void* subject) {
  auto& slot = *static_cast<Slot*>(subject);
  free_request(request);
  slot.link->note(status);
  if (status == UCS_OK) slot.in_flight.fetch_sub(1, std::memory_order_release);  // else the slot is never free again
  slot.link->end_operation();
}

void Link::on_slot_flushed(void* request, ucs_status_t status, void* subject) {
  auto& slot = *static_cast<Slot*>(subject);
  free_request(request);
  slot.link->note(status);
  if (status == UCS_OK) slot.link->put_sequence(slot);
  slot.link->end_operation();
}

void Link::on_consumed_done(void* request, ucs_status_t status, void* subject) {
  auto& link = *static_cast<Link*>(subject);
  free_request(request);
  link.note(status);
  const std::uint64_t told = link.consumed_told_.load();
  link.is_consumed_in_flight_.store(false);
  const bool is_stale = status == UCS_OK && link.consumed_wanted_.load() != told;
  if (is_stale && !link.is_consumed_in_flight_.exchange(true)) link.issue_consumed();
  link.end_operation();
}

void Link::on_gave_up_done(void* request, ucs_status_t, void* subject) {
  free_request(request);
  static_cast<Link*>(subject)->end_operation();
}

void Link::note(ucs_status_t status) {
  ucs_status_t first = UCS_OK;
  if (status != UCS_OK) failure_.compare_exchange_strong(first, status);
}

// ---- active messages -----------------------------------------------------------------------------------------------

ucs_status_t Link::on_active_message(void*, const void* header, std::size_t header_bytes, void* data, std::size_t bytes,
                                     const ucp_am_recv_param_t*) {
  Envelope envelope;
  if (header_bytes != sizeof envelope) return UCS_OK;  // not one of ours
  std::memcpy(&envelope, header, sizeof envelope);
  reinterpret_cast<Link*>(envelope.link)->accept(envelope, data, bytes);
  return UCS_OK;
}

void Link::accept(const Envelope& envelope, const void* data, std::size_t bytes) {
  Control& control = slab().control();
  if (envelope.is_message == 0) {
    std::uint64_t& word = control[envelope.word];
    write_shared(word, std::max(word, envelope.value));
  } else if (bytes > sizeof(Header) + slab().layout().receive_bytes) {
    note(UCS_ERR_MESSAGE_TRUNCATED);
  } else {
    std::memcpy(&slab().received(envelope.value), data, bytes);
    write_shared(control.arrived[envelope.value % kNumSlots], envelope.value);
  }
  num_active_accepted_.fetch_add(1, std::memory_order_release);
}

// ---- the end -------------------------------------------------------------------------------------------------------

void Link::say_farewell() {
  if (is_farewell_started_ || num_open_operations_.load(std::memory_order_acquire) != 0 || !may_end_in_order()) return;
  is_farewell_started_ = true;
  if (remote_.can_put) {
    flush(&Link::on_farewell_flushed, this);
  } else {
    send_word(Word::closed, 1 + num_active_sent_.load(), &Link::on_farewell_done);
  }
}

void Link::on_farewell_flushed(void* request, ucs_status_t status, void* subject) {
  auto& link = *static_cast<Link*>(subject);
  free_request(request);
  link.note(status);
  if (status == UCS_OK) link.send_word(Word::closed, 1, &Link::on_farewell_done);
}

void Link::on_farewell_done(void* request, ucs_status_t status, void* subject) {
  auto& link = *static_cast<Link*>(subject);
  free_request(request);
  link.note(status);
  if (status == UCS_OK) link.is_farewell_sent_.store(true, std::memory_order_release);
}

bool Link::is_over() const {
  return !is_announced_ || (is_farewell_sent_.load(std::memory_order_acquire) && has_peer_closed());
}

// data path
bool Link::has_peer_closed() const {
  // 0: not yet; 1: the peer puts, and flushed its puts before this one; else all its active messages, this one
  // included.
  const std::uint64_t closed = read_shared(slab().control()[Word::closed]);
  return closed == 1 || (closed != 0 && num_active_accepted_.load(std::memory_order_acquire) == closed);
}

}  // namespace halyard::transport::ucx
