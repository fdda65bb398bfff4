// See gpu_memory.hpp. Keys are for the addresses that the GPU's kernels use, whatever the way.
#include "transport/verbs/device/gpu_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/verbs/registrar.hpp"

namespace halyard::transport::verbs {
namespace {

using memory::Range;
using memory::RegistrationError;

[[noreturn]] void refuse(const char* call) {
  const int error = errno == 0 ? EIO : errno;
  throw RegistrationError(error, fmt::format("{}: {}", call, std::strerror(error)));
}

std::unique_ptr<memory::Registration> by_dma_buf(ibv_pd& domain, const device::DmaBuf& file, Range range) {
  errno = 0;
  MemoryRegion region(ibv_reg_dmabuf_mr(&domain, file.offset, range.bytes(), range.first, file.file.get(), kAccess));
  if (region == nullptr) refuse("ibv_reg_dmabuf_mr");
  return std::make_unique<Registration>(range.data(), range.bytes(), std::move(region));
}

std::unique_ptr<memory::Registration> by_address(ibv_pd& domain, Range range) {
  errno = 0;
  MemoryRegion region(ibv_reg_mr(&domain, range.data(), range.bytes(), kAccess));
  if (region == nullptr) refuse("ibv_reg_mr");
  return std::make_unique<Registration>(range.data(), range.bytes(), std::move(region));
}

// ---- the emulated device -------------------------------------------------------------------------------------------

/// Pages of an emulated GPU, where the NIC finds them.
class MappedPages {
 public:
  MappedPages(const device::DmaBuf& file, std::size_t bytes)
      : bytes_(bytes),
        data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.file.get(),
                   static_cast<off_t>(file.offset))) {
    if (data_ == MAP_FAILED) refuse("mmap of an emulated GPU's memory");
  }
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;
  ~MappedPages() { munmap(data_, bytes_); }
  void* data() const { return data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

/// A base before Registration, so that the pages go after the region.
struct HoldsPages {
  std::unique_ptr<MappedPages> held;
};

class EmulatedRegistration final : private HoldsPages, public Registration {
 public:
  EmulatedRegistration(std::unique_ptr<MappedPages> pages, Range range, MemoryRegion region)
      : HoldsPages{std::move(pages)}, Registration(range.data(), range.bytes(), std::move(region)) {}
};

// Its memory is a plain file, which no kernel driver takes for a dma-buf; its pages are registered under the GPU's
// addresses, so that all else is as with a GPU.
std::unique_ptr<memory::Registration> by_pages(ibv_pd& domain, const device::DmaBuf& file, Range range) {
  auto pages = std::make_unique<MappedPages>(file, range.bytes());
  errno = 0;
  MemoryRegion region(ibv_reg_mr_iova(&domain, pages->data(), range.bytes(), range.first, kAccess));
  if (region == nullptr) refuse("ibv_reg_mr_iova");
  return std::make_unique<EmulatedRegistration>(std::move(pages), range, std::move(region));
}

}  // namespace

memory::DeviceRoutes::Ways ways_to_gpu_memory(ibv_pd& domain, const device::Device& device) {
  memory::DeviceRoutes::Ways ways;
  const bool is_emulated = device.kind() == "emulated";
  ways.by_dma_buf = [&domain, is_emulated](const device::DmaBuf& file, Range range) {
    return is_emulated ? by_pages(domain, file, range) : by_dma_buf(domain, file, range);
  };
  ways.by_address = [&domain](Range range) { return by_address(domain, range); };
  return ways;
}

}  // namespace halyard::transport::verbs
