// See channel.hpp and ../protocol.md, whose invariants are quoted by number.
#include "transport/mailbox/channel.hpp"

#include <fmt/format.h>

namespace halyard::transport::mailbox {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t slot_bytes(std::int64_t bytes) { return (static_cast<std::size_t>(bytes) + 63) / 64 * 64; }

std::size_t in_pages_if(bool whole_pages, std::size_t bytes) {
  return whole_pages ? (bytes + kPage - 1) / kPage * kPage : bytes;
}

}  // namespace

std::size_t landing_bytes(std::int64_t bytes) { return kNumSlots * slot_bytes(bytes); }

std::size_t receive_landing_bytes(const ChannelSpec& spec) {
  return spec.receives_in_place ? 0 : in_pages_if(spec.whole_pages, landing_bytes(spec.receive_bytes));
}

std::size_t send_landing_bytes(const ChannelSpec& spec) {
  return spec.sends_in_place ? 0 : in_pages_if(spec.whole_pages, landing_bytes(spec.send_bytes));
}

// Only where both ends lie on whole pages: the path's own landing buffers, and the peer's.
std::vector<std::span<std::byte>> Channel::buffers() {
  const std::span<std::byte> both[] = {{mine_.landing, receive_landing_bytes(spec_)},
                                       {theirs_.landing, send_landing_bytes(spec_)}};
  for (const auto& memory : both)
    if (!spec_.whole_pages || reinterpret_cast<std::uintptr_t>(memory.data()) % kPage != 0) return {};
  return {std::begin(both), std::end(both)};
}

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
  return !is_connected() || mine_.signal->consumed.load(std::memory_order_acquire) == num_posted_;
}

StatusCode Channel::failure() const {  // data path
  return has_peer_given_up() || has_peer_closed() ? StatusCode::peer_failed : StatusCode::ok;
}

bool Channel::has_peer_given_up() const {  // data path
  const std::uint64_t word = mine_.signal->gave_up.load(std::memory_order_relaxed);
  return word != 0 && word >> 32 == (spec_.binding & 0xffffffffU);
}

// What the peer posted before its farewell comes first.
bool Channel::has_peer_closed() const {  // data path
  return mine_.signal->closed.load(std::memory_order_acquire) == farewell_of(spec_.binding) &&
         mine_.signal->posted.load(std::memory_order_relaxed) <= num_received_;
}

std::string Channel::failure_text() const {
  if (!has_peer_given_up())
    return fmt::format(
        "rank {} has destroyed its binding, and this rank's exchange still needs it; all ranks must start the same "
        "exchanges on a binding before they destroy it",
        spec_.peer);
  const auto culprit =
      static_cast<std::int64_t>(mine_.signal->gave_up.load(std::memory_order_relaxed) & 0xffffffffU) - 1;
  return fmt::format("rank {} gave up because of rank {}", spec_.peer, culprit);
}

void Channel::give_up(int culprit) {
  if (!is_connected()) return;
  const std::uint64_t word = spec_.binding << 32 | static_cast<std::uint64_t>(culprit + 1);
  theirs_.signal->gave_up.store(word, std::memory_order_relaxed);
}

Channel::~Channel() {
  if (is_connected()) theirs_.signal->closed.store(farewell_of(spec_.binding), std::memory_order_release);  // I6
}

void Channel::leave(std::function<void()> free_landing) {
  if (is_connected())
    return signals_.give_back_after(farewell_of(spec_.binding), mine_.signal, std::move(free_landing));
  if (free_landing) free_landing();
  signals_.give_back(mine_.signal);
}

std::string Channel::form() const {
  if (spec_.sends_in_place && spec_.receives_in_place) return "direct";
  if (spec_.sends_in_place) return "direct out, mailbox in";
  if (spec_.receives_in_place) return "mailbox out, direct in";
  return "mailbox";
}

}  // namespace halyard::transport::mailbox
