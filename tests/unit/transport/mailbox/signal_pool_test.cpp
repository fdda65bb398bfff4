// SignalPool: memory of Signals is used again for Signals only, each time as new.
#include "transport/mailbox/signal_pool.hpp"

#include <gtest/gtest.h>

#include <new>
#include <set>

namespace halyard::transport::mailbox {
namespace {

// Counts what it hands out and frees it at the end.
class Memory {
 public:
  ~Memory() {
    for (void* piece : pieces_) ::operator delete (piece, std::align_val_t{128});
  }
  void* allocate(std::size_t bytes) {
    pieces_.push_back(::operator new (bytes, std::align_val_t{128}));
    return pieces_.back();
  }
  std::size_t num_pieces() const { return pieces_.size(); }

 private:
  std::vector<void*> pieces_;
};

TEST(SignalPool, HandsOutEachSignalOnce) {
  Memory memory;
  SignalPool pool([&](std::size_t bytes) { return memory.allocate(bytes); });
  std::set<Signal*> signals;
  for (int i = 0; i < 100; ++i) signals.insert(pool.take());
  EXPECT_EQ(signals.size(), 100U);
  EXPECT_LE(memory.num_pieces(), 4U) << "many signals at once";
}

TEST(SignalPool, HandsOutAReturnedSignalAsNew) {
  Memory memory;
  SignalPool pool([&](std::size_t bytes) { return memory.allocate(bytes); });
  Signal* const signal = pool.take();
  signal->posted = 3;
  signal->consumed = 4;
  signal->tags[1] = 5;
  signal->gave_up = 6;
  signal->closed = 7;
  pool.give_back(signal);
  ASSERT_EQ(pool.take(), signal);
  EXPECT_EQ(signal->posted + signal->consumed + signal->tags[0] + signal->tags[1] + signal->gave_up + signal->closed,
            0U);
  EXPECT_EQ(memory.num_pieces(), 1U);
}

TEST(SignalPool, KeepsWhatWasLeftUntilTheFarewellHasCome) {
  Memory memory;
  SignalPool pool([&](std::size_t bytes) { return memory.allocate(bytes); });
  Signal* const signal = pool.take();
  int num_freed = 0;
  pool.give_back_after(farewell_of(7), signal, [&] { ++num_freed; });
  signal->closed = farewell_of(6);
  std::set<Signal*> others;
  for (int i = 0; i < 100; ++i) others.insert(pool.take());
  EXPECT_EQ(others.count(signal), 0U);
  EXPECT_EQ(num_freed, 0);
  EXPECT_FALSE(pool.is_quiet());
  signal->closed = farewell_of(7);
  EXPECT_TRUE(pool.is_quiet());
  EXPECT_EQ(pool.take(), signal);
  EXPECT_EQ(signal->closed, 0U) << "as new";
  EXPECT_EQ(num_freed, 1);
}

TEST(SignalPool, KeepsSignalsApartByPairsOfCacheLines) {
  Memory memory;
  SignalPool pool([&](std::size_t bytes) { return memory.allocate(bytes); });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool.take()) % 128, 0U);
}

}  // namespace
}  // namespace halyard::transport::mailbox
