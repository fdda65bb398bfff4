// Nic: what of an RDMA NIC a stale registration shows with. It goes on reading the pages that it was given when memory
// was registered, whatever lies at that address by now.
//
// Host pages are held by a pipe, which takes references on the very pages (vmsplice), as the kernel does for a NIC. GPU
// memory is mapped through its dma-buf.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "device/device.hpp"
#include "memory/registrar.hpp"

namespace halyard::test {

class NicRegistration : public memory::Registration {
 public:
  using Registration::Registration;
  /// All that the NIC would send from this memory.
  virtual std::vector<std::byte> sent() const = 0;
};

class Nic final : public memory::Registrar {
 public:
  explicit Nic(device::Device* device = nullptr) : device_(device) {}

  static constexpr std::size_t kMaxHostBytes = std::size_t{1} << 20;  // what a pipe of an ordinary user holds

  std::string name() const override { return "a NIC made of pipes"; }
  std::unique_ptr<memory::Registration> register_range(std::byte* base, std::size_t bytes,
                                                       memory::MemoryKind kind) override {
    if (kind == memory::MemoryKind::device) return std::make_unique<OfDevice>(*device_, base, bytes);
    return std::make_unique<OfHost>(base, bytes);
  }

 private:
  static void demand(bool is_done, const char* call) {
    if (!is_done) throw memory::RegistrationError(errno, std::string(call) + ": " + std::strerror(errno));
  }

  struct Pipe {
    explicit Pipe(std::size_t bytes) {
      int ends[2] = {-1, -1};
      demand(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0, "pipe2");
      out = base::FileDescriptor(ends[0]);
      in = base::FileDescriptor(ends[1]);
      demand(fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(bytes)) > 0, "F_SETPIPE_SZ");
    }
    base::FileDescriptor out, in;
  };

  class OfHost final : public NicRegistration {
   public:
    OfHost(std::byte* base, std::size_t bytes) : NicRegistration(base, bytes), pages_(bytes) {
      for (std::size_t at = 0; at < bytes; at += 4096) {  // the pages that will be written, not the one of zeros
        volatile std::byte& byte = base[at];
        byte = static_cast<std::byte>(byte);
      }
      const iovec all{base, bytes};
      demand(vmsplice(pages_.in.get(), &all, 1, SPLICE_F_NONBLOCK) == static_cast<ssize_t>(bytes), "vmsplice");
    }
    std::vector<std::byte> sent() const override {
      const Pipe copy(bytes());
      demand(tee(pages_.out.get(), copy.in.get(), bytes(), SPLICE_F_NONBLOCK) == static_cast<ssize_t>(bytes()), "tee");
      std::vector<std::byte> seen(bytes());
      std::size_t num_read = 0;
      while (num_read < seen.size()) {
        const ssize_t more = read(copy.out.get(), seen.data() + num_read, seen.size() - num_read);
        demand(more > 0, "read");
        num_read += static_cast<std::size_t>(more);
      }
      return seen;
    }

   private:
    Pipe pages_;
  };

  class OfDevice final : public NicRegistration {
   public:
    OfDevice(device::Device& device, std::byte* base, std::size_t bytes)
        : NicRegistration(base, bytes), memory_(device.export_dma_buf(base, bytes)) {
      mapped_ = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, memory_.file.get(), static_cast<off_t>(memory_.offset));
      demand(mapped_ != MAP_FAILED, "mmap");
    }
    ~OfDevice() override { munmap(mapped_, bytes()); }
    std::vector<std::byte> sent() const override {
      const auto* first = static_cast<const std::byte*>(mapped_);
      return {first, first + bytes()};
    }

   private:
    device::DmaBuf memory_;
    void* mapped_ = nullptr;
  };

  device::Device* device_;
};

}  // namespace halyard::test
