// How an EmulatedDevice exports memory and maps that of others, see device.hpp.
#include <fmt/format.h>

#include <utility>

#include "device/emulated/device.hpp"
#include "halyard/status.hpp"

namespace halyard::device::emulated {
namespace {

class PeerBlock final : public Opening {
 public:
  PeerBlock(Heap& heap, std::byte* base, std::shared_ptr<Counters> counters)
      : heap_(heap), base_(base), counters_(std::move(counters)) {
    ++counters_->opens;
  }
  ~PeerBlock() override {
    heap_.remove(base_);
    ++counters_->closes;
  }
  std::byte* base() const override { return base_; }

 private:
  Heap& heap_;
  std::byte* base_;
  std::shared_ptr<Counters> counters_;
};

Exported describe_export(const BlockFacts& block, const void* address, const std::string& name) {
  Exported exported;
  exported.process = this_process();
  exported.buffer_id = block.id;
  exported.base = reinterpret_cast<std::uintptr_t>(block.address);
  exported.bytes = block.bytes;
  exported.offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - block.address);
  name.copy(exported.handle.data(), exported.handle.size() - 1);
  return exported;
}

std::byte* own_address(const Heap& heap, const Exported& own) {
  auto* base = reinterpret_cast<std::byte*>(own.base);
  const auto block = heap.find(base);
  if (!block || block->id != own.buffer_id)
    throw Error(StatusCode::not_supported,
                fmt::format("open memory of this process at {}: it was freed after it was exported; export again",
                            fmt::ptr(base)));
  return base + own.offset;
}

}  // namespace

std::vector<std::byte> EmulatedGpus::export_memory(const void* address) {
  const auto refuse = [address](const std::string& why) {
    throw Error(StatusCode::not_supported, fmt::format("export the memory at {} to other processes: {}; allocate it "
                                                       "with Context::allocate or cudaMalloc",
                                                       fmt::ptr(address), why));
  };
  if (!heap_.is_gpu_address(address)) refuse("it is host memory");
  const BlockFacts block = demand_block(address);
  if (!block.why_not_exportable.empty()) refuse(block.why_not_exportable);
  if (const auto failure = script_.failure_of(DriverCall::export_memory)) refuse(*failure);
  Exported exported = describe_export(block, address, heap_.publish(address));
  exported.uuid = uuid_of_gpu(block.gpu);
  return encode(kind(), exported);
}

std::shared_ptr<Mapping> EmulatedGpus::open(std::span<const std::byte> exported, int ordinal) {
  const int gpu = gpu_of(ordinal);
  const Exported peer = decode(kind(), exported);
  if (const auto failure = script_.failure_of(DriverCall::open))
    throw Error(StatusCode::not_supported, fmt::format("map memory of process {} for {}: {}; use another path",
                                                       peer.process.pid, describe(ordinal), *failure));
  if (peer.process == this_process()) return direct_mapping(own_address(heap_, peer));
  // Emulated GPUs share one memory, so one mapping does for all ordinals.
  const OpeningKey key{peer.process, peer.buffer_id, 0};
  return openings_.open(key, peer.offset, [&] { return map_peer(peer, gpu); });
}

DmaBuf EmulatedGpus::export_dma_buf(const void* address, std::size_t bytes) {
  const auto refuse = [&](const std::string& why) {
    throw Error(StatusCode::not_supported,
                fmt::format("export {} bytes at {} as dma-buf: {}", bytes, fmt::ptr(address), why));
  };
  if (!heap_.is_gpu_address(address)) refuse("it is host memory");
  const BlockFacts block = demand_block(address);
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - block.address);
  if (bytes == 0 || bytes > block.bytes - offset) refuse("its allocation ends before");
  if (block.kind == MemoryKind::managed) refuse("managed memory");
  if (!block.why_no_dma_buf.empty()) refuse(block.why_no_dma_buf);
  return {heap_.file_of(address), offset};
}

std::shared_ptr<Opening> EmulatedGpus::map_peer(const Exported& peer, int gpu) const {
  BlockFacts wish{.bytes = peer.bytes, .gpu = gpu, .why_not_exportable = "it belongs to another process"};
  const BlockFacts block = heap_.add(std::move(wish), Segment::open(peer.handle.data(), peer.bytes));
  return std::make_shared<PeerBlock>(heap_, block.address, counters_);
}

}  // namespace halyard::device::emulated
