// GpuMirror: device memory of the same layout as fields in host memory, so that tests fill and check on the host what
// is exchanged on a GPU (emulated or real).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "halyard/field.hpp"

namespace halyard::test {

/// Memory of the device that is freed with the result.
std::shared_ptr<void> gpu_memory(const std::shared_ptr<device::Device>& device, int ordinal, std::size_t bytes);

class GpuMirror {
 public:
  /// How a test takes its device memory.
  using Allocate = std::function<std::shared_ptr<void>(std::size_t bytes)>;

  GpuMirror(std::shared_ptr<device::Device> device, int ordinal, std::span<const FieldView> host_views,
            const Allocate& allocate = nullptr);

  /// The host views at device addresses.
  const std::vector<FieldView>& views() const { return views_; }
  void upload();
  void download();

 private:
  struct Copy {
    std::span<std::byte> host;
    std::shared_ptr<void> gpu;
  };

  std::shared_ptr<device::Device> device_;
  std::vector<Copy> copies_;
  std::vector<FieldView> views_;
};

}  // namespace halyard::test
