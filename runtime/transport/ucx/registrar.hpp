// Registrar: memory that UCX allocates and registers for us, counted.
//
// Memory is allocated by UCX and not by us, because only memory that one of its shared-memory transports made can be
// mapped by a peer on the same node; our own memory would be reached through the kernel (process_vm_writev, which
// containers deny) or copied through UCX's mailbox. Set-up only. A registration cache will take this place later.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/ucx/handles.hpp"

namespace halyard::transport::ucx {

/// Registered memory; deregistered and freed with its owner. Zeroed, aligned to a page.
class Region {
 public:
  Region(MemoryHandle handle, std::byte* data, std::size_t bytes);
  Region(Region&&) noexcept;
  Region& operator=(Region&&) = delete;
  ~Region();

  ucp_mem_h handle() const { return handle_.get(); }
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  MemoryHandle handle_;
  std::byte* data_;
  std::size_t bytes_;
};

class Registrar {
 public:
  explicit Registrar(ucp_context_h context) : context_(context) {}

  /// Throws Error(out_of_resources).
  Region allocate(std::size_t bytes) const;
  /// What a peer needs to write to the region.
  PackedKey pack_key(const Region& region, std::size_t& bytes) const;

  static std::uint64_t num_registrations();
  static std::uint64_t registered_bytes();

 private:
  ucp_context_h context_;
};

}  // namespace halyard::transport::ucx
