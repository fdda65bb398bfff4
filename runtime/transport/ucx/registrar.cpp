// UcxRegistrar: see registrar.hpp.
#include "transport/ucx/registrar.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "halyard/status.hpp"

namespace halyard::transport::ucx {
namespace {

std::atomic<std::uint64_t> registrations{0};
std::atomic<std::uint64_t> bytes_now{0};

[[noreturn]] void refuse(const char* call, ucs_status_t status) {
  throw memory::RegistrationError(errno_of(status), std::string(call) + ": " + ucs_status_string(status));
}

ucs_memory_type_t type_of(memory::MemoryKind kind) {
  switch (kind) {
    case memory::MemoryKind::device:
      return UCS_MEMORY_TYPE_CUDA;
    case memory::MemoryKind::managed:
      return UCS_MEMORY_TYPE_CUDA_MANAGED;
    default:
      return UCS_MEMORY_TYPE_HOST;
  }
}

}  // namespace

int errno_of(ucs_status_t status) {
  switch (status) {
    case UCS_ERR_NO_MEMORY:
    case UCS_ERR_EXCEEDS_LIMIT:
      return ENOMEM;
    case UCS_ERR_NO_RESOURCE:
      return EAGAIN;
    case UCS_ERR_SHMEM_SEGMENT:  // what UCX says of a full /dev/shm
      return ENOSPC;
    case UCS_ERR_INVALID_ADDR:
      return EFAULT;
    case UCS_ERR_INVALID_PARAM:
      return EINVAL;
    case UCS_ERR_UNSUPPORTED:
      return EOPNOTSUPP;
    default:
      return EIO;
  }
}

UcxRegistration::UcxRegistration(MemoryHandle handle, std::byte* base, std::size_t bytes)
    : Registration(base, bytes), handle_(std::move(handle)) {
  bytes_now += bytes;
}

UcxRegistration::~UcxRegistration() { bytes_now -= bytes(); }

std::unique_ptr<memory::Registration> UcxRegistrar::register_range(std::byte* base, std::size_t bytes,
                                                                   memory::MemoryKind kind) {
  ucp_mem_map_params_t params{};
  params.field_mask =
      UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE;
  params.address = base;
  params.length = bytes;
  params.memory_type = type_of(kind);
  return std::make_unique<UcxRegistration>(map(params), base, bytes);
}

std::unique_ptr<memory::Registration> UcxRegistrar::allocate(std::size_t bytes) {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  params.length = bytes;
  params.flags = UCP_MEM_MAP_ALLOCATE;
  MemoryHandle handle = map(params);
  ucp_mem_attr_t attributes{};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  const ucs_status_t status = ucp_mem_query(handle.get(), &attributes);
  if (status != UCS_OK) refuse("ucp_mem_query", status);
  std::memset(attributes.address, 0, bytes);
  return std::make_unique<UcxRegistration>(std::move(handle), static_cast<std::byte*>(attributes.address), bytes);
}

MemoryHandle UcxRegistrar::map(const ucp_mem_map_params_t& params) const {
  ucp_mem_h mapped = nullptr;
  const ucs_status_t status = ucp_mem_map(context_, &params, &mapped);
  if (status != UCS_OK) refuse("ucp_mem_map", status);
  ++registrations;
  return MemoryHandle(mapped, UnmapMemory{context_});
}

PackedKey UcxRegistrar::pack_key(const UcxRegistration& registration, std::size_t& bytes) const {
  void* key = nullptr;
  const ucs_status_t status = ucp_rkey_pack(context_, registration.handle(), &key, &bytes);
  if (status != UCS_OK)
    throw Error(StatusCode::not_supported,
                "export " + std::to_string(registration.bytes()) + " bytes of message buffers: ucp_rkey_pack: " +
                    ucs_status_string(status) + "; look at UCX_TLS, or use another path (HALYARD_PATH=^ucx)");
  return PackedKey(key);
}

std::uint64_t UcxRegistrar::num_registrations() { return registrations; }

std::uint64_t UcxRegistrar::registered_bytes() { return bytes_now; }

}  // namespace halyard::transport::ucx
