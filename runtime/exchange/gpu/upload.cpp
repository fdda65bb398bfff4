// See upload.hpp.
#include "exchange/gpu/upload.hpp"

#include <algorithm>
#include <cstring>

namespace halyard::exchange::gpu {
namespace {

// More blocks than about one per multiprocessor of a large GPU do not help (docs/adr/0010).
constexpr std::uint32_t kMostBlocksPerRole = 132;
// Few threads a block start sooner and leave room for the kernels beside them; sums, of one unit a lane, want many.
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kThreadsThatReduce = 512;

// Where the arrays lie in one buffer.
struct Placement {
  std::size_t runs = 0, tiles = 0, chunks = 0, offsets = 0, ready = 0, consumed = 0, sent = 0, bytes = 0;

  explicit Placement(const pack::device::Tables& tables) {
    const auto place = [&](const auto& values) {
      const std::size_t at = bytes;
      bytes += (values.size() * sizeof(values[0]) + 255) / 256 * 256;
      return at;
    };
    runs = place(tables.runs);
    tiles = place(tables.tiles);
    chunks = place(tables.chunks);
    offsets = place(tables.offsets);
    ready = place(tables.ready);
    consumed = place(tables.consumed);
    sent = place(tables.sent);
    bytes = std::max<std::size_t>(bytes, 256);
  }
};

void write_image(std::byte* image, const Placement& at, const pack::device::Tables& tables, const std::byte* base) {
  const auto copy = [&](std::size_t offset, const auto& values) {
    if (!values.empty()) std::memcpy(image + offset, values.data(), values.size() * sizeof(values[0]));
  };
  copy(at.runs, relocated(tables, reinterpret_cast<const std::int64_t*>(base + at.offsets)));
  copy(at.tiles, tables.tiles);
  copy(at.chunks, tables.chunks);
  copy(at.offsets, tables.offsets);
  copy(at.ready, tables.ready);
  copy(at.consumed, tables.consumed);
  copy(at.sent, tables.sent);
}

pack::device::Launch launch_of(std::byte* base, const Placement& at, const pack::device::Tables& tables) {
  pack::device::Launch launch;
  launch.runs = reinterpret_cast<const pack::device::Run*>(base + at.runs);
  launch.tiles = reinterpret_cast<const pack::device::Tile*>(base + at.tiles);
  launch.chunks = reinterpret_cast<const pack::device::Chunk*>(base + at.chunks);
  launch.ready = reinterpret_cast<std::uint64_t* const*>(base + at.ready);
  launch.consumed = reinterpret_cast<std::uint64_t* const*>(base + at.consumed);
  launch.sent = reinterpret_cast<std::uint64_t* const*>(base + at.sent);
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
  launch.threads = tables.reduces ? kThreadsThatReduce : kThreads;
  const auto num_inline = std::size_t{pack::device::kInlineWords};
  std::copy_n(tables.ready.begin(), std::min(num_inline, tables.ready.size()), launch.first_ready);
  std::copy_n(tables.consumed.begin(), std::min(num_inline, tables.consumed.size()), launch.first_consumed);
  return launch;
}

}  // namespace

std::size_t bytes_of(const pack::device::Tables& tables) { return Placement(tables).bytes; }

Uploaded upload(const pack::device::Tables& tables, const std::shared_ptr<device::Device>& device, int ordinal) {
  const Placement at(tables);
  Uploaded uploaded{gpu_buffer(device, ordinal, at.bytes), {}};
  std::vector<std::byte> image(at.bytes);
  write_image(image.data(), at, tables, uploaded.memory.get());
  device->copy(uploaded.memory.get(), image.data(), image.size());
  uploaded.launch = launch_of(uploaded.memory.get(), at, tables);
  return uploaded;
}

pack::device::Launch upload_in(Stream stream, std::byte* memory, std::byte* image, const pack::device::Tables& tables,
                               device::Device& device, int ordinal) {
  const Placement at(tables);
  write_image(image, at, tables, memory);
  device.copy_in(stream, memory, image, at.bytes, ordinal).or_throw();
  return launch_of(memory, at, tables);
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
  return what;
}

}  // namespace halyard::exchange::gpu
