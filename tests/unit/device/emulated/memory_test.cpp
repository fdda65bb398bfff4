// Memory of the emulated device: what the host may touch, ids, facts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "device/emulated.hpp"
#include "unit/error_text.hpp"

namespace halyard::device {
namespace {

using test::error_text;
using ::testing::HasSubstr;

std::byte* bytes_at(void* memory) { return static_cast<std::byte*>(memory); }

/// A plain host access, as a code path that took device memory for host memory would do it.
void touch(void* memory) { *static_cast<volatile char*>(memory) = 1; }

TEST(EmulatedMemoryDeathTest, of_a_gpu_crashes_the_host_that_touches_it) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(0, 100);
  EXPECT_DEATH(touch(memory), "");
  device->deallocate(memory);
  EXPECT_DEATH(touch(memory), "");
}

TEST(EmulatedMemoryDeathTest, behind_the_last_page_crashes_its_kernels) {
  auto device = EmulatedDevice::make();
  std::byte* view = device->host_view(device->allocate(0, 64 << 10));
  EXPECT_DEATH(touch(view + (64 << 10)), "");
}

TEST(EmulatedMemory, is_zeroed_and_reached_through_its_twin) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(1, 1000);
  std::byte* view = device->host_view(memory);
  EXPECT_NE(view, memory);
  EXPECT_TRUE(std::all_of(view, view + 1000, [](std::byte b) { return b == std::byte{0}; }));
  view[999] = std::byte{7};
  EXPECT_EQ(*device->host_view(bytes_at(memory) + 999), std::byte{7});
}

TEST(EmulatedMemory, is_copied_in_every_direction) {
  auto device = EmulatedDevice::make();
  std::vector<int> source{1, 2, 3}, target(3);
  void* first = device->allocate(0, sizeof(int) * 3);
  void* second = device->allocate(1, sizeof(int) * 3);
  device->copy(first, source.data(), sizeof(int) * 3);
  device->copy(second, first, sizeof(int) * 3);
  device->copy(target.data(), second, sizeof(int) * 3);
  EXPECT_EQ(target, source);
  EXPECT_EQ(device->counts().copies, 3u);
}

TEST(EmulatedMemory, has_facts_at_every_address_of_it) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(1, 1000);
  const MemoryFacts facts = device->facts_of(bytes_at(memory) + 999);
  EXPECT_EQ(facts.kind, MemoryKind::device);
  EXPECT_EQ(facts.ordinal, 1);
  EXPECT_EQ(facts.base, reinterpret_cast<std::uintptr_t>(memory));
  EXPECT_EQ(facts.bytes, 1000u);
  EXPECT_EQ(facts.buffer_id, device->facts_of(memory).buffer_id);
  EXPECT_EQ(facts.why_not_exportable, "");
  EXPECT_EQ(facts.base % 256, 0u);
}

TEST(EmulatedMemory, that_is_freed_has_no_facts_and_no_twin) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(0, 1000);
  EXPECT_THAT(error_text(StatusCode::invalid_argument, [&] { device->facts_of(bytes_at(memory) + 1000); }),
              HasSubstr("belongs to no live allocation"));
  device->deallocate(memory);
  EXPECT_THAT(error_text(StatusCode::invalid_argument, [&] { device->facts_of(memory); }),
              HasSubstr("belongs to no live allocation"));
  EXPECT_EQ(device->host_view(memory), nullptr);
  EXPECT_THROW(device->copy(memory, "x", 1), Error);
}

// Field case R01.
TEST(EmulatedMemory, at_an_address_used_again_has_another_id_and_fresh_bytes) {
  auto device = EmulatedDevice::make();
  std::set<std::uint64_t> ids;
  void* memory = device->allocate(0, 65536);
  void* const address = memory;
  for (int cycle = 0; cycle < 1000; ++cycle) {
    EXPECT_TRUE(ids.insert(device->facts_of(memory).buffer_id).second);
    ASSERT_EQ(*device->host_view(memory), std::byte{0});
    *device->host_view(memory) = std::byte{1};
    device->deallocate(memory);
    memory = device->allocate_as({.why_not_exportable = {}, .reuses_address = true}, 65536);
    ASSERT_EQ(memory, address);
  }
  device->deallocate(memory);
  EXPECT_EQ(device->counts().allocations, 1001u);
  EXPECT_EQ(device->counts().deallocations, 1001u);
}

