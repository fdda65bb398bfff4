// Of the emulated twin, see gpu_tools.hpp.
#include <cstring>
#include <thread>
#include <vector>

#include "device/emulated.hpp"
#include "support/gpu/tools.hpp"

namespace halyard::test {
namespace {

using device::EmulatedDevice;
using device::MemoryKind;

class EmulatedTools final : public GpuTools {
 public:
  explicit EmulatedTools(EmulatedDevice& device) : device_(device) {}

  std::shared_ptr<void> allocate(Unusual kind, int ordinal, std::size_t bytes) override {
    if (kind == Unusual::managed) return allocate_as({ordinal, MemoryKind::managed, {}, false}, bytes);
    return allocate_as({ordinal, MemoryKind::device, "from a memory pool (cudaMallocAsync)", false}, bytes);
  }
  std::shared_ptr<void> allocate_again(int ordinal, std::size_t bytes) override {
    return allocate_as({ordinal, MemoryKind::device, {}, true}, bytes);
  }
  std::uint64_t in_use(int) override {
    const auto counts = device_.counts();
    return counts.allocations - counts.deallocations + counts.opens - counts.closes;
  }
  std::uint64_t tolerance() const override { return 0; }

  void enqueue_slow_copy(Stream stream, void* target, std::span<const std::byte> bytes,
                         std::chrono::milliseconds time) override {
    auto work = [this, target, time, copy = std::vector(bytes.begin(), bytes.end())] {
      std::this_thread::sleep_for(time);
      std::memcpy(device_.host_view(target), copy.data(), copy.size());
    };
    device_.enqueue(stream, std::move(work)).or_throw();
  }

  void begin_capture(Stream stream) override { device_.begin_capture(stream); }
  std::shared_ptr<void> end_capture(Stream stream) override { return device_.end_capture(stream); }
  void replay(const std::shared_ptr<void>& graph, Stream stream) override { device_.replay(graph, stream); }

 private:
  std::shared_ptr<void> allocate_as(const device::EmulatedMemory& how, std::size_t bytes) {
    return {device_.allocate_as(how, bytes), [this](void* memory) { device_.deallocate(memory); }};
  }

  EmulatedDevice& device_;
};

}  // namespace

std::unique_ptr<GpuTools> gpu_tools(device::Device& device) {
  return std::make_unique<EmulatedTools>(dynamic_cast<EmulatedDevice&>(device));
}

}  // namespace halyard::test
