// Emulated memory between two processes: one forked, one started anew (another address layout, nothing inherited).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "device/emulated.hpp"
#include "unit/device/child_process.hpp"
#include "unit/device/role.hpp"
#include "unit/error_text.hpp"

namespace halyard::device {
namespace {

constexpr std::size_t kBytes = 1 << 20;
constexpr std::ptrdiff_t kOffset = 12345;

/// What a peer does with the exported byte: opens it twice, reads, answers, closes. 0: all was as it must be.
int use_as_peer(EmulatedDevice& device, const std::vector<std::byte>& exported) {
  auto mapping = device.open(exported, 0);
  auto again = device.open(exported, 1);
  if (mapping->data() != again->data()) return 1;
  if (*device.host_view(mapping->data()) != std::byte{42}) return 2;
  *device.host_view(mapping->data() + 1) = std::byte{43};
  const MemoryFacts facts = device.facts_of(mapping->data());
  if (facts.kind != MemoryKind::device || facts.bytes != kBytes || facts.why_not_exportable.empty()) return 3;
  if (facts.base + kOffset != reinterpret_cast<std::uintptr_t>(mapping->data())) return 4;
  std::byte* const data = mapping->data();
  mapping.reset();
  if (device.counts().opens != 1 || device.counts().closes != 0) return 5;
  again.reset();
  if (device.counts().opens != 1 || device.counts().closes != 1) return 6;
  return device.host_view(data) == nullptr ? 0 : 7;
}

struct Owner {
  std::shared_ptr<EmulatedDevice> device = EmulatedDevice::make();
  std::byte* memory = static_cast<std::byte*>(device->allocate(1, kBytes));
  std::vector<std::byte> exported = device->export_memory(memory + kOffset);

  Owner() { *device->host_view(memory + kOffset) = std::byte{42}; }
  std::byte answer() const { return *device->host_view(memory + kOffset + 1); }
};

TEST(EmulatedPeer, that_was_forked_sees_the_bytes_and_answers) {
  Owner owner;
  EXPECT_EQ(test::in_child([&] { return use_as_peer(*owner.device, owner.exported); }), 0);
  EXPECT_EQ(owner.answer(), std::byte{43});
}

TEST(EmulatedPeer, that_was_started_anew_sees_the_bytes_and_answers) {
  Owner owner;
  EXPECT_EQ(test::run_role("EmulatedPeer.role_of_the_one_started_anew", owner.exported), 0);
  EXPECT_EQ(owner.answer(), std::byte{43});
}

TEST(EmulatedPeer, role_of_the_one_started_anew) {
  const auto exported = test::role_argument();
  if (!exported) return;  // this test is only the child of the one above
  auto device = EmulatedDevice::make(4, {3, 1});
  EXPECT_EQ(use_as_peer(*device, *exported), 0);
}

TEST(EmulatedPeerDeathTest, cannot_touch_mapped_memory_from_the_host) {
  Owner owner;
  const int code = test::in_child([&] {
    auto mapping = owner.device->open(owner.exported, 0);
    EXPECT_DEATH(*static_cast<volatile std::byte*>(mapping->data()) = std::byte{1}, "");
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(code, 0);
}

TEST(EmulatedPeer, keeps_the_old_bytes_of_memory_that_its_owner_freed) {
  Owner owner;
  const int code = test::in_child([&] {
    auto mapping = owner.device->open(owner.exported, 0);
    owner.device->deallocate(owner.memory);  // in the child only: its own copy of the owner's state
    return *owner.device->host_view(mapping->data()) == std::byte{42} ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(*owner.device->host_view(owner.memory + kOffset), std::byte{42});
}

TEST(EmulatedPeer, is_told_when_the_owner_has_freed_the_memory) {
  Owner owner;
  owner.device->deallocate(owner.memory);
  const int code = test::in_child([&] {
    const auto text = test::error_text(StatusCode::not_supported, [&] { owner.device->open(owner.exported, 0); });
    EXPECT_THAT(text, ::testing::HasSubstr("its owner must not have freed it"));
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace halyard::device
