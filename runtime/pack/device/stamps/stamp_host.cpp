// See stamp_host.hpp.
#include "pack/device/stamps/stamp_host.hpp"

#include <array>
#include <atomic>
#include <bit>

#include "pack/device/stamps/clock.hpp"

namespace halyard::pack::device {
namespace {

std::atomic_ref<std::uint64_t> atomic(std::byte* word) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(word));
}

}  // namespace

void append_on_host(const StampLog& log, const Stamp& stamp, const HostView& view) {
  const std::uint64_t place = atomic(view(log.next)).fetch_add(1, std::memory_order_relaxed);
  std::byte* slot = view(log.ring + place % log.num_slots);
  const auto words = std::bit_cast<std::array<std::uint64_t, kStampWords>>(sealed(stamp, place));
  for (const std::uint64_t word : words) {
    atomic(slot).store(word, std::memory_order_relaxed);
    slot += sizeof(word);
  }
}

Stamp seen_in(const Stamp& slot) {
  std::array<std::uint64_t, kStampWords> words;
  auto* at = reinterpret_cast<std::byte*>(const_cast<Stamp*>(&slot));
  for (std::uint64_t& word : words) {
    word = atomic(at).load(std::memory_order_relaxed);
    at += sizeof(word);
  }
  return std::bit_cast<Stamp>(words);
}

void StampTaker::begun() {
  if (!launch_.is_traced()) return;
  (launch_.phase == Phase::finish ? moments().begin_finish : moments().begin_start) = emulated_clock_ns();
}

void StampTaker::wait_is_over(FailureKind awaited) {
  if (!launch_.is_traced()) return;
  (awaited == FailureKind::not_arrived ? moments().arrived : moments().may_send) = emulated_clock_ns();
}

void StampTaker::has_sent() {
  if (launch_.is_traced()) moments().sent = emulated_clock_ns();
}

void StampTaker::ended(std::uint64_t number) {
  if (!launch_.is_traced()) return;
  const auto kind = static_cast<StampKind>(launch_.phase);
  const std::uint64_t word = word_of(number, launch_.code);
  append_on_host(launch_.stamps, stamp_of(moments(), launch_.binding, kind, word, emulated_clock_ns()), view_);
}

}  // namespace halyard::pack::device
