// Registrar: see registrar.hpp.
#include "transport/ucx/registrar.hpp"

#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "halyard/status.hpp"

namespace halyard::transport::ucx {
namespace {

std::atomic<std::uint64_t> registrations{0};
std::atomic<std::uint64_t> bytes_now{0};

[[noreturn]] void refuse(const char* call, std::size_t bytes, ucs_status_t status) {
  throw Error(StatusCode::out_of_resources, "register " + std::to_string(bytes) + " bytes of message buffers: " + call +
                                                ": " + ucs_status_string(status) +
                                                "; check 'ulimit -l' and the size of /dev/shm");
}

}  // namespace

Region::Region(MemoryHandle handle, std::byte* data, std::size_t bytes)
    : handle_(std::move(handle)), data_(data), bytes_(bytes) {
  bytes_now += bytes_;
}

Region::Region(Region&& other) noexcept
    : handle_(std::move(other.handle_)), data_(other.data_), bytes_(std::exchange(other.bytes_, 0)) {}

Region::~Region() { bytes_now -= bytes_; }

Region Registrar::allocate(std::size_t bytes) const {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  params.length = bytes;
  params.flags = UCP_MEM_MAP_ALLOCATE;
  ucp_mem_h mapped = nullptr;
  ucs_status_t status = ucp_mem_map(context_, &params, &mapped);
  if (status != UCS_OK) refuse("ucp_mem_map", bytes, status);
  MemoryHandle handle(mapped, UnmapMemory{context_});
  ++registrations;

  ucp_mem_attr_t attributes{};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  status = ucp_mem_query(mapped, &attributes);
  if (status != UCS_OK) refuse("ucp_mem_query", bytes, status);
  std::memset(attributes.address, 0, bytes);
  return Region(std::move(handle), static_cast<std::byte*>(attributes.address), bytes);
}

PackedKey Registrar::pack_key(const Region& region, std::size_t& bytes) const {
  void* key = nullptr;
  const ucs_status_t status = ucp_rkey_pack(context_, region.handle(), &key, &bytes);
  if (status != UCS_OK) refuse("ucp_rkey_pack", region.bytes(), status);
  return PackedKey(key);
}

std::uint64_t Registrar::num_registrations() { return registrations; }

std::uint64_t Registrar::registered_bytes() { return bytes_now; }

}  // namespace halyard::transport::ucx
