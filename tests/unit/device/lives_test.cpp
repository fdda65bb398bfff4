#include "device/lives.hpp"

#include <gtest/gtest.h>

namespace halyard::device {
namespace {

using Fate = Lives::Fate;

struct Gpus {
  std::uint64_t lives[2] = {1, 1};
  std::function<std::uint64_t(int)> now() const {
    return [this](int ordinal) { return lives[ordinal]; };
  }
};

TEST(Lives, WhatIsOfThisLifeIsGivenBackOnce) {
  const Gpus gpus;
  Lives lives;
  const int memory = 0;
  lives.add(&memory, 1, 1);
  const auto taken = lives.take(&memory, gpus.now());
  EXPECT_EQ(taken.fate, Fate::live);
  EXPECT_EQ(taken.ordinal, 1);
  EXPECT_EQ(lives.take(&memory, gpus.now()).fate, Fate::unknown);
}

TEST(Lives, AResetTakesWhatIsOnThatGpuOnly) {
  Gpus gpus;
  Lives lives;
  const int memory[2] = {};
  lives.add(&memory[0], 0, 1);
  lives.add(&memory[1], 1, 1);
  gpus.lives[0] = 0;  // reset, and not used since
  EXPECT_EQ(lives.take(&memory[0], gpus.now()).fate, Fate::gone);
  EXPECT_EQ(lives.take(&memory[1], gpus.now()).fate, Fate::live);
}

// The driver gives an address again: the owner of what is gone and the owner of what is there both let go.
TEST(Lives, OfTwoAtOneAddressOneIsGivenBack) {
  Gpus gpus;
  Lives lives;
  const int memory = 0;
  lives.add(&memory, 0, 1);
  gpus.lives[0] = 2;
  lives.add(&memory, 0, 2);
  EXPECT_EQ(lives.take(&memory, gpus.now()).fate, Fate::gone);
  EXPECT_EQ(lives.take(&memory, gpus.now()).fate, Fate::live);
  EXPECT_EQ(lives.take(&memory, gpus.now()).fate, Fate::unknown);
}

}  // namespace
}  // namespace halyard::device
