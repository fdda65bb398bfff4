// Slab: all registered memory of one channel, and what lies where in it.
//
//   Control | receive slot 0 | receive slot 1 | send slot 0 | send slot 1
//
// A slot is a Header and the payload, both starting at multiples of 64. Message n uses slot n % 2 on both sides. The
// words of Control's first part are written by the peer, whole (8 aligned bytes), and read with acquire; those of its
// second part are sources of our own puts and hold still until the put is done.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "memory/cache.hpp"
#include "transport/ucx/registrar.hpp"

namespace halyard::transport::ucx {

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
  closed,    // this end sends no more; 1 + how many active messages it has sent before (none where it puts)
};
inline constexpr std::size_t kNumWords = 3;

struct Control {
  // Written by the peer. A word per slot, so that it does not matter in which order two sequence words land.
  alignas(kLine) std::uint64_t arrived[kNumSlots];
  alignas(kLine) std::uint64_t words[kNumWords];
  // Sources of our puts.
  alignas(kLine) std::uint64_t arrived_sources[kNumSlots];
  std::uint64_t word_sources[kNumWords];

  std::uint64_t& operator[](Word word) { return words[static_cast<std::size_t>(word)]; }
};
static_assert(sizeof(Header) == kLine && sizeof(Control) == 3 * kLine);

/// Where things lie, from the sizes of the largest messages alone: the peer computes the same.
struct SlabLayout {
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

/// A word that the peer, its NIC or the handler of its active messages writes.
inline std::uint64_t read_shared(std::uint64_t& word) {
  return std::atomic_ref<std::uint64_t>(word).load(std::memory_order_acquire);
}
inline void write_shared(std::uint64_t& word, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(word).store(value, std::memory_order_release);
}

class Slab {
 public:
  Slab(memory::Lease memory, SlabLayout layout)
      : memory_(std::move(memory)),
        layout_(layout),
        data_(memory_.base()),
        handle_(memory_.as<UcxRegistration>().handle()) {}

  std::byte* data() const { return data_; }
  ucp_mem_h handle() const { return handle_; }
  const UcxRegistration& registration() const { return memory_.as<UcxRegistration>(); }
  const SlabLayout& layout() const { return layout_; }

  Control& control() const { return *reinterpret_cast<Control*>(data_); }
  Header& received(std::uint64_t sequence) const { return header_at(layout_.receive_slot(sequence)); }
  Header& to_send(std::uint64_t sequence) const { return header_at(layout_.send_slot(sequence)); }

 private:
  Header& header_at(std::uint64_t offset) const { return *reinterpret_cast<Header*>(data_ + offset); }

  memory::Lease memory_;
  SlabLayout layout_;
  // At hand for the data path.
  std::byte* data_;
  ucp_mem_h handle_;
};

inline std::byte* payload_of(Header& header) { return reinterpret_cast<std::byte*>(&header + 1); }

}  // namespace halyard::transport::ucx
