// Three bytes become four characters.
#include "io/base64.hpp"

namespace halyard::stencil {
namespace {

void append_group(std::string& text, const std::array<unsigned, 3>& g) {
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned bits = g[0] << 16 | g[1] << 8 | g[2];
  for (const unsigned shift : {18U, 12U, 6U, 0U}) text += kAlphabet[bits >> shift & 63U];
}

}  // namespace

std::string Base64::add(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (const std::byte byte : bytes) {
    group_[num_held_++] = std::to_integer<unsigned>(byte);
    if (num_held_ < 3) continue;
    append_group(text, group_);
    num_held_ = 0;
  }
  return text;
}

std::string Base64::finish() {
  std::string text;
  if (num_held_ == 0) return text;
  for (std::size_t i = num_held_; i < 3; ++i) group_[i] = 0;
  append_group(text, group_);
  for (std::size_t i = num_held_; i < 3; ++i) text[i + 1] = '=';
  num_held_ = 0;
  return text;
}

}  // namespace halyard::stencil