TEST(EmulatedMemory, is_not_put_where_other_memory_lies) {
  auto device = EmulatedDevice::make();
  EXPECT_THAT(error_text(StatusCode::invalid_argument,
                         [&] { device->allocate_as({.why_not_exportable = {}, .reuses_address = true}, 12345); }),
              HasSubstr("no block of 12345 bytes was freed"));
  device->deallocate(device->allocate(0, 12345));
  device->allocate_as({.why_not_exportable = {}, .reuses_address = true}, 12345);
  EXPECT_THAT(error_text(StatusCode::invalid_argument,
                         [&] { device->allocate_as({.why_not_exportable = {}, .reuses_address = true}, 12345); }),
              HasSubstr("another block lies there by now"));
}

TEST(EmulatedMemory, that_is_managed_is_touched_by_the_host_as_by_kernels) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate_as({.ordinal = 1, .kind = MemoryKind::managed, .why_not_exportable = {}}, 100);
  touch(memory);
  EXPECT_EQ(*device->host_view(memory), std::byte{1});
  const MemoryFacts facts = device->facts_of(memory);
  EXPECT_EQ(facts.kind, MemoryKind::managed);
  EXPECT_EQ(facts.ordinal, 1);
  EXPECT_EQ(facts.bytes, 100u);
}

TEST(EmulatedMemory, of_the_host_is_its_own_twin) {
  auto device = EmulatedDevice::make();
  int value = 0;
  EXPECT_EQ(device->host_view(&value), reinterpret_cast<std::byte*>(&value));
  EXPECT_EQ(device->facts_of(&value).kind, MemoryKind::host);
  EXPECT_EQ(device->facts_of(&value).ordinal, -1);
}

TEST(EmulatedMemory, of_the_host_is_pinned_while_it_is_mapped_or_pinned) {
  auto device = EmulatedDevice::make();
  std::vector<int> plain(100);
  void* mapped = device->allocate_mapped(100);
  EXPECT_EQ(*bytes_at(mapped), std::byte{0});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped) % 256, 0u);
  EXPECT_EQ(device->facts_of(bytes_at(mapped) + 99).kind, MemoryKind::pinned);
  EXPECT_EQ(device->host_view(mapped), mapped);
  auto pin = device->pin(plain.data(), 400);
  EXPECT_EQ(device->facts_of(&plain[99]).kind, MemoryKind::pinned);
  EXPECT_NE(device->facts_of(&plain[99]).buffer_id, 0u);
  EXPECT_THAT(error_text(StatusCode::invalid_argument, [&] { device->pin(&plain[50], 4); }),
              HasSubstr("part of it is pinned already"));
  pin.reset();
  EXPECT_EQ(device->facts_of(&plain[99]).kind, MemoryKind::host);
  device->deallocate_mapped(mapped);
}

TEST(EmulatedMemory, is_not_copied_behind_its_end) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(0, 10);
  char host[20] = {};
  EXPECT_THAT(error_text(StatusCode::invalid_argument, [&] { device->copy(bytes_at(memory) + 4, host, 7); }),
              HasSubstr("its allocation ends after 6"));
}

TEST(EmulatedMemory, freed_twice_is_logged_and_harms_nothing) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(0, 10);
  device->deallocate(memory);
  device->deallocate(memory);
  device->deallocate(nullptr);
  EXPECT_EQ(device->counts().deallocations, 1u);
}

TEST(EmulatedMemory, fails_as_scripted_and_works_again_after_that) {
  auto device = EmulatedDevice::make();
  device->fail_next(DriverCall::allocate, 2, "out of memory");
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(error_text(StatusCode::out_of_resources, [&] { device->allocate(1, 10); }),
                ::testing::AllOf(HasSubstr("allocate 10 bytes on emulated GPU 1"), HasSubstr("out of memory")));
  EXPECT_NE(device->allocate(1, 10), nullptr);
}

TEST(EmulatedMemory, that_no_gpu_could_have_is_refused) {
  auto device = EmulatedDevice::make(2);
  EXPECT_THAT(error_text(StatusCode::invalid_argument, [&] { device->allocate(2, 10); }), HasSubstr("use GPU 2"));
  EXPECT_THAT(error_text(StatusCode::invalid_argument, [&] { device->allocate(0, 0); }),
              HasSubstr("at least one byte"));
}

}  // namespace
}  // namespace halyard::device
