// What the CUDA driver says of a pointer, see device.hpp.
#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "device/cuda/device.hpp"
#include "halyard/status.hpp"

namespace halyard::device::cuda {
namespace {

/// All members are zero before the driver writes them, some in fewer bytes than they have here.
struct Attributes {
  std::uint64_t memory_type = 0;
  std::uint64_t is_managed = 0;
  std::int32_t ordinal = 0;
  std::uint64_t buffer_id = 0;
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
  std::uint64_t pool = 0;
  std::uint64_t is_ipc_capable = 0;
  std::uint64_t handle_types = 0;
};

/// Memory that the driver does not know is no error: everything stays zero.
CUresult ask(const Driver& driver, const void* address, Attributes& answer) {
  std::array kinds = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,         CU_POINTER_ATTRIBUTE_IS_MANAGED,
                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,      CU_POINTER_ATTRIBUTE_BUFFER_ID,
                      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,    CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                      CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,      CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                      CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES};
  std::array<void*, kinds.size()> places = {&answer.memory_type, &answer.is_managed,     &answer.ordinal,
                                            &answer.buffer_id,   &answer.start,          &answer.bytes,
                                            &answer.pool,        &answer.is_ipc_capable, &answer.handle_types};
  return driver.pointer_attributes(static_cast<unsigned>(kinds.size()), kinds.data(), places.data(),
                                   reinterpret_cast<CUdeviceptr>(address));
}

MemoryKind kind_of(const Attributes& attributes) {
  if (attributes.is_managed != 0) return MemoryKind::managed;
  switch (attributes.memory_type) {
    case CU_MEMORYTYPE_DEVICE:
      return MemoryKind::device;
    case CU_MEMORYTYPE_HOST:
      return MemoryKind::pinned;
    default:
      return MemoryKind::host;
  }
}

std::string why_not_exportable(MemoryKind kind, const Attributes& attributes) {
  if (kind == MemoryKind::managed) return "managed memory";
  if (kind != MemoryKind::device) return "it is host memory";
  if (attributes.pool != 0) return "from a memory pool (cudaMallocAsync)";
  if (attributes.is_ipc_capable != 0) return "";
  if ((attributes.handle_types & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0)
    return "virtual memory (cuMemCreate) with file-descriptor handles, which Halyard does not export";
  return "virtual memory (cuMemCreate) or mapped from another process: the driver has no IPC handle for it";
}

}  // namespace

MemoryFacts CudaDevice::facts_of(const void* address) const {
  Attributes attributes;
  CUresult result = ask(driver_, address, attributes);
  if (result == CUDA_ERROR_INVALID_CONTEXT) {  // a thread without a context
    const UseGpu use(any_gpu());
    use.demand(fmt::format("ask what memory lies at {}", address));
    attributes = {};
    result = ask(driver_, address, attributes);
  }
  if (result != CUDA_SUCCESS)
    throw Error(StatusCode::transport_failed,
                fmt::format("ask what memory lies at {}: cuPointerGetAttributes: {}; see nvidia-smi and the kernel log",
                            address, error_text(driver_, result)));
  MemoryFacts facts{.kind = kind_of(attributes), .why_not_exportable = {}};
  facts.why_not_exportable = why_not_exportable(facts.kind, attributes);
  if (facts.kind == MemoryKind::host) return facts;
  facts.buffer_id = attributes.buffer_id;
  if (facts.kind == MemoryKind::pinned) return facts;
  facts.ordinal = attributes.ordinal;
  facts.base = attributes.start;
  facts.bytes = attributes.bytes;
  return facts;
}

Gpu& CudaDevice::gpu_of(const void* address) const {
  const MemoryFacts facts = facts_of(address);
  return facts.ordinal >= 0 && facts.ordinal < num_gpus() ? gpu(facts.ordinal) : any_gpu();
}

}  // namespace halyard::device::cuda
