// ChannelAddress: what one end of a channel tells the other end, and its form as bytes. Set-up only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/channel.hpp"

namespace halyard::transport::ucx {

struct ChannelAddress {
  std::uint64_t slab = 0;  // where the slab lies in its owner's process
  std::uint64_t link = 0;  // the same of the Link, for active messages
  std::uint64_t send_bytes = 0;
  std::uint64_t receive_bytes = 0;
  std::uint64_t binding = 0;
  std::span<const std::byte> slab_key;  // packed remote key; views never own
  std::span<const std::byte> worker;    // UCX worker address
};

Blob encode(const ChannelAddress& address);

/// The spans of the answer lie in `bytes`. Throws Error(disagreement) when the bytes are not such an address.
ChannelAddress decode(std::span<const std::byte> bytes);

}  // namespace halyard::transport::ucx
