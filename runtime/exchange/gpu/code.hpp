// The code that words in GPU memory carry below the exchange's number: kind and operation. Never 0. Pure.
#pragma once

#include <cstdint>

#include "exchange/tag.hpp"

namespace halyard::exchange::gpu {

constexpr std::uint32_t code_of(Kind kind, Reduce op) {
  return 1U + static_cast<std::uint32_t>(kind) + 2U * static_cast<std::uint32_t>(op);
}
constexpr Kind kind_of(std::uint32_t code) { return static_cast<Kind>((code - 1U) % 2U); }
constexpr Reduce op_of(std::uint32_t code) { return static_cast<Reduce>((code - 1U) / 2U); }

}  // namespace halyard::exchange::gpu
