// gpu_of: where the fields of a binding lie, and which mixtures are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/emulated.hpp"
#include "exchange/gpu/assembly.hpp"
#include "unit/error_text.hpp"

namespace halyard::exchange::gpu {
namespace {

using device::EmulatedDevice;
using test::error_text;
using testing::AllOf;
using testing::HasSubstr;

class GpuOf : public testing::Test {
 protected:
  ~GpuOf() override {
    for (void* memory : memory_) device_->deallocate(memory);
  }
  FieldView on(int ordinal, std::string name, std::int64_t cells = 8) {
    memory_.push_back(device_->allocate(ordinal, static_cast<std::size_t>(cells) * sizeof(double)));
    return FieldView::list(static_cast<double*>(memory_.back()), cells, 1, std::move(name));
  }
  int gpu_of(const std::vector<FieldView>& views) { return gpu::gpu_of(views, device_.get()); }
  std::string refusal(const std::vector<FieldView>& views) {
    return error_text(StatusCode::invalid_argument, [&] { (void)gpu_of(views); });
  }

  std::shared_ptr<EmulatedDevice> device_ = EmulatedDevice::make(2);
  std::vector<void*> memory_;
  std::vector<double> host_ = std::vector<double>(8);
};

TEST_F(GpuOf, NamesTheGpuOfAllFields) {
  EXPECT_EQ(gpu_of({on(1, "a"), on(1, "b")}), 1);
  EXPECT_EQ(gpu_of({FieldView::list(host_.data(), 8)}), -1);
  EXPECT_EQ(gpu_of({}), -1);
}

TEST_F(GpuOf, LeavesFieldsWithoutMemoryOutOfIt) {
  EXPECT_EQ(gpu_of({FieldView::list<double>(nullptr, 8), on(0, "b")}), 0);
}

TEST_F(GpuOf, TakesManagedMemoryForMemoryOfItsGpu) {
  memory_.push_back(device_->allocate_as({1, device::MemoryKind::managed, {}, false}, 64));
  EXPECT_EQ(gpu_of({FieldView::list(static_cast<double*>(memory_.back()), 8)}), 1);
}

TEST_F(GpuOf, TakesPinnedMemoryForHostMemory) {
  const auto pinned = device_->pin(host_.data(), host_.size() * sizeof(double));
  EXPECT_EQ(gpu_of({FieldView::list(host_.data(), 8)}), -1);
}

TEST_F(GpuOf, WithoutADeviceEverythingIsHostMemory) {
  const std::vector<FieldView> views{FieldView::list(host_.data(), 8)};
  EXPECT_EQ(gpu::gpu_of(views, nullptr), -1);
}

TEST_F(GpuOf, RefusesMixtures) {
  EXPECT_THAT(refusal({on(0, "a"), on(1, "b")}), AllOf(HasSubstr("'a' and 'b'"), HasSubstr("GPUs 0 and 1")));
  EXPECT_THAT(refusal({FieldView::list(host_.data(), 8, 1, "h"), on(1, "b")}),
              AllOf(HasSubstr("'b' lies on GPU 1"), HasSubstr("others in host memory")));
}

TEST_F(GpuOf, RefusesAFieldThatIsLargerThanItsAllocation) {
  FieldView view = on(0, "long");
  view.extent[0] = 9;
  EXPECT_THAT(refusal({view}), AllOf(HasSubstr("'long'"), HasSubstr("reaches 8 bytes past the end"), HasSubstr("64")));
}

}  // namespace
}  // namespace halyard::exchange::gpu
