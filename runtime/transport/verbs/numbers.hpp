// The 32-bit number that arrives with every write, and what it says.
//
//   kind (2 bits) | data:  parts of the message - 1 (6 bits) | low bits of the message's sequence (24 bits)
//                 | bare:  63 (6 bits) | low bits of `consumed` (12 bits) | low bits of the sequence (12 bits)
//                 | words: the low 30 bits of the value
//
// A bare message has no header: where the header alone would cost a packet, its number says what is in it.
#pragma once

#include <cstdint>

#include "transport/slab/layout.hpp"

namespace halyard::transport::verbs {

inline constexpr int kSequenceBits = 24;
inline constexpr int kValueBits = 30;
inline constexpr std::uint32_t kMaxParts = 63;
inline constexpr int kBareBits = 12;

constexpr std::uint32_t low_bits(std::uint64_t value, int bits) {
  return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << bits) - 1));
}

constexpr std::uint32_t number_of_message(std::uint64_t sequence, std::uint32_t parts) {
  return (parts - 1) << kSequenceBits | low_bits(sequence, kSequenceBits);
}

constexpr std::uint32_t number_of_word(slab::Word word, std::uint64_t value) {
  return (static_cast<std::uint32_t>(word) + 1) << kValueBits | low_bits(value, kValueBits);
}

/// The receiver must know size and tag of the message, and `consumed` but for these bits.
constexpr std::uint32_t number_of_bare(std::uint64_t sequence, std::uint64_t consumed) {
  return kMaxParts << kSequenceBits | low_bits(consumed, kBareBits) << kBareBits | low_bits(sequence, kBareBits);
}

constexpr bool is_message(std::uint32_t number) { return number >> kValueBits == 0; }
constexpr bool is_bare(std::uint32_t number) { return number >> kSequenceBits == kMaxParts; }
constexpr std::uint32_t parts_of(std::uint32_t number) { return (number >> kSequenceBits & kMaxParts) + 1; }
constexpr slab::Word word_of(std::uint32_t number) { return static_cast<slab::Word>((number >> kValueBits) - 1); }

/// The value of `closed` from an end that has sent so many messages: never 0.
constexpr std::uint64_t farewell_after(std::uint64_t messages) { return 1 + low_bits(messages, kValueBits - 1); }

/// The value with these low bits that is `known` or the next one after it.
constexpr std::uint64_t continued(std::uint64_t known, std::uint32_t low, int bits) {
  return known + low_bits(low - known, bits);
}

/// Whether a header of so many bytes takes a packet more than the message that it precedes.
constexpr bool costs_a_packet(std::uint64_t header, std::uint64_t message, std::uint64_t packet) {
  return message > 0 && (message - 1) % packet + 1 + header > packet;
}

/// Tags that go on as the last two went need not be sent: both ends keep one of these for each direction.
class TagSeries {
 public:
  constexpr std::uint64_t expected() const { return last_ + step_; }
  constexpr void saw(std::uint64_t tag) {
    step_ = tag - last_;
    last_ = tag;
  }

 private:
  std::uint64_t last_ = 0;
  std::uint64_t step_ = 0;
};

}  // namespace halyard::transport::verbs
