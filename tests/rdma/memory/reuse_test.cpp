// Field cases R01 and R02 between two ranks over the wire: memory is registered through the cache, goes, and other
// memory comes at its address, at both ends of each write. A NIC that was left with the old registration reads and
// writes pages that nobody sees any more.
//
// This is below what applications call; ../reused_fields_test.cpp asks the same of fields.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "device/emulated.hpp"
#include "memory/cache.hpp"
#include "mpi/ranks.hpp"
#include "mpi/ways.hpp"
#include "rdma/memory/line.hpp"

namespace halyard::test {
namespace {

using memory::Cache;
using memory::Lease;
using memory::MemoryKind;
using transport::verbs::Registration;
using transport::verbs::RemotePlace;
using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t kCycles = 1000;  // with TEST_THRIFT=1
constexpr std::size_t kPage = 4096;
constexpr std::size_t kBytes = 64 << 10;
constexpr std::size_t kLarge = 1 << 20;

/// Memory that comes and goes in a way of its own; where it is not `at` again, the way cannot tell.
struct Life {
  std::function<std::byte*(std::byte* at, std::size_t bytes)> take;
  std::function<void(std::byte* memory, std::size_t bytes)> give;
  std::function<void(void* to, const void* from, std::size_t bytes)> copy = std::memcpy;
  MemoryKind kind = MemoryKind::host;
};

int mapping_flags(const std::byte* at) {
  return MAP_PRIVATE | MAP_ANONYMOUS | (at == nullptr ? 0 : MAP_FIXED_NOREPLACE);
}
std::byte* map_by_library(std::byte* at, std::size_t bytes) {
  return static_cast<std::byte*>(mmap(at, bytes, PROT_READ | PROT_WRITE, mapping_flags(at), -1, 0));
}
std::byte* map_by_system_call(std::byte* at, std::size_t bytes) {
  return reinterpret_cast<std::byte*>(syscall(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, mapping_flags(at), -1, 0));
}
void unmap_by_library(std::byte* memory, std::size_t bytes) { munmap(memory, bytes); }
void unmap_by_system_call(std::byte* memory, std::size_t bytes) { syscall(SYS_munmap, memory, bytes); }
std::byte* take_from_heap(std::byte*, std::size_t bytes) { return static_cast<std::byte*>(std::malloc(bytes)); }
void give_to_heap(std::byte* memory, std::size_t) { std::free(memory); }

Life on_gpu(device::EmulatedDevice& gpu) {
  return {[&](const std::byte* at, std::size_t bytes) {
            return static_cast<std::byte*>(
                gpu.allocate_as({.why_not_exportable = {}, .reuses_address = at != nullptr}, bytes));
          },
          [&](std::byte* memory, std::size_t) { gpu.deallocate(memory); },
          [&](void* to, const void* from, std::size_t bytes) { gpu.copy(to, from, bytes); }, MemoryKind::device};
}

/// Word i that `rank` sends in cycle c: a wrong one names its origin.
std::uint64_t code(int rank, std::uint64_t cycle, std::size_t word) {
  return (static_cast<std::uint64_t>(rank) + 1) << 60 | cycle << 32 | word;
}

class Reuse : public testing::Test {
 protected:
  void SetUp() override {
    if (size_of(MPI_COMM_WORLD) != 2) GTEST_SKIP() << "needs two ranks";
    std::string refusal;
    gpu_ = device::EmulatedDevice::make(1);
    line_ = Line::open(gpu_, refusal);
    if (line_ == nullptr) GTEST_SKIP() << refusal;
  }

  memory::Registrar& registrar() { return line_->registrar(); }
  int rank() const { return rank_of(MPI_COMM_WORLD); }

  void fill(const Life& life, std::byte* memory, int rank, std::uint64_t cycle) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = code(rank, cycle, i);
    life.copy(memory, words_.data(), words_.size() * sizeof(std::uint64_t));
  }

  std::uint64_t num_wrong(const Life& life, const std::byte* memory, int rank, std::uint64_t cycle) {
    life.copy(words_.data(), memory, words_.size() * sizeof(std::uint64_t));
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) wrong += words_[i] == code(rank, cycle, i) ? 0U : 1U;
    return wrong;
  }

  std::byte* taken(const Life& life, std::byte* before, std::size_t bytes) {
    std::byte* memory = life.take(before, bytes);
    if (before != nullptr && memory != before) ++num_moved_;
    return memory;
  }

  /// Both ranks write from `out` to each other's `in`. The second lease on living memory is a hit, and must be as
  /// right as the first. What went wrong, or nothing.
  std::string exchange(const Life& life, Cache& cache, std::byte* out, std::byte* in, std::size_t bytes) {
    const auto leased = [&](const std::byte* memory) {
      { const Lease first = cache.acquire(memory, bytes, life.kind); }
      return cache.acquire(memory, bytes, life.kind);
    };
    const Lease from = leased(out);
    const Lease to = leased(in);
    return write(from.as<Registration>(), out, to.as<Registration>(), in, bytes);
  }

  std::string write(const Registration& from, std::byte* out, const Registration& to, std::byte* in,
                    std::size_t bytes) {
    const RemotePlace there = line_->swapped(RemotePlace{reinterpret_cast<std::uint64_t>(in), to.remote_key()});
    return line_->write({reinterpret_cast<std::uint64_t>(out), static_cast<std::uint32_t>(bytes), from.local_key()},
                        there);
  }

