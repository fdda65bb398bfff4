// See channel.hpp and ../protocol.md, whose invariants are quoted by number.
#include "transport/mailbox/channel.hpp"

#include <fmt/format.h>

namespace halyard::transport::mailbox {
namespace {

std::size_t slot_bytes(std::int64_t bytes) { return (static_cast<std::size_t>(bytes) + 63) / 64 * 64; }

}  // namespace

std::size_t landing_bytes(std::int64_t bytes) { return kNumSlots * slot_bytes(bytes); }

bool Channel::may_post() {  // data path
  if (num_posted_ - num_consumed_by_peer_ < kNumSlots) return true;
  num_consumed_by_peer_ = mine_.signal->consumed.load(std::memory_order_acquire);
  return num_posted_ - num_consumed_by_peer_ < kNumSlots;  // I2
}

std::byte* Channel::send_buffer() {  // data path
  if (spec_.sends_in_place) return nullptr;
  return theirs_.landing + (num_posted_ + 1) % kNumSlots * slot_bytes(spec_.send_bytes);
}

void Channel::post(std::int64_t, std::uint64_t tag) {  // data path
  ++num_posted_;
  theirs_.signal->tags[num_posted_ % kNumSlots].store(tag, std::memory_order_relaxed);
  theirs_.signal->posted.store(num_posted_, std::memory_order_release);  // I1
}

std::uint64_t Channel::num_delivered() {          // data path
  if (!spec_.sends_in_place) return num_posted_;  // the copy in the peer's landing buffer is all it needs
  if (num_consumed_by_peer_ < num_posted_)
    num_consumed_by_peer_ = mine_.signal->consumed.load(std::memory_order_acquire);  // I3
  return num_consumed_by_peer_;
}

std::optional<Incoming> Channel::receive() {  // data path
  const std::uint64_t next = num_received_ + 1;
  if (mine_.signal->posted.load(std::memory_order_acquire) < next) return std::nullopt;  // I1
  const std::byte* data =
      spec_.receives_in_place ? nullptr : mine_.landing + next % kNumSlots * slot_bytes(spec_.receive_bytes);
  return Incoming{data, mine_.signal->tags[next % kNumSlots].load(std::memory_order_relaxed)};
}

void Channel::release() {  // data path
  ++num_received_;
  theirs_.signal->consumed.store(num_received_, std::memory_order_release);  // I2, I3
}

bool Channel::is_quiet() {
  if (has_given_up_) return false;  // I6: the peer may post until it notices
  return theirs_.signal == nullptr || mine_.signal->consumed.load(std::memory_order_acquire) == num_posted_;
}

StatusCode Channel::failure() const {  // data path
  const std::uint64_t word = mine_.signal->gave_up.load(std::memory_order_relaxed);
  return word != 0 && word >> 32 == (spec_.binding & 0xffffffffU) ? StatusCode::peer_failed : StatusCode::ok;
}

std::string Channel::failure_text() const {
  const auto culprit =
      static_cast<std::int64_t>(mine_.signal->gave_up.load(std::memory_order_relaxed) & 0xffffffffU) - 1;
  return fmt::format("rank {} gave up because of rank {}", spec_.peer, culprit);
}

void Channel::give_up(int culprit) {
  if (theirs_.signal == nullptr) return;
  has_given_up_ = true;
  const std::uint64_t word = spec_.binding << 32 | static_cast<std::uint64_t>(culprit + 1);
  theirs_.signal->gave_up.store(word, std::memory_order_relaxed);
}

std::string Channel::form() const {
  if (spec_.sends_in_place && spec_.receives_in_place) return "direct";
  if (spec_.sends_in_place) return "direct out, mailbox in";
  if (spec_.receives_in_place) return "mailbox out, direct in";
  return "mailbox";
}

}  // namespace halyard::transport::mailbox
