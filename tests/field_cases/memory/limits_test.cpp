// R04, N03, F05: how much stays registered, and what happens when that was too much.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <deque>
#include <random>

#include "memory/cache.hpp"
#include "support/memory/counting_registrar.hpp"
#include "support/memory/fake_events.hpp"
#include "support/memory/pages.hpp"

namespace halyard::test {
namespace {

using memory::Cache;
using memory::Lease;
using memory::MemoryKind;

void* buffer(std::size_t index) { return reinterpret_cast<void*>((1000 + 4 * index) * kPage); }

TEST(R04, TenThousandBuffersAgainstALimitOf64NeverFailAndNeverLoseOneInUse) {
  constexpr std::size_t kInUse = 8;
  CountingRegistrar registrar({.regions = 64, .bytes = SIZE_MAX});  // ENOMEM above
  Cache cache(registrar, {.regions = 64, .bytes = 0}, nullptr, std::make_shared<FakeEvents>());
  std::deque<Lease> in_use;
  std::size_t num_over = 0;
  for (std::size_t i = 0; i < 10'000; ++i) {
    in_use.push_back(cache.acquire(buffer(i), kPage, MemoryKind::host));
    if (in_use.size() > kInUse) in_use.pop_front();
    num_over += registrar.num_regions > 64 ? 1 : 0;
    for (const Lease& lease : in_use) ASSERT_EQ(lease.as<memory::Registration>().bytes(), kPage);
  }
  EXPECT_EQ(num_over, 0U);
  EXPECT_EQ(registrar.num_failed, 0U) << "room is made before it is needed";
  EXPECT_EQ(cache.counters().evicted, 10'000U - 64);
  const std::uint64_t hits = cache.counters().hits;
  for (std::size_t i = 10'000 - kInUse; i < 10'000; ++i) (void)cache.acquire(buffer(i), kPage, MemoryKind::host);
  EXPECT_EQ(cache.counters().hits, hits + kInUse) << "none of those in use was evicted";
}

TEST(R04, ANicWithLessRoomThanTheLimitIsNoErrorEither) {
  CountingRegistrar registrar({.regions = 40, .bytes = SIZE_MAX});
  Cache cache(registrar, {.regions = 64, .bytes = 0}, nullptr, std::make_shared<FakeEvents>());
  for (std::size_t i = 0; i < 10'000; ++i) (void)cache.acquire(buffer(i), kPage, MemoryKind::host);
  EXPECT_EQ(registrar.num_regions, 40U);
  EXPECT_EQ(cache.counters().evicted, 10'000U - 40);
}

/// Locks pages against the process's limit, as the kernel does for a NIC. By system call, since sanitizers swallow
/// mlock.
class Locking final : public memory::Registrar {
 public:
  std::string name() const override { return "mlock"; }
  std::unique_ptr<memory::Registration> register_range(std::byte* base, std::size_t bytes, MemoryKind) override {
    if (syscall(SYS_mlock, base, bytes) != 0)
      throw memory::RegistrationError(errno, std::string("mlock: ") + std::strerror(errno));
    return std::make_unique<Locked>(base, bytes);
  }

 private:
  class Locked final : public memory::Registration {
   public:
    using Registration::Registration;
    ~Locked() override { syscall(SYS_munlock, base(), bytes()); }
  };
};

/// In a process of its own with a limit of 1 MiB, which root's privileges do not lift. 0 when `step` says "".
template <class Step>
int under_one_mebibyte(Step step) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1 << 20, 1 << 20};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)) _exit(77);
    const std::string wrong = step();
    std::fputs(wrong.c_str(), stderr);
    _exit(wrong.empty() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

constexpr std::size_t kQuarter = 64;  // pages of 256 KiB

TEST(N03, AShortageOfLockedMemoryIsCuredByEviction) {
  EXPECT_EQ(under_one_mebibyte([]() -> std::string {
              Locking registrar;
              Cache cache(registrar, {}, nullptr, std::make_shared<FakeEvents>());
              for (int i = 0; i < 20; ++i) {
                const Pages pages(kQuarter);
                (void)cache.acquire(pages.data(), pages.bytes(), MemoryKind::host);
              }
              const auto now = cache.counters();
              return now.evicted == 16 && now.regions == 4 ? "" : std::to_string(now.evicted) + " were evicted\n";
            }),
            0);
}

TEST(N03, AShortageThatEvictionCannotCureNamesTheLimitAndWhereToRaiseIt) {
  EXPECT_EQ(under_one_mebibyte([]() -> std::string {
              Locking registrar;
              Cache cache(registrar, {}, nullptr, std::make_shared<FakeEvents>());
              std::vector<Lease> in_use;
              try {
                for (int i = 0; i < 5; ++i) {
                  const Pages pages(kQuarter);
                  in_use.push_back(cache.acquire(pages.data(), pages.bytes(), MemoryKind::host));
                }
                return "five quarters of a mebibyte were locked\n";
              } catch (const Error& error) {
                const std::string& text = error.status().text();
                const std::string expected =
                    "register 262144 bytes of host memory with mlock: mlock: Cannot allocate memory; nothing idle is "
                    "left to give back (1048576 bytes in 4 regions are in use); locked memory is limited to 1048576 "
                    "bytes (ulimit -l; hard limit 1048576 bytes): raise it with 'ulimit -l unlimited'";
                const bool is_right = text.starts_with(expected) && error.code() == StatusCode::out_of_resources;
                return is_right ? "" : text + "\n";
              }
            }),
            0);
}

TEST(F05, ABindingMadeAnewEachStepOverTheSameBuffersRegistersNothingFromStepThreeOn) {
  CountingRegistrar registrar;
  Cache cache(registrar, {}, nullptr, std::make_shared<FakeEvents>());
  std::size_t after_two = 0, num_bytes = 0;
  for (std::size_t step = 1; step <= 10'000; ++step) {
    std::vector<Lease> binding;
    for (std::size_t face = 0; face < 6; ++face) {
      binding.push_back(cache.acquire(buffer(face), kPage + 8 * (step % 2), MemoryKind::host));  // sizes vary a little
      binding.push_back(cache.allocate((face + 1) * 1000));
    }
    if (step == 2) after_two = registrar.num_registered, num_bytes = registrar.num_bytes;
  }
  EXPECT_EQ(registrar.num_registered, after_two);
  EXPECT_EQ(registrar.num_bytes, num_bytes);
}

TEST(F05, BuffersThatAPoolCutsDifferentlyEachStepEndAsOneRegion) {
  constexpr std::size_t kPoolPages = 256;
  CountingRegistrar registrar;
  Cache cache(registrar, {}, nullptr, std::make_shared<FakeEvents>());
  std::mt19937_64 random(5);
  std::size_t after_warm_up = 0;
  for (int step = 0; step < 10'000; ++step) {
    const std::size_t first = random() % kPoolPages;
    const std::size_t count = 1 + random() % (kPoolPages - first);
    (void)cache.acquire(static_cast<std::byte*>(buffer(0)) + first * kPage, count * kPage, MemoryKind::host);
    if (step == 1000) after_warm_up = registrar.num_registered;
  }
  EXPECT_LE(registrar.num_registered - after_warm_up, 2U) << "the last pages of the pool may come late";
  EXPECT_EQ(registrar.num_regions, 1U);
  EXPECT_LE(registrar.num_bytes, kPoolPages * kPage);
}

}  // namespace
}  // namespace halyard::test
