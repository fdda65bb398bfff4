// Slab: the memory of one channel over a network, and what lies where in it.
//
//   Control | receive slot 0 | receive slot 1 | send slot 0 | send slot 1
//
// A slot is a Header and the payload, both starting at multiples of 64. Message n uses slot n % 2 on both sides. The
// words of Control's first part are changed by the peer, or by whoever hears from it, whole (8 aligned bytes), and read
// with acquire; those of its second part are sources of our own puts and hold still until the put is done.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace halyard::transport::slab {

inline constexpr std::uint64_t kNumSlots = 2;
inline constexpr std::uint64_t kLine = 64;

struct alignas(kLine) Header {
  std::uint64_t sequence = 0;
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t consumed = 0;  // how many of the receiver's messages the sender had consumed
};

/// Words that one end tells the other besides messages.
enum class Word : std::uint64_t {
  consumed,  // how many of the other's messages are consumed
  gave_up,   // 1 + the rank because of which this end gave up; 0 = it did not
  closed,    // this end sends no more; what the number says is the backend's matter, 0 = not closed
};
inline constexpr std::size_t kNumWords = 3;

struct Control {
  // Of the peer. A word per slot, so that it does not matter in which order two sequence words land.
  alignas(kLine) std::uint64_t arrived[kNumSlots];
  alignas(kLine) std::uint64_t words[kNumWords];
  // Sources of our puts.
  alignas(kLine) std::uint64_t arrived_sources[kNumSlots];
  std::uint64_t word_sources[kNumWords];

  std::uint64_t& operator[](Word word) { return words[static_cast<std::size_t>(word)]; }
};
static_assert(sizeof(Header) == kLine && sizeof(Control) == 3 * kLine);

/// Where things lie, from the sizes of the largest messages alone: the peer computes the same.
struct Layout {
  std::uint64_t send_bytes = 0;
  std::uint64_t receive_bytes = 0;

  static constexpr std::uint64_t slot_bytes(std::uint64_t payload) {
    return sizeof(Header) + (payload + kLine - 1) / kLine * kLine;
  }
  constexpr std::uint64_t receive_slot(std::uint64_t sequence) const {
    return sizeof(Control) + sequence % kNumSlots * slot_bytes(receive_bytes);
  }
  constexpr std::uint64_t send_slot(std::uint64_t sequence) const {
    return sizeof(Control) + kNumSlots * slot_bytes(receive_bytes) + sequence % kNumSlots * slot_bytes(send_bytes);
  }
  constexpr std::uint64_t total() const {
    return sizeof(Control) + kNumSlots * (slot_bytes(receive_bytes) + slot_bytes(send_bytes));
  }
};

inline std::uint64_t read_shared(std::uint64_t& word) {
  return std::atomic_ref<std::uint64_t>(word).load(std::memory_order_acquire);
}
inline void write_shared(std::uint64_t& word, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(word).store(value, std::memory_order_release);
}

inline std::byte* payload_of(Header& header) { return reinterpret_cast<std::byte*>(&header + 1); }

/// A slab that somebody else owns: zeroed at first, aligned to a line.
class View {
 public:
  View() = default;
  View(std::byte* base, Layout layout) : base_(base), layout_(layout) {
    for (std::uint64_t slot = 0; slot < kNumSlots; ++slot) {
      received_[slot] = reinterpret_cast<Header*>(base + layout.receive_slot(slot));
      to_send_[slot] = reinterpret_cast<Header*>(base + layout.send_slot(slot));
    }
  }

  std::byte* base() const { return base_; }
  const Layout& layout() const { return layout_; }

  Control& control() const { return *reinterpret_cast<Control*>(base_); }
  Header& received(std::uint64_t sequence) const { return *received_[sequence % kNumSlots]; }
  Header& to_send(std::uint64_t sequence) const { return *to_send_[sequence % kNumSlots]; }

 private:
  std::byte* base_ = nullptr;
  Layout layout_;
  Header* received_[kNumSlots] = {};
  Header* to_send_[kNumSlots] = {};
};

}  // namespace halyard::transport::slab