  /// `cycles` exchanges, each from and to memory that is new at its address.
  void expect_right_words(const Life& life, std::uint64_t cycles, std::size_t bytes, Cache& cache) {
    words_.resize(bytes / sizeof(std::uint64_t));  // now: nothing else may be mapped where memory comes and goes
    num_moved_ = 0;
    std::uint64_t wrong = 0;
    std::string trouble;
    std::byte *out = nullptr, *in = nullptr;
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
      out = taken(life, out, bytes);
      in = taken(life, in, bytes + kPage);  // an emulated GPU gives back the last block of a size
      ASSERT_TRUE(out != MAP_FAILED && in != MAP_FAILED && out != nullptr && in != nullptr);
      fill(life, out, rank(), cycle);
      fill(life, in, rank(), cycle);
      if (const std::string now = exchange(life, cache, out, in, bytes); trouble.empty()) trouble = now;
      wrong += num_wrong(life, in, 1 - rank(), cycle);
      life.give(out, bytes);
      life.give(in, bytes + kPage);
    }
    EXPECT_EQ(first_wrong(MPI_COMM_WORLD, trouble), "");
    EXPECT_EQ(wrong, 0U) << "words";
  }

  std::shared_ptr<device::EmulatedDevice> gpu_;
  std::unique_ptr<Line> line_;
  Words words_;
  std::uint64_t num_moved_ = 0;  // memory that did not come back at its address
};

std::uint64_t few_cycles() { return static_cast<std::uint64_t>(std::max(10, 50 / machine_thrift())); }

// As root in the VM nothing forbids userfaultfd, so the cache must have kept what it could.
TEST_F(Reuse, R01MappingsAtOneAddressAreReadAndWrittenWhereTheyAre) {
  const std::uint64_t cycles = kCycles / static_cast<std::uint64_t>(std::min(4, machine_thrift()));
  Cache cache(registrar(), {});
  expect_right_words({map_by_library, unmap_by_library}, cycles, kBytes, cache);
  EXPECT_EQ(num_moved_, 0U) << "the address must repeat, else this shows nothing";
  EXPECT_EQ(cache.counters().hits, 2 * cycles);
  EXPECT_EQ(cache.counters().stale, 2 * (cycles - 1)) << "nobody has looked since the last went";
}

TEST_F(Reuse, R01AllocationsAtOneAddressOfAGpuAreReadAndWrittenWhereTheyAre) {
  const std::uint64_t cycles = kCycles / static_cast<std::uint64_t>(machine_thrift());
  Cache cache(registrar(), {}, gpu_.get());
  expect_right_words(on_gpu(*gpu_), cycles, kBytes, cache);
  EXPECT_EQ(num_moved_, 0U);
  EXPECT_EQ(cache.counters().hits, 2 * cycles);
  EXPECT_EQ(cache.counters().stale, 2 * (cycles - 1));
}

// What an allocator does: the heap grows and shrinks, and blocks come back with other pages, or with the same.
TEST_F(Reuse, R01BlocksThatTheAllocatorHandsOutAgainAreReadAndWrittenWhereTheyAre) {
  constexpr std::size_t kBlock = 192 << 10;
  const std::uint64_t cycles = kCycles / static_cast<std::uint64_t>(machine_thrift());
  Cache cache(registrar(), {});
  expect_right_words({take_from_heap, give_to_heap}, cycles, kBlock, cache);
#ifndef __SANITIZE_ADDRESS__  // which keeps freed blocks for long
  EXPECT_LT(num_moved_, cycles) << "most blocks come back at their address, else this shows nothing";
#endif
}

TEST_F(Reuse, R02MemoryUnmappedPastEveryLibraryIsReadAndWrittenWhereItIs) {
  for (const Life& life : {Life{map_by_library, unmap_by_system_call}, Life{map_by_system_call, unmap_by_system_call},
                           Life{map_by_system_call, unmap_by_library}}) {
    Cache cache(registrar(), {});
    expect_right_words(life, few_cycles(), kLarge, cache);
    EXPECT_EQ(num_moved_, 0U);
    EXPECT_EQ(cache.counters().hits, 2 * few_cycles()) << "and is cached while it lives";
    EXPECT_EQ(cache.counters().stale, 2 * (few_cycles() - 1));
  }
}

/// As where a container forbids userfaultfd.
class Deaf final : public memory::UnmapEvents {
 public:
  std::string why_deaf() override { return "a test"; }

 private:
  bool begin(memory::Range) override { return false; }
  void end(memory::Range) noexcept override {}
};

TEST_F(Reuse, R02WhereNothingIsHeardNothingIsKeptAndTheWordsAreRight) {
  Cache cache(registrar(), {}, nullptr, std::make_shared<Deaf>());
  expect_right_words({map_by_system_call, unmap_by_system_call}, few_cycles(), kLarge, cache);
  EXPECT_EQ(num_moved_, 0U);
  EXPECT_EQ(cache.counters().hits, 0U);
  EXPECT_EQ(cache.counters().regions, 0U);
}

// Why the tests above can fail.
TEST_F(Reuse, ARegistrationThatOutlivesItsMemorySendsTheOldWords) {
  const Life life{map_by_library, unmap_by_library};
  words_.resize(kBytes / sizeof(std::uint64_t));
  std::byte* const out = life.take(nullptr, kBytes);
  std::byte* const in = life.take(nullptr, kBytes);
  fill(life, out, rank(), 1);
  const auto from = registrar().register_range(out, kBytes, MemoryKind::host);
  const auto to = registrar().register_range(in, kBytes, MemoryKind::host);
  life.give(out, kBytes);
  ASSERT_EQ(life.take(out, kBytes), out);
  fill(life, out, rank(), 2);
  ASSERT_EQ(write(static_cast<const Registration&>(*from), out, static_cast<const Registration&>(*to), in, kBytes), "");
  EXPECT_EQ(num_wrong(life, in, 1 - rank(), 1), 0U);
  life.give(out, kBytes);
  life.give(in, kBytes);
}

}  // namespace
}  // namespace halyard::test
