// UcxRegistrar: how UCX knows memory (ucp_mem_map), for the registration cache. Counted. Set-up only.
//
// Message buffers are allocated by UCX and not by us, because only memory that one of its shared-memory transports made
// can be mapped by a peer on the same node; our own memory would be reached through the kernel (process_vm_writev,
// which containers deny) or copied through UCX's mailbox.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "memory/registrar.hpp"
#include "transport/ucx/handles.hpp"

namespace halyard::transport::ucx {

/// Memory that UCX knows; what UCX allocated is freed as well.
class UcxRegistration final : public memory::Registration {
 public:
  UcxRegistration(MemoryHandle handle, std::byte* base, std::size_t bytes);
  ~UcxRegistration() override;

  ucp_mem_h handle() const { return handle_.get(); }

 private:
  MemoryHandle handle_;
};

class UcxRegistrar final : public memory::Registrar {
 public:
  explicit UcxRegistrar(ucp_context_h context) : context_(context) {}

  std::string name() const override { return "UCX"; }
  std::unique_ptr<memory::Registration> register_range(std::byte* base, std::size_t bytes,
                                                       memory::MemoryKind kind) override;
  std::unique_ptr<memory::Registration> allocate(std::size_t bytes) override;

  /// What a peer needs to write to the memory. Throws Error.
  PackedKey pack_key(const UcxRegistration& registration, std::size_t& bytes) const;

  static std::uint64_t num_registrations();
  static std::uint64_t registered_bytes();

 private:
  MemoryHandle map(const ucp_mem_map_params_t& params) const;

  ucp_context_h context_;
};

/// The errno that says the same.
int errno_of(ucs_status_t status);

}  // namespace halyard::transport::ucx
