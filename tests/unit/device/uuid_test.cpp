#include "device/uuid.hpp"

#include <gtest/gtest.h>

namespace halyard::device {
namespace {

TEST(Uuid, is_written_as_nvidia_smi_writes_it) {
  Uuid uuid;
  for (std::size_t i = 0; i < uuid.size(); ++i) uuid[i] = static_cast<std::byte>(0xf0 + i);
  EXPECT_EQ(text_of(uuid), "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
}

}  // namespace
}  // namespace halyard::device
