// See gpu_trial.hpp.
#include "transport/verbs/device/gpu_trial.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "memory/device_routes.hpp"
#include "transport/verbs/device/rail.hpp"

namespace halyard::transport::verbs {
namespace {

constexpr std::size_t kPage = 65'536;  // a GPU's page
constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

/// A page of GPU memory.
class Page {
 public:
  explicit Page(device::Device& device) : device_(device), memory_(device.allocate(device.current_gpu(), kPage)) {}
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  ~Page() { device_.deallocate(memory_); }
  memory::Range range() const { return memory::Range::of(memory_, kPage); }

 private:
  device::Device& device_;
  void* memory_;
};

std::unique_ptr<memory::Registration> by_dma_buf(ibv_pd* domain, const device::DmaBuf& buffer, memory::Range range) {
  errno = 0;
  MemoryRegion region(ibv_reg_dmabuf_mr(domain, buffer.offset, range.bytes(), range.first, buffer.file.get(), kAccess));
  if (region == nullptr) {
    const int error = errno == 0 ? EIO : errno;
    throw memory::RegistrationError(error, fmt::format("ibv_reg_dmabuf_mr: {}", std::strerror(error)));
  }
  return std::make_unique<Registration>(range.data(), range.bytes(), std::move(region));
}

}  // namespace

std::string try_gpu_memory(device::Device& device) {
  Rail rail(choose_ports(list_ports(), {"", own_numa_node(), 0}).front(), Settings{});
  const Page page(device);
  memory::DeviceRoutes::Ways ways;
  ways.by_dma_buf = [&](const device::DmaBuf& buffer, memory::Range range) {
    return by_dma_buf(rail.domain(), buffer, range);
  };
  ways.by_address = [&](memory::Range range) {
    return rail.registrar().register_range(range.data(), range.bytes(), memory::MemoryKind::device);
  };
  memory::DeviceRoutes routes(device, std::move(ways));
  try {
    const auto registration = routes.register_allocation(page.range());
  } catch (const memory::RegistrationError&) {
    // what both ways answered is in the routes' text
  }
  return routes.text();
}

}  // namespace halyard::transport::verbs
