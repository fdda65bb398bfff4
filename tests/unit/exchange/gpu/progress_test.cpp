// Progress: drives what was added, in a thread of its own, until it is removed.
#include "exchange/gpu/waits/progress.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace halyard::exchange::gpu {
namespace {

class Counting final : public Driven {
 public:
  bool advance() override {
    ++count_;
    return false;
  }
  int count() const { return count_; }

 private:
  std::atomic<int> count_{0};
};

void wait_for_more(const Counting& driven) {
  const int before = driven.count();
  while (driven.count() == before) std::this_thread::yield();
}

TEST(Progress, DrivesEverythingThatWasAdded) {
  Counting first;
  Counting second;
  Progress progress;
  progress.add(first);
  wait_for_more(first);
  progress.add(second);
  wait_for_more(first);
  wait_for_more(second);
  progress.remove(first);
  wait_for_more(second);
  progress.remove(second);
}

TEST(Progress, TouchesNothingOnceItIsRemoved) {
  Progress progress;
  Counting other;
  progress.add(other);
  for (int i = 0; i < 100; ++i) {
    auto driven = std::make_unique<Counting>();
    progress.add(*driven);
    wait_for_more(*driven);
    progress.remove(*driven);
    const int count = driven->count();
    wait_for_more(other);
    EXPECT_EQ(driven->count(), count);
    driven.reset();
  }
  progress.remove(other);
}

TEST(Progress, EndsWithoutHavingDrivenAnything) { const Progress progress; }

TEST(Progress, TakesLinksFromManyThreads) {
  Progress progress;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&progress] {
      for (int i = 0; i < 50; ++i) {
        Counting driven;
        progress.add(driven);
        wait_for_more(driven);
        progress.remove(driven);
      }
    });
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace halyard::exchange::gpu
