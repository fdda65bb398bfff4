// How a CudaDevice exports memory and maps that of others, see device.hpp.
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "device/cuda/device.hpp"
#include "device/cuda/nvlink.hpp"
#include "device/cuda/peer_access.hpp"
#include "device/uuid.hpp"
#include "halyard/status.hpp"

namespace halyard::device::cuda {
namespace {

class IpcOpening final : public Opening {
 public:
  IpcOpening(Gpu& gpu, std::byte* base) : gpu_(gpu), life_(gpu.life()), base_(base) {}
  ~IpcOpening() override {
    if (gpu_.life() != life_) return;
    const UseGpu use(gpu_);
    const AllowDuringCapture allow;
    if (use.ok() && cudaIpcCloseMemHandle(base_) != cudaSuccess) (void)cudaGetLastError();
  }
  std::byte* base() const override { return base_; }

 private:
  Gpu& gpu_;
  std::uint64_t life_;
  std::byte* base_;
};

static_assert(sizeof(cudaIpcMemHandle_t) < sizeof(Exported::handle));

std::string peer_text(const Exported& peer, const Gpu& user) {
  return fmt::format("map {} bytes of process {} on {} for {}", peer.bytes, peer.process.pid, text_of(peer.uuid),
                     user.description());
}

constexpr const char* kTogether =
    "its owner must not have freed it, and both processes need one IPC and PID namespace (docker: --ipc=host "
    "--pid=host); else use another path";

}  // namespace

std::vector<std::byte> CudaDevice::export_memory(const void* address) {
  const std::string tried = fmt::format("export the memory at {} to other processes", address);
  const MemoryFacts facts = facts_of(address);
  if (!facts.why_not_exportable.empty())
    throw Error(StatusCode::not_supported, fmt::format("{}: {}; allocate it with Context::allocate or cudaMalloc",
                                                       tried, facts.why_not_exportable));
  Gpu& there = gpu(facts.ordinal);
  const UseGpu use(there);
  use.demand(tried);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  if (const CUresult result = driver_.address_range(&base, &bytes, reinterpret_cast<CUdeviceptr>(address));
      result != CUDA_SUCCESS)
    throw Error(StatusCode::not_supported, fmt::format("{}: cuMemGetAddressRange: {}; allocate it with cudaMalloc",
                                                       tried, error_text(driver_, result)));
  cudaIpcMemHandle_t handle{};
  demand(cudaIpcGetMemHandle(&handle, reinterpret_cast<void*>(base)), tried + ": cudaIpcGetMemHandle",
         "allocate it with Context::allocate or cudaMalloc", StatusCode::not_supported);
  Exported exported{
      this_process(), there.uuid(), facts.buffer_id, base, bytes, reinterpret_cast<std::uintptr_t>(address) - base, {}};
  std::memcpy(exported.handle.data(), &handle, sizeof(handle));
  return encode(kind(), exported);
}

bool CudaDevice::stores_lines_whole(std::span<const std::byte> exported, int ordinal) const {
  const Exported peer = decode(kind(), exported);
  const Uuid& user = gpu(ordinal).uuid();
  return peer.uuid == user || is_nvlink(user, peer.uuid);
}

/// The driver exports whole pages of the host's size; allocations are at least that aligned or share a larger block.
DmaBuf CudaDevice::export_dma_buf(const void* address, std::size_t bytes) {
  const std::string tried = fmt::format("export {} bytes at {} as dma-buf", bytes, address);
  const MemoryFacts facts = facts_of(address);
  if (facts.kind != MemoryKind::device)
    throw Error(StatusCode::not_supported, fmt::format("{}: it is {} memory", tried, name_of(facts.kind)));
  const UseGpu use(gpu(facts.ordinal));
  use.demand(tried);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t page_first = first / page * page;
  const std::uintptr_t page_end = (first + bytes + page - 1) / page * page;
  int fd = -1;
  const CUresult result =
      driver_.handle_for_range(&fd, page_first, page_end - page_first, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
  if (result != CUDA_SUCCESS)
    throw Error(StatusCode::not_supported,
                fmt::format("{}: cuMemGetHandleForAddressRange: {}", tried, error_text(driver_, result)));
  return {base::FileDescriptor(fd), first - page_first};
}

std::shared_ptr<Mapping> CudaDevice::open(std::span<const std::byte> exported, int ordinal) {
  Gpu& user = gpu(ordinal);
  const Exported peer = decode(kind(), exported);
  if (peer.process == this_process()) return open_own(peer, user);
  UseGpu(user).demand(peer_text(peer, user));  // so that it has a life
  const OpeningKey key{peer.process, peer.buffer_id, ordinal, user.life()};
  return openings_.open(key, peer.offset, [&] { return map_peer(peer, user); });
}

/// Memory of this process: IPC refuses it, and the address holds for all GPUs that may reach each other.
std::shared_ptr<Mapping> CudaDevice::open_own(const Exported& own, Gpu& user) {
  auto* base = reinterpret_cast<std::byte*>(own.base);
  const MemoryFacts facts = facts_of(base);
  if (facts.kind != MemoryKind::device || facts.buffer_id != own.buffer_id)
    throw Error(StatusCode::not_supported,
                fmt::format("open memory of this process at {}: it was freed after it was exported; export again",
                            fmt::ptr(base)));
  if (facts.ordinal != user.ordinal()) enable_peer_access(user, gpu(facts.ordinal));
  return direct_mapping(base + own.offset);
}

std::shared_ptr<Opening> CudaDevice::map_peer(const Exported& peer, Gpu& user) const {
  const std::string tried = peer_text(peer, user);
  if (const Gpu* owner = gpu_with(peer.uuid); owner != nullptr && owner->ordinal() != user.ordinal())
    demand_reach(user, *owner);
  const UseGpu use(user);
  use.demand(tried);
  const AllowDuringCapture allow;
  cudaIpcMemHandle_t handle{};
  std::memcpy(&handle, peer.handle.data(), sizeof(handle));
  void* base = nullptr;
  demand(cudaIpcOpenMemHandle(&base, handle, cudaIpcMemLazyEnablePeerAccess), tried + ": cudaIpcOpenMemHandle",
         kTogether, StatusCode::not_supported);
  return std::make_shared<IpcOpening>(user, static_cast<std::byte*>(base));
}

}  // namespace halyard::device::cuda
