// Signal: the words that one end of a mailbox channel writes into the other end's memory. See ../protocol.md.
//
// Written by the peer only, read by the owner only. All words share one cache line on purpose: whoever polls for the
// next message gets the credit and the tag with it.
#pragma once

#include <atomic>
#include <cstdint>

namespace halyard::transport::mailbox {

inline constexpr std::size_t kNumSlots = 2;

struct alignas(128) Signal {               // 128: x86 fetches cache lines in pairs
  std::atomic<std::uint64_t> posted{0};    // messages the writer has posted
  std::atomic<std::uint64_t> consumed{0};  // messages of the reader that the writer has consumed
  std::atomic<std::uint64_t> tags[kNumSlots]{};
  std::atomic<std::uint64_t> gave_up{0};  // binding << 32 | (culprit rank + 1); 0 = no
  std::atomic<std::uint64_t> closed{0};   // farewell_of(binding): the writer's end is gone; its last word. 0 = no
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "lies in memory that processes share");

/// What the end of a binding writes to `closed`. Of another binding it says nothing.
inline std::uint64_t farewell_of(std::uint64_t binding) { return binding + 1; }

}  // namespace halyard::transport::mailbox
