// Tag: which exchange a message belongs to, in 64 bits. Travels with every message; both ends compute it. Pure.
#pragma once

#include <cstdint>

#include "halyard/exchange_kinds.hpp"

namespace halyard::exchange {

enum class Kind : std::uint8_t { forward, reverse };

/// Layout: 32 bits of the exchange's number, 4 of kind, 4 of operation, 24 of the layout's hash.
struct Tag {
  std::uint64_t number = 0;
  Kind kind = Kind::forward;
  Reduce op = Reduce::sum;
  std::uint64_t layout_hash = 0;

  constexpr std::uint64_t word() const {
    return (number & 0xffffffffU) << 32 | static_cast<std::uint64_t>(kind) << 28 |
           static_cast<std::uint64_t>(op) << 24 | (layout_hash & 0xffffffU);
  }
  static constexpr Tag of_word(std::uint64_t word) {
    return {word >> 32, static_cast<Kind>(word >> 28 & 0xf), static_cast<Reduce>(word >> 24 & 0xf), word & 0xffffffU};
  }
};

}  // namespace halyard::exchange
