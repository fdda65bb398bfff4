// See address.hpp.
#include "transport/verbs/address.hpp"

#include "halyard/status.hpp"
#include "transport/blob.hpp"

namespace halyard::transport::verbs {
namespace {

constexpr std::uint64_t kMagic = 0x766572627332ULL;  // "verbs2"

}  // namespace

Blob encode(std::uint64_t binding, const RemoteEnd& end) {
  Blob blob;
  append(blob, kMagic);
  append(blob, binding);
  append(blob, end.slab);
  append(blob, end.layout);
  append(blob, end.gpu_slots);
  append(blob, end.gpu_stride);
  append(blob, static_cast<std::uint64_t>(end.keys.size()));
  for (const std::uint32_t key : end.keys) append(blob, key);
  for (const std::uint32_t key : end.gpu_keys) append(blob, key);
  for (const QueuePairAddress& address : end.queue_pairs) append(blob, address);
  return blob;
}

ChannelAddress decode(std::span<const std::byte> bytes) {
  BlobReader reader(bytes);
  if (reader.read<std::uint64_t>() != kMagic)
    throw Error(StatusCode::disagreement,
                "read a peer's address: it is not one of the verbs path; do all ranks run the same Halyard?");
  ChannelAddress address;
  address.binding = reader.read<std::uint64_t>();
  address.end.slab = reader.read<std::uint64_t>();
  address.end.layout = reader.read<slab::Layout>();
  address.end.gpu_slots = reader.read<std::uint64_t>();
  address.end.gpu_stride = reader.read<std::uint64_t>();
  const auto count = reader.read<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) address.end.keys.push_back(reader.read<std::uint32_t>());
  for (std::uint64_t i = 0; i < count; ++i) address.end.gpu_keys.push_back(reader.read<std::uint32_t>());
  for (std::uint64_t i = 0; i < count; ++i) address.end.queue_pairs.push_back(reader.read<QueuePairAddress>());
  return address;
}

}  // namespace halyard::transport::verbs
