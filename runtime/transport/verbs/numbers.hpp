// The 32-bit number that arrives with every write, and what it says.
//
//   kind (2 bits) | data:  parts of the message - 1 (6 bits) | low bits of the message's sequence (24 bits)
//                 | words: the low 30 bits of the value
#pragma once

#include <cstdint>

#include "transport/slab/layout.hpp"

namespace halyard::transport::verbs {

inline constexpr int kSequenceBits = 24;
inline constexpr int kValueBits = 30;
inline constexpr std::uint32_t kMaxParts = 64;

constexpr std::uint32_t low_bits(std::uint64_t value, int bits) {
  return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << bits) - 1));
}

constexpr std::uint32_t number_of_message(std::uint64_t sequence, std::uint32_t parts) {
  return (parts - 1) << kSequenceBits | low_bits(sequence, kSequenceBits);
}

constexpr std::uint32_t number_of_word(slab::Word word, std::uint64_t value) {
  return (static_cast<std::uint32_t>(word) + 1) << kValueBits | low_bits(value, kValueBits);
}

constexpr bool is_message(std::uint32_t number) { return number >> kValueBits == 0; }
constexpr std::uint32_t parts_of(std::uint32_t number) { return (number >> kSequenceBits & (kMaxParts - 1)) + 1; }
constexpr slab::Word word_of(std::uint32_t number) { return static_cast<slab::Word>((number >> kValueBits) - 1); }

/// The value of `closed` from an end that has sent so many messages: never 0.
constexpr std::uint64_t farewell_after(std::uint64_t messages) { return 1 + low_bits(messages, kValueBits - 1); }

/// The value with these low bits that is `known` or the next one after it.
constexpr std::uint64_t continued(std::uint64_t known, std::uint32_t low, int bits) {
  return known + low_bits(low - known, bits);
}

}  // namespace halyard::transport::verbs
