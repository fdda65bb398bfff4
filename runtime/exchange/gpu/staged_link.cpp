// See staged_link.hpp. Words as in transport/protocol.md; slots by number modulo 2.
#include "exchange/gpu/staged_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "exchange/gpu/code.hpp"
#include "pack/device/compile.hpp"

namespace halyard::exchange::gpu {
namespace {

using pack::device::kConsumed;
using pack::device::kFirstArrived;
using pack::device::kWordStride;
using pack::device::number_of;
using pack::device::word_of;

std::uint64_t load(const HostSide& side, std::uint32_t index) {
  return std::atomic_ref<std::uint64_t>(side.words[index * kWordStride]).load(std::memory_order_acquire);
}

void store(const HostSide& side, std::uint32_t index, std::uint64_t word) {
  std::atomic_ref<std::uint64_t>(side.words[index * kWordStride]).store(word, std::memory_order_release);
}

std::byte* slot_of(const HostSide& side, std::uint64_t number) { return side.landing + number % 2 * side.slot_bytes; }

std::uint32_t code_in(std::uint64_t word) {
  return static_cast<std::uint32_t>(word & ((1U << pack::device::kCodeBits) - 1U));
}

}  // namespace

std::unique_ptr<transport::Channel> StagedLink::replace_channel(std::unique_ptr<transport::Channel> next) {
  num_before_channel_ = num_sent_;
  return std::exchange(channel_, std::move(next));
}

bool StagedLink::advance() {  // data path
  tell_peer();
  if (has_failed()) return false;
  worker_.progress();
  give_back();
  give_credit();
  const bool has_posted = advance_send();
  const bool has_moved = advance_receive() || has_posted;
  num_delivered_.store(num_before_channel_ + channel_->num_delivered(), std::memory_order_release);
  if (!has_moved && needs_peer() && channel_->failure() != StatusCode::ok)
    fail({channel_->failure(), channel_->failure_text()});
  return has_moved;
}

// A peer that is done may be gone before this rank's kernel has taken the last message out of `in`.
bool StagedLink::needs_peer() const {  // data path
  return number_of(load(out_, kFirstArrived)) > std::min(num_sent_, num_received());
}

bool StagedLink::has_packed(std::uint64_t number, std::uint32_t code) const {  // data path
  const std::uint32_t num_chunks = kinds_[static_cast<std::size_t>(kind_of(code))].num_send_chunks;
  for (std::uint32_t k = 0; k < num_chunks; ++k)
    if (load(out_, kFirstArrived + k) != word_of(number, code)) return false;
  return true;
}

bool StagedLink::advance_send() {  // data path
  const std::uint64_t number = num_sent_ + 1;
  if (num_coming_out_ < number && !begin_send(number)) return false;
  const StagedKind& kind = kinds_[static_cast<std::size_t>(kind_of(code_out_))];
  if (copies_ != nullptr && !copies_->is_out(number, kind.send_bytes, channel_->send_buffer())) return false;
  if (!is_on_gpu()) staged_bytes_.fetch_add(static_cast<std::uint64_t>(kind.send_bytes), std::memory_order_relaxed);
  channel_->post(kind.send_bytes, Tag{number, kind_of(code_out_), op_of(code_out_), kind.send_hash}.word());
  num_sent_ = number;
  give_credit();
  return true;
}

// Brings a message to where the channel sends it from, or has it brought, once all of it is packed. From then on the
// words may be those of the next one.
bool StagedLink::begin_send(std::uint64_t number) {  // data path
  const std::uint64_t first = load(out_, kFirstArrived);
  if (number_of(first) != number || first == pack::device::kGaveUp) return false;
  const std::uint32_t code = code_in(first);
  if (!has_packed(number, code) || !channel_->may_post()) return false;
  num_coming_out_ = number;
  code_out_ = code;
  const std::int64_t bytes = kinds_[static_cast<std::size_t>(kind_of(code))].send_bytes;
  if (copies_ != nullptr) return has(copies_->begin_out(number, word_of(number, code), bytes, channel_->send_buffer()));
  if (bytes > 0 && !is_on_gpu())
    std::memcpy(channel_->send_buffer(), slot_of(out_, number), static_cast<std::size_t>(bytes));
  credit_owed_ = word_of(number, code);
  return true;
}

// The kernel may pack its next message. On the GPU it packs into a slot that the NIC may still read: then the channel
// must first be through with what was there before.
void StagedLink::give_credit() {  // data path
  if (credit_owed_ == 0 || (is_on_gpu() && !channel_->may_post())) return;
  store(in_, kConsumed, credit_owed_);
  credit_owed_ = 0;
}

// On the GPU a message lies where it landed until the kernel has read it.
void StagedLink::give_back() {  // data path
  if (!is_on_gpu() || num_given_back_ == num_received()) return;
  const std::uint64_t consumed = load(out_, kConsumed);
  if (consumed == pack::device::kGaveUp || number_of(consumed) <= num_given_back_) return;
  channel_->release();
  ++num_given_back_;
}

bool StagedLink::advance_receive() {  // data path
  const std::uint64_t number = num_received() + 1;
  const std::uint64_t consumed = load(out_, kConsumed);
  if (consumed == pack::device::kGaveUp) {
    give_up(rank_);
    return false;
  }
  if (number_of(consumed) + 2 < number || (is_on_gpu() && num_given_back_ + 1 != number)) return false;
  const auto incoming = channel_->receive();
  if (!incoming) return false;
  const Tag tag = Tag::of_word(incoming->tag);
  const StagedKind& kind = kinds_[static_cast<std::size_t>(tag.kind)];
  if (incoming->tag != Tag{number, tag.kind, tag.op, kind.receive_hash}.word()) {
    fail({StatusCode::disagreement,
          fmt::format("message {} from rank {} belongs to exchange {} of another layout or order; all ranks must start "
                      "the same exchanges on a binding in the same order",
                      number, rank_, tag.number)});
    return false;
  }
  if (!bring_in(number, word_of(number, code_of(tag.kind, tag.op)), kind.receive_bytes, incoming->data)) return false;
  num_received_.store(number, std::memory_order_release);
  return true;
}

// Whether the message lies where the kernel reads it, and the kernel knows.
bool StagedLink::bring_in(std::uint64_t number, std::uint64_t word, std::int64_t bytes,
                          const std::byte* message) {  // data path
  if (copies_ != nullptr) {
    const bool is_new = num_going_in_ < number;
    num_going_in_ = number;
    if (is_new && !has(copies_->begin_in(number, word, bytes, message))) return false;
    if (!copies_->is_in(number)) return false;
    channel_->release();
    return true;
  }
  if (!land(bytes, slot_of(in_, number), message)) return false;
  store(in_, kFirstArrived, word);
  store(in_, pack::device::kSent, word);
  return true;
}

// That the host knows of a NIC's write says nothing about when the GPU sees it (field case Y06).
bool StagedLink::land(std::int64_t bytes, std::byte* slot, const std::byte* message) {  // data path
  if (is_on_gpu()) return has(gpu_->flush_remote_writes(ordinal_));
  if (bytes > 0) std::memcpy(slot, message, static_cast<std::size_t>(bytes));
  channel_->release();
  return true;
}

// Whether what was asked of the driver went well; if not, the link has failed.
bool StagedLink::has(const Status& status) {  // data path
  if (!status.ok()) fail(status);
  return status.ok();
}

void StagedLink::fail(Status status) {
  failure_ = std::move(status);
  has_failed_.store(true, std::memory_order_release);
  if (copies_ != nullptr) return copies_->give_up();
  store(in_, kConsumed, pack::device::kGaveUp);  // the kernel sees it and stops
  store(in_, pack::device::kSent, pack::device::kSentGaveUp);
}

void StagedLink::tell_peer() {
  const int culprit = culprit_.load(std::memory_order_acquire);
  if (culprit == kNobody || channel_ == nullptr || has_given_up_) return;
  has_given_up_ = true;
  channel_->give_up(culprit);
}

}  // namespace halyard::exchange::gpu
