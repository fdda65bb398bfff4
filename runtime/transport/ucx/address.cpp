// ChannelAddress: see address.hpp.
#include "transport/ucx/address.hpp"

#include "transport/blob.hpp"

namespace halyard::transport::ucx {
namespace {

constexpr std::uint64_t kMagic = 0x31584355594c4148;  // "HALYUCX1"

}  // namespace

Blob encode(const ChannelAddress& address) {
  Blob blob;
  append(blob, kMagic);
  append(blob, address.slab);
  append(blob, address.link);
  append(blob, address.send_bytes);
  append(blob, address.receive_bytes);
  append(blob, address.binding);
  append_bytes(blob, address.slab_key);
  append_bytes(blob, address.worker);
  return blob;
}

ChannelAddress decode(std::span<const std::byte> bytes) {
  BlobReader reader(bytes);
  if (reader.read<std::uint64_t>() != kMagic) {
    throw Error(StatusCode::disagreement,
                "connect a UCX channel: the peer's address is not one of this version; run one build on all ranks");
  }
  ChannelAddress address;
  address.slab = reader.read<std::uint64_t>();
  address.link = reader.read<std::uint64_t>();
  address.send_bytes = reader.read<std::uint64_t>();
  address.receive_bytes = reader.read<std::uint64_t>();
  address.binding = reader.read<std::uint64_t>();
  address.slab_key = reader.read_bytes();
  address.worker = reader.read_bytes();
  return address;
}

}  // namespace halyard::transport::ucx
