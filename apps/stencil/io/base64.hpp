// Base64: bytes to text, piece by piece (RFC 4648, with padding). Carries up to two bytes from one
// piece to the next.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace halyard::stencil {

class Base64 {
 public:
  /// The text of `bytes`, as far as it is complete.
  std::string add(std::span<const std::byte> bytes);
  /// What is left, padded. The encoder is then as new.
  std::string finish();

 private:
  std::array<unsigned, 3> group_{};
  std::size_t num_held_ = 0;
};

}  // namespace halyard::stencil
