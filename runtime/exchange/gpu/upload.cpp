// See upload.hpp.
#include "exchange/gpu/upload.hpp"

#include <algorithm>

namespace halyard::exchange::gpu {
namespace {

// More blocks than about one per multiprocessor of a large GPU do not help (docs/adr/0010).
constexpr std::uint32_t kMostBlocksPerRole = 132;
// Few threads a block start sooner, and leave room for the kernels beside them; many gather large messages faster.
constexpr std::int64_t kMostBytesLandedWithFewThreads = 8 << 20;
constexpr std::uint32_t kFewThreads = 256;
constexpr std::uint32_t kManyThreads = 512;

std::uint32_t threads_for(const pack::device::Tables& tables) {
  std::int64_t bytes = 0;
  for (const auto& link : tables.traffic) bytes += link.landed_bytes;
  return tables.reduces || bytes > kMostBytesLandedWithFewThreads ? kManyThreads : kFewThreads;
}

// Lays arrays out in one buffer, first counting, then copying.
class Placement {
 public:
  template <class T>
  std::size_t place(const std::vector<T>& values) {
    const std::size_t at = bytes_;
    bytes_ += (values.size() * sizeof(T) + 255) / 256 * 256;
    return at;
  }
  std::size_t bytes() const { return std::max<std::size_t>(bytes_, 256); }

 private:
  std::size_t bytes_ = 0;
};

}  // namespace

Uploaded upload(const pack::device::Tables& tables, const std::shared_ptr<device::Device>& device, int ordinal) {
  Placement placement;
  const auto runs_at = placement.place(tables.runs);
  const auto tiles_at = placement.place(tables.tiles);
  const auto chunks_at = placement.place(tables.chunks);
  const auto offsets_at = placement.place(tables.offsets);
  const auto ready_at = placement.place(tables.ready);
  const auto consumed_at = placement.place(tables.consumed);
  const auto sent_at = placement.place(tables.sent);
  Uploaded uploaded{gpu_buffer(device, ordinal, placement.bytes()), {}};
  std::byte* base = uploaded.memory.get();
  const auto copy = [&](std::size_t at, const auto& values) {
    if (!values.empty()) device->copy(base + at, values.data(), values.size() * sizeof(values[0]));
  };
  copy(runs_at, relocated(tables, reinterpret_cast<const std::int64_t*>(base + offsets_at)));
  copy(tiles_at, tables.tiles);
  copy(chunks_at, tables.chunks);
  copy(offsets_at, tables.offsets);
  copy(ready_at, tables.ready);
  copy(consumed_at, tables.consumed);
  copy(sent_at, tables.sent);
  pack::device::Launch& launch = uploaded.launch;
  launch.runs = reinterpret_cast<const pack::device::Run*>(base + runs_at);
  launch.tiles = reinterpret_cast<const pack::device::Tile*>(base + tiles_at);
  launch.chunks = reinterpret_cast<const pack::device::Chunk*>(base + chunks_at);
  launch.ready = reinterpret_cast<std::uint64_t* const*>(base + ready_at);
  launch.consumed = reinterpret_cast<std::uint64_t* const*>(base + consumed_at);
  launch.sent = reinterpret_cast<std::uint64_t* const*>(base + sent_at);
  launch.num_runs = static_cast<std::uint32_t>(tables.runs.size());
  launch.num_bulk = tables.num_bulk;
  launch.num_send = tables.num_send;
  launch.num_receive = tables.num_receive;
  launch.num_common_waits = tables.num_common_waits;
  launch.num_ready = static_cast<std::uint32_t>(tables.ready.size());
  launch.num_consumed = static_cast<std::uint32_t>(tables.consumed.size());
  launch.num_sent = static_cast<std::uint32_t>(tables.sent.size());
  launch.bulk_blocks = std::min(tables.num_bulk, kMostBlocksPerRole);
  launch.send_blocks = std::min(tables.num_send, kMostBlocksPerRole);
  launch.receive_blocks = std::min(tables.num_receive, kMostBlocksPerRole);
  launch.reduces = tables.reduces;
  launch.threads = threads_for(tables);
  const auto num_inline = std::size_t{pack::device::kInlineWords};
  std::copy_n(tables.ready.begin(), std::min(num_inline, tables.ready.size()), launch.first_ready);
  std::copy_n(tables.consumed.begin(), std::min(num_inline, tables.consumed.size()), launch.first_consumed);
  return uploaded;
}

StagedKind staged_kind(const PlanNeighbor& neighbor, Kind kind, const pack::device::LinkTraffic& traffic) {
  StagedKind what;
  const bool is_forward = kind == Kind::forward;
  const MessageLayout& send = is_forward ? neighbor.send : neighbor.receive;
  const MessageLayout& receive = is_forward ? neighbor.receive : neighbor.send;
  what.send_bytes = send.bytes;
  what.receive_bytes = receive.bytes;
  what.send_hash = send.hash;
  what.receive_hash = receive.hash;
  what.num_send_chunks = traffic.num_send_chunks;
  what.num_receive_chunks = traffic.num_receive_chunks;
  return what;
}

}  // namespace halyard::exchange::gpu
