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
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "lies in memory that processes share");

}  // namespace halyard::transport::mailbox
