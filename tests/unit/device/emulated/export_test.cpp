// Exports of the emulated device and what they refuse, within one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "device/emulated.hpp"
#include "unit/error_text.hpp"

namespace halyard::device {
namespace {

using test::error_text;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::byte* bytes_at(void* memory) { return static_cast<std::byte*>(memory); }

// Field case M04.
TEST(EmulatedExport, of_a_slice_reaches_that_slice_and_not_the_first) {
  auto device = EmulatedDevice::make();
  std::byte* memory = bytes_at(device->allocate(0, 4 << 20));
  for (std::ptrdiff_t slice = 0; slice < 4; ++slice) {
    const auto mapping = device->open(device->export_memory(memory + (slice << 20)), 0);
    EXPECT_EQ(mapping->data(), memory + (slice << 20));
  }
}

TEST(EmulatedExport, opened_in_its_own_process_maps_nothing) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(0, 100);
  EXPECT_EQ(device->open(device->export_memory(memory), 1)->data(), memory);
  EXPECT_EQ(device->counts().opens, 0u);
}

TEST(EmulatedExport, of_memory_that_was_freed_since_is_refused) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(0, 100);
  const auto exported = device->export_memory(memory);
  device->deallocate(memory);
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { device->open(exported, 0); }),
              HasSubstr("freed after it was exported"));
  device->allocate_as({.why_not_exportable = {}, .reuses_address = true}, 100);
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { device->open(exported, 0); }),
              HasSubstr("freed after it was exported"));
  EXPECT_THAT(error_text(StatusCode::invalid_argument, [&] { device->export_memory(bytes_at(memory) + 100); }),
              HasSubstr("belongs to no live allocation"));
}

// Field case M01.
TEST(EmulatedExport, of_pool_memory_is_refused_with_the_reason) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate_as({.why_not_exportable = "from a memory pool"}, 100);
  EXPECT_EQ(device->facts_of(memory).why_not_exportable, "from a memory pool");
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { device->export_memory(memory); }),
              AllOf(HasSubstr("from a memory pool"), HasSubstr("allocate it with")));
}

// Field case M03.
TEST(EmulatedExport, of_managed_memory_is_refused_with_the_reason) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate_as({.kind = MemoryKind::managed, .why_not_exportable = {}}, 100);
  EXPECT_EQ(device->facts_of(memory).why_not_exportable, "managed memory");
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { device->export_memory(memory); }),
              HasSubstr("managed memory"));
}

TEST(EmulatedExport, of_host_memory_is_refused) {
  auto device = EmulatedDevice::make();
  int value = 0;
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { device->export_memory(&value); }),
              HasSubstr("it is host memory"));
}

TEST(EmulatedExport, fails_as_scripted) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(0, 100);
  device->fail_next(DriverCall::export_memory, 1, "invalid argument");
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { device->export_memory(memory); }),
              HasSubstr("invalid argument"));
  const auto exported = device->export_memory(memory);
  device->fail_next(DriverCall::open, 1, "peer access is not supported");
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { device->open(exported, 0); }),
              HasSubstr("peer access is not supported"));
  EXPECT_NE(device->open(exported, 0), nullptr);
}

// Field case I01: each process sees another GPU, and calls it 0.
TEST(EmulatedGpus, are_known_by_uuid_and_not_by_ordinal) {
  auto all = EmulatedDevice::make(4);
  auto third = EmulatedDevice::make(4, {2});
  auto swapped = EmulatedDevice::make(4, {3, 2});
  EXPECT_EQ(third->num_gpus(), 1);
  EXPECT_EQ(third->uuid(0), all->uuid(2));
  EXPECT_EQ(swapped->uuid(1), third->uuid(0));
  EXPECT_NE(swapped->uuid(0), third->uuid(0));
  EXPECT_THAT(third->describe(0), HasSubstr("emulated GPU 2 (GPU-"));
  EXPECT_EQ(third->facts_of(swapped->allocate(1, 10)).ordinal, 0);
  EXPECT_EQ(third->facts_of(swapped->allocate(0, 10)).ordinal, -1);
}

TEST(EmulatedGpus, that_are_not_there_cannot_be_made_visible) {
  EXPECT_THAT(error_text(StatusCode::invalid_argument, [] { EmulatedDevice::make(2, {2}); }), HasSubstr("GPU 2"));
  EXPECT_THAT(error_text(StatusCode::invalid_argument, [] { EmulatedDevice::make(2, {1, 1}); }), HasSubstr("once"));
  EXPECT_THROW(EmulatedDevice::make(0), Error);
}

// What a NIC that maps the file sees is the memory itself, and goes on seeing it after the program has freed it.
TEST(EmulatedDmaBuf, shows_the_memory_and_keeps_it) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(0, 8192);
  const DmaBuf exported = device->export_dma_buf(bytes_at(memory) + 4096, 4096);
  EXPECT_EQ(exported.offset, 4096u);
  auto* seen = static_cast<int*>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, exported.file.get(), 4096));
  ASSERT_NE(static_cast<void*>(seen), MAP_FAILED);
  const int value = 77;
  device->copy(bytes_at(memory) + 4096, &value, sizeof(value));
  EXPECT_EQ(*seen, 77);
  device->deallocate(memory);
  device->allocate_as({.why_not_exportable = {}, .reuses_address = true}, 8192);
  EXPECT_EQ(*seen, 77);
  munmap(seen, 4096);
}

TEST(EmulatedDmaBuf, of_memory_that_is_exported_to_peers_too_works) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(0, 4096);
  device->export_memory(memory);
  EXPECT_GE(device->export_dma_buf(memory, 4096).file.get(), 0);
}

TEST(EmulatedDmaBuf, is_refused_with_the_reason) {
  auto device = EmulatedDevice::make();
  const auto refusal = [&](void* memory, std::size_t bytes) {
    return error_text(StatusCode::not_supported, [&] { (void)device->export_dma_buf(memory, bytes); });
  };
  void* flagged = device->allocate_as({.why_not_exportable = {}, .why_no_dma_buf = "driver too old"}, 4096);
  EXPECT_THAT(refusal(flagged, 4096), HasSubstr("as dma-buf: driver too old"));
  EXPECT_THAT(refusal(device->allocate(0, 100), 101), HasSubstr("its allocation ends before"));
  EXPECT_THAT(refusal(device->allocate_as({.kind = MemoryKind::managed, .why_not_exportable = {}}, 100), 8),
              HasSubstr("managed memory"));
  int on_host = 0;
  EXPECT_THAT(refusal(&on_host, 4), HasSubstr("it is host memory"));
}

}  // namespace
}  // namespace halyard::device
