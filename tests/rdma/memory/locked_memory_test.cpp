// Field cases R04 and N03 on a real device: how much stays registered, and what happens where the kernel allows little.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <deque>
#include <exception>
#include <string>
#include <vector>

#include "memory/cache.hpp"
#include "rdma/wire.hpp"
#include "support/memory/pages.hpp"
#include "transport/verbs/factory.hpp"

namespace halyard::test {
namespace {

using memory::Cache;
using memory::Lease;
using memory::MemoryKind;

constexpr std::size_t kLimit = 1 << 20;

TEST(RegisteredMemory, R04TenThousandBuffersAgainstALimitOf64HoldNoMoreThanThat) {
  std::string refusal;
  const auto registrar = transport::verbs::open_registrar(refusal);
  if (registrar == nullptr) GTEST_SKIP() << refusal;
  constexpr std::size_t kBuffers = 10'000, kInUse = 8;
  const Pages pages(2 * kBuffers);  // every other one, so that no two are one region
  const std::ptrdiff_t others = rdma_resources("mr");
  {
    Cache cache(*registrar, {.regions = 64, .bytes = 0});
    std::deque<Lease> in_use;
    for (std::size_t i = 0; i < kBuffers; ++i) {
      in_use.push_back(cache.acquire(pages.page(2 * i), kPage, MemoryKind::host));
      if (in_use.size() > kInUse) in_use.pop_front();
    }
    EXPECT_EQ(rdma_resources("mr") - others, 64) << "as the kernel counts them";
    EXPECT_EQ(cache.counters().evicted, kBuffers - 64);
    for (std::size_t i = kBuffers - kInUse; i < kBuffers; ++i)
      (void)cache.acquire(pages.page(2 * i), kPage, MemoryKind::host);
    EXPECT_EQ(cache.counters().hits, kInUse) << "none of those in use was evicted";
    in_use.clear();
  }
  EXPECT_EQ(rdma_resources("mr"), others);
  pages.unmap();
}

/// What is wrong on a device that an unprivileged process opens with a limit of 1 MiB; runs in a child, which leaves
/// this process its privileges.
template <class Step>
void expect_nothing_wrong_under_one_mebibyte(Step step) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{kLimit, kLimit};
    std::string wrong = "cannot become an unprivileged process";
    try {
      if (setrlimit(RLIMIT_MEMLOCK, &limit) == 0 && (geteuid() != 0 || setresuid(65534, 65534, 65534) == 0))
        wrong = step();
    } catch (const std::exception& error) {
      wrong = error.what();
    }
    const bool is_told = write(ends[1], wrong.data(), wrong.size()) == static_cast<ssize_t>(wrong.size());
    _exit(is_told ? 0 : 1);
  }
  close(ends[1]);
  std::string wrong;
  char piece[4096];
  for (ssize_t got = 0; (got = read(ends[0], piece, sizeof piece)) > 0;)
    wrong.append(piece, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child did not come to its end";
  if (wrong.starts_with("SKIP")) GTEST_SKIP() << wrong;
  EXPECT_EQ(wrong, "");
}

constexpr std::size_t kBuffer = 64 << 10;

TEST(RegisteredMemory, N03BuffersBeyondTheLockedMemoryLimitAreNoErrorWhileTheyAreNotInUseAtOnce) {
  expect_nothing_wrong_under_one_mebibyte([]() -> std::string {
    std::string refusal;
    const auto registrar = transport::verbs::open_registrar(refusal);
    if (registrar == nullptr) return "SKIP: " + refusal;
    Cache cache(*registrar, {});
    const Pages pages(200 * 2 * kBuffer / kPage);
    for (std::size_t i = 0; i < 200; ++i)
      (void)cache.acquire(pages.data() + 2 * i * kBuffer, kBuffer, MemoryKind::host);
    const auto counters = cache.counters();
    if (counters.bytes > kLimit) return std::to_string(counters.bytes) + " bytes are registered";
    return counters.retried > 0 ? "" : "the limit was never met, so nothing was tried";
  });
}

TEST(RegisteredMemory, N03MoreThanTheLimitAtOnceIsAnErrorThatNamesItAndWhereToRaiseIt) {
  expect_nothing_wrong_under_one_mebibyte([]() -> std::string {
    std::string refusal;
    const auto registrar = transport::verbs::open_registrar(refusal);
    if (registrar == nullptr) return "SKIP: " + refusal;
    Cache cache(*registrar, {});
    const Pages pages(40 * 2 * kBuffer / kPage);
    std::vector<Lease> leases;
    try {
      for (std::size_t i = 0; i < 40; ++i)
        leases.push_back(cache.acquire(pages.data() + 2 * i * kBuffer, kBuffer, MemoryKind::host));
    } catch (const Error& error) {
      const std::string text = error.what();
      for (const char* word : {"ibv_reg_mr: Cannot allocate memory", "limited to 1048576 bytes", "ulimit -l unlimited",
                               "slurmd.service", "limits.conf"})
        if (text.find(word) == std::string::npos) return std::string("does not say '") + word + "': " + text;
      if (error.code() != StatusCode::out_of_resources) return "another code: " + text;
      leases.resize(leases.size() / 2);
      (void)cache.acquire(pages.data() + 39 * 2 * kBuffer, kBuffer, MemoryKind::host);  // there is room again
      return "";
    }
    return "2.5 MiB were registered";
  });
}

}  // namespace
}  // namespace halyard::test
