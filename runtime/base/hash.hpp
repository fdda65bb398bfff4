// Hash: 64-bit running hash of integers, equal on every machine and in every run. For comparing plans between ranks,
// not against an adversary. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace halyard::base {

class Hash {
 public:
  /// Mixes one number in. The finalizer of splitmix64 (Steele, Lea, Flood 2014) over state and value.
  constexpr Hash& add(std::uint64_t value) {
    std::uint64_t z = (state_ ^ value) + 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    state_ = z ^ (z >> 31);
    return *this;
  }
  constexpr Hash& add(std::int64_t value) { return add(static_cast<std::uint64_t>(value)); }
  constexpr Hash& add(int value) { return add(static_cast<std::int64_t>(value)); }
  constexpr Hash& add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    return *this;
  }

  constexpr std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x48616c7961726421ULL;
};

}  // namespace halyard::base
