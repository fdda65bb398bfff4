// What one end of a verbs channel tells the other end, as bytes. Set-up only.
#pragma once

#include <cstdint>
#include <span>

#include "transport/channel.hpp"
#include "transport/verbs/link.hpp"

namespace halyard::transport::verbs {

Blob encode(std::uint64_t binding, const RemoteEnd& end);

struct ChannelAddress {
  std::uint64_t binding = 0;
  RemoteEnd end;
};

/// Throws Error(disagreement) when the bytes are not such an address.
ChannelAddress decode(std::span<const std::byte> bytes);

}  // namespace halyard::transport::verbs
