// DeviceRoutes: the order of the ways and the reasons that are kept, on emulated GPU memory.
#include "memory/device_routes.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "device/emulated.hpp"
#include "unit/error_text.hpp"

namespace halyard::memory {
namespace {

constexpr std::size_t kBytes = 8192;

class DeviceRoutesTest : public testing::Test {
 protected:
  Range allocation(std::string why_no_dma_buf = {}) {
    const device::EmulatedMemory how{.why_not_exportable = {}, .why_no_dma_buf = std::move(why_no_dma_buf)};
    return Range::of(gpu->allocate_as(how, kBytes), kBytes);
  }
  DeviceRoutes::Ways both() {
    return {[this](const device::DmaBuf& memory, Range range) {
              EXPECT_GE(memory.file.get(), 0);
              return made(DeviceRoute::dma_buf, range);
            },
            "", [this](Range range) { return made(DeviceRoute::peermem, range); }, ""};
  }
  std::unique_ptr<Registration> made(DeviceRoute route, Range range) {
    taken.push_back(route);
    return std::make_unique<Registration>(range.data(), range.bytes());
  }

  std::shared_ptr<device::EmulatedDevice> gpu = device::EmulatedDevice::make(1);
  std::vector<DeviceRoute> taken;
};

using Routes = std::vector<DeviceRoute>;

TEST_F(DeviceRoutesTest, DmaBufComesFirst) {
  DeviceRoutes routes(*gpu, both());
  EXPECT_EQ(routes.text(), "not tried yet");
  const Range range = allocation();
  const auto registration = routes.register_allocation(range);
  EXPECT_EQ(registration->base(), range.data());
  EXPECT_EQ(taken, (Routes{DeviceRoute::dma_buf}));
  EXPECT_EQ(routes.text(), "dma-buf");
}

TEST_F(DeviceRoutesTest, PeermemComesSecondAndTheReasonIsKept) {
  DeviceRoutes routes(*gpu, both());
  (void)routes.register_allocation(allocation("the driver has no dma-buf"));
  EXPECT_EQ(taken, (Routes{DeviceRoute::peermem}));
  EXPECT_NE(routes.refusal(DeviceRoute::dma_buf).find("the driver has no dma-buf"), std::string::npos);
  EXPECT_EQ(routes.text().find("nvidia_peermem (dma-buf: export 8192 bytes"), 0U) << routes.text();
  (void)routes.register_allocation(allocation());
  EXPECT_EQ(routes.text(), "dma-buf") << "the next allocation may go the better way";
}

TEST_F(DeviceRoutesTest, AWayThatTheLibraryLacksIsNotTried) {
  DeviceRoutes::Ways ways = both();
  ways.by_dma_buf = nullptr;
  ways.why_no_dma_buf = "this libibverbs has no ibv_reg_dmabuf_mr";
  DeviceRoutes routes(*gpu, ways);
  (void)routes.register_allocation(allocation());
  EXPECT_EQ(routes.text(), "nvidia_peermem (dma-buf: this libibverbs has no ibv_reg_dmabuf_mr)");
}

TEST_F(DeviceRoutesTest, WithoutAnyWayBothReasonsAreTold) {
  DeviceRoutes::Ways ways = both();
  ways.by_address = [](Range) -> std::unique_ptr<Registration> {
    throw RegistrationError(EFAULT, "ibv_reg_mr: Bad address");
  };
  DeviceRoutes routes(*gpu, ways);
  const Range range = allocation("driver too old");
  try {
    (void)routes.register_allocation(range);
    FAIL() << "was registered";
  } catch (const RegistrationError& error) {
    EXPECT_EQ(error.error_number(), EFAULT);
    const std::string& text = error.status().text();
    EXPECT_NE(text.find("driver too old; nvidia_peermem: ibv_reg_mr: Bad address"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("; run 'halyard doctor --check peermem'")) << text;
  }
  EXPECT_EQ(routes.text().find("none (dma-buf: "), 0U);
}

TEST_F(DeviceRoutesTest, AShortageIsNoReasonAgainstAWay) {
  DeviceRoutes::Ways ways = both();
  ways.by_dma_buf = [](const device::DmaBuf&, Range) -> std::unique_ptr<Registration> {
    throw RegistrationError(ENOMEM, "ibv_reg_dmabuf_mr: Cannot allocate memory");
  };
  DeviceRoutes routes(*gpu, ways);
  EXPECT_THROW((void)routes.register_allocation(allocation()), RegistrationError);
  EXPECT_TRUE(taken.empty());
  EXPECT_EQ(routes.refusal(DeviceRoute::dma_buf), "");
}

}  // namespace
}  // namespace halyard::memory
