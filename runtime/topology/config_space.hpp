// The configuration space of a PCI device: capabilities and the registers that say how its traffic is treated. Pure;
// any bytes are survived, loops in the lists included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "facts/root.hpp"

namespace halyard::topology {

class ConfigSpace {
 public:
  explicit ConfigSpace(std::string bytes) : bytes_(std::move(bytes)) {}

  std::size_t bytes() const { return bytes_.size(); }
  /// Linux shows an unprivileged reader the first 64 bytes only.
  bool has_capabilities() const { return bytes_.size() > 64; }
  bool has_extended() const { return bytes_.size() > 256; }

  std::optional<std::uint16_t> word(std::size_t offset) const;
  std::optional<std::uint32_t> long_word(std::size_t offset) const;
  /// Where a capability of the first 256 bytes (0x10: PCI Express), or one beyond (0x0d: ACS), begins.
  std::optional<std::size_t> find(std::uint8_t id) const;
  std::optional<std::size_t> find_extended(std::uint16_t id) const;

 private:
  std::string bytes_;
};

inline constexpr std::uint8_t kPciExpress = 0x10;
inline constexpr std::uint16_t kAccessControl = 0x0d;

/// ACS control of a bridge; nothing when it has none, or may not be read (then `!has_extended()`).
std::optional<std::uint16_t> acs_control(const ConfigSpace& config);
/// The bits that send peer traffic up to the root complex, or block it: request redirect, completion redirect, egress
/// control. Source validation and upstream forwarding alone do not.
inline constexpr std::uint16_t kAcsRedirect = 0x2c;
/// "SrcValid+ ReqRedir+ CmpltRedir-": as lspci writes it.
std::string acs_text(std::uint16_t control);

/// PCI Express device control; bit 4 allows relaxed ordering.
std::optional<std::uint16_t> device_control(const ConfigSpace& config);
inline constexpr std::uint16_t kRelaxedOrdering = 0x10;

}  // namespace halyard::topology
