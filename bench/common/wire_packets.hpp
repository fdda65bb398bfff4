// What soft-RoCE devices of this machine have sent so far, as the kernel counts it.
#pragma once

#include <cstdint>
#include <optional>

namespace halyard::bench {

/// Packets of all devices together; nothing where no device counts them (only soft-RoCE does, under this name).
std::optional<std::uint64_t> packets_sent();

}  // namespace halyard::bench
