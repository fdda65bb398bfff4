// See exported.hpp.
#include "device/exported.hpp"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "halyard/status.hpp"

namespace halyard::device {
namespace {

constexpr std::array<char, 8> kMagic = {'H', 'A', 'L', 'Y', 'G', 'P', 'U', '1'};  // the digit is the form's version

struct Wire {
  std::array<char, 8> magic = kMagic;
  std::array<char, 16> kind{};
  Exported exported;
};
static_assert(std::is_trivially_copyable_v<Wire>);

Wire wire_of(std::string_view kind, const Exported& exported) {
  Wire wire;
  kind.copy(wire.kind.data(), wire.kind.size() - 1);
  wire.exported = exported;
  return wire;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(StatusCode::invalid_argument,
              fmt::format("read exported GPU memory: {}; all ranks must run the same build of Halyard with the same "
                          "HALYARD_DEVICE",
                          what));
}

}  // namespace

std::vector<std::byte> encode(std::string_view kind, const Exported& exported) {
  const Wire wire = wire_of(kind, exported);
  const auto bytes = std::as_bytes(std::span(&wire, 1));
  return {bytes.begin(), bytes.end()};
}

Exported decode(std::string_view kind, std::span<const std::byte> bytes) {
  Wire wire;
  if (bytes.size() != sizeof(wire)) refuse(fmt::format("it has {} bytes instead of {}", bytes.size(), sizeof(wire)));
  std::memcpy(&wire, bytes.data(), sizeof(wire));
  if (wire.magic != kMagic) refuse("it does not begin as it should");
  wire.kind.back() = '\0';
  if (kind != wire.kind.data()) refuse(fmt::format("it is of kind {}, this process uses {}", wire.kind.data(), kind));
  if (wire.exported.offset >= wire.exported.bytes) refuse("its offset lies outside its allocation");
  wire.exported.handle.back() = '\0';
  return wire.exported;
}

}  // namespace halyard::device
