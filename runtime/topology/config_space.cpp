// See config_space.hpp. Offsets are those of the PCI Express Base Specification, chapter 7.
#include "topology/config_space.hpp"

namespace halyard::topology {
namespace {

constexpr std::size_t kFirstPointer = 0x34;
constexpr std::size_t kFirstExtended = 0x100;
constexpr int kMostCapabilities = 256;

}  // namespace

std::optional<std::uint16_t> ConfigSpace::word(std::size_t offset) const {
  if (offset + 2 > bytes_.size()) return std::nullopt;
  const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes_[at])); };
  return static_cast<std::uint16_t>(byte(offset) | byte(offset + 1) << 8);
}

std::optional<std::uint32_t> ConfigSpace::long_word(std::size_t offset) const {
  const auto low = word(offset);
  const auto high = word(offset + 2);
  if (!low || !high) return std::nullopt;
  return *low | std::uint32_t{*high} << 16;
}

std::optional<std::size_t> ConfigSpace::find(std::uint8_t id) const {
  std::size_t at = word(kFirstPointer).value_or(0) & 0xfcU;
  for (int i = 0; i < kMostCapabilities && at >= 0x40; ++i) {
    const auto header = word(at);
    if (!header) return std::nullopt;
    if ((*header & 0xffU) == id) return at;
    at = *header >> 8 & 0xfcU;
  }
  return std::nullopt;
}

std::optional<std::size_t> ConfigSpace::find_extended(std::uint16_t id) const {
  std::size_t at = kFirstExtended;
  for (int i = 0; i < kMostCapabilities && at >= kFirstExtended; ++i) {
    const auto header = long_word(at);
    if (!header || *header == 0 || *header == 0xffffffff) return std::nullopt;
    if ((*header & 0xffffU) == id) return at;
    at = *header >> 20 & 0xffcU;
  }
  return std::nullopt;
}

std::optional<std::uint16_t> acs_control(const ConfigSpace& config) {
  const auto at = config.find_extended(kAccessControl);
  return at ? config.word(*at + 6) : std::nullopt;
}

std::string acs_text(std::uint16_t control) {
  static constexpr const char* kNames[] = {"SrcValid",    "TransBlk",   "ReqRedir",   "CmpltRedir",
                                           "UpstreamFwd", "EgressCtrl", "DirectTrans"};
  std::string text;
  for (unsigned bit = 0; bit < std::size(kNames); ++bit)
    text += (bit == 0 ? "" : " ") + std::string(kNames[bit]) + ((control >> bit & 1U) != 0 ? "+" : "-");
  return text;
}

std::optional<std::uint16_t> device_control(const ConfigSpace& config) {
  const auto at = config.find(kPciExpress);
  return at ? config.word(*at + 8) : std::nullopt;
}

}  // namespace halyard::topology
