// Link: see link.hpp.
#include "transport/ucx/link.hpp"

#include <cstddef>
#include <utility>

namespace halyard::transport::ucx {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

void free_request(void* request) {
  if (request != nullptr) ucp_request_free(request);
}

}  // namespace

Link::Link(ucp_worker_h worker, Ordering ordering, Slab slab)
    : worker_(worker), ordering_(ordering), slab_(std::move(slab)) {
  for (Slot& slot : slots_) slot.link = this;
}

void Link::connect(const Endpoint& endpoint, RemoteSlab remote) {
  remote_ = std::move(remote);
  endpoint_ = &endpoint;
}

// data path
void Link::put_message(std::uint64_t sequence) {
  Slot& slot = slots_[sequence % kNumSlots];
  Header& header = slab_.to_send(sequence);
  slot.sequence = sequence;
  slot.in_flight.store(2, std::memory_order_relaxed);  // the message and its sequence word
  put(&header, sizeof header + header.bytes, remote_.layout.receive_slot(sequence), &Link::on_slot_done, &slot);
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
  std::uint64_t& source = slab_.control().sequence_source[index];
  source = slot.sequence;
  put(&source, kWord, offsetof(Control, arrived) + index * kWord, &Link::on_slot_done, &slot);
}

bool Link::is_slot_free(std::uint64_t sequence) const {
  return slots_[sequence % kNumSlots].in_flight.load(std::memory_order_acquire) == 0;
}

// data path
void Link::put_consumed(std::uint64_t consumed) {
  consumed_wanted_.store(consumed);
  if (!is_consumed_in_flight_.exchange(true)) issue_consumed();
}

void Link::issue_consumed() {
  std::uint64_t& source = slab_.control().consumed_source;
  source = consumed_wanted_.load();
  put(&source, kWord, offsetof(Control, consumed), &Link::on_consumed_done, this);
}

void Link::put_gave_up(std::uint64_t word) {
  std::uint64_t& source = slab_.control().gave_up_source;
  source = word;
  put(&source, kWord, offsetof(Control, gave_up), &Link::on_gave_up_done, this);
}

ucs_status_t Link::failure() const {
  const ucs_status_t status = failure_.load(std::memory_order_acquire);
  if (status != UCS_OK || endpoint_ == nullptr) return status;
  return endpoint_->failure();
}

bool Link::is_over() const {
  if (!is_announced_) return true;
  return is_farewell_sent_.load(std::memory_order_acquire) && read_remote_word(slab_.control().closed) != 0;
}

void Link::put(const void* source, std::size_t bytes, std::uint64_t offset, ucp_send_nbx_callback_t done,
               void* subject) {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMH |
                       UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.cb.send = done;
  param.user_data = subject;
  param.memh = slab_.handle();
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  num_open_operations_.fetch_add(1);
  ucs_status_ptr_t request =
      ucp_put_nbx(endpoint_->get(), source, bytes, remote_.base + offset, remote_.key.get(), &param);
  if (!UCS_PTR_IS_PTR(request)) done(nullptr, UCS_PTR_STATUS(request), subject);
}

void Link::flush(ucp_send_nbx_callback_t done, void* subject) {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.send = done;
  param.user_data = subject;
  num_open_operations_.fetch_add(1);
  ucs_status_ptr_t request = ucp_ep_flush_nbx(endpoint_->get(), &param);
  if (!UCS_PTR_IS_PTR(request)) done(nullptr, UCS_PTR_STATUS(request), subject);
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
  const std::uint64_t told = link.slab_.control().consumed_source;
  link.is_consumed_in_flight_.store(false);
  const bool is_stale = status == UCS_OK && link.consumed_wanted_.load() != told;
  if (is_stale && !link.is_consumed_in_flight_.exchange(true)) link.issue_consumed();
  link.end_operation();
}

void Link::on_gave_up_done(void* request, ucs_status_t, void* subject) {
  free_request(request);
  static_cast<Link*>(subject)->end_operation();
}

void Link::start_farewell() {
  if (!is_connected() || failure() != UCS_OK) return;  // kept until the worker closes
  flush(&Link::on_farewell_flushed, this);
}

void Link::on_farewell_flushed(void* request, ucs_status_t status, void* subject) {
  auto& link = *static_cast<Link*>(subject);
  free_request(request);
  link.note(status);
  std::uint64_t& source = link.slab_.control().closed_source;
  source = 1;
  if (status == UCS_OK) link.put(&source, kWord, offsetof(Control, closed), &Link::on_farewell_done, &link);
}

void Link::on_farewell_done(void* request, ucs_status_t status, void* subject) {
  auto& link = *static_cast<Link*>(subject);
  free_request(request);
  link.note(status);
  if (status == UCS_OK) link.is_farewell_sent_.store(true, std::memory_order_release);
}

void Link::end_operation() {
  if (num_open_operations_.fetch_sub(1) == 1 && !is_farewell_started_.exchange(true)) start_farewell();
}

void Link::note(ucs_status_t status) {
  ucs_status_t first = UCS_OK;
  if (status != UCS_OK) failure_.compare_exchange_strong(first, status);
}

}  // namespace halyard::transport::ucx
