#include "device/openings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace halyard::device {
namespace {

struct Tally {
  int opens = 0;
  int closes = 0;
  std::array<std::byte, 64> memory{};
};

class CountedOpening final : public Opening {
 public:
  explicit CountedOpening(Tally& tally) : tally_(tally) { ++tally_.opens; }
  ~CountedOpening() override { ++tally_.closes; }
  std::byte* base() const override { return tally_.memory.data(); }

 private:
  Tally& tally_;
};

Openings::Make counted(Tally& tally) {
  return [&tally] { return std::make_shared<CountedOpening>(tally); };
}

const OpeningKey kKey{{1, 2, 3}, 4, 0};

TEST(Openings, map_an_allocation_once_for_all_offsets_and_unmap_it_with_the_last) {
  Tally tally;
  Openings openings;
  auto first = openings.open(kKey, 8, counted(tally));
  auto second = openings.open(kKey, 16, counted(tally));
  EXPECT_EQ(first->data(), tally.memory.data() + 8);
  EXPECT_EQ(second->data(), tally.memory.data() + 16);
  EXPECT_EQ(tally.opens, 1);
  first.reset();
  EXPECT_EQ(tally.closes, 0);
  second.reset();
  EXPECT_EQ(tally.closes, 1);
}

TEST(Openings, map_again_what_was_unmapped) {
  Tally tally;
  Openings openings;
  openings.open(kKey, 0, counted(tally)).reset();
  openings.open(kKey, 0, counted(tally)).reset();
  EXPECT_EQ(tally.opens, 2);
  EXPECT_EQ(tally.closes, 2);
}

TEST(Openings, tell_processes_buffers_and_gpus_apart) {
  Tally tally;
  Openings openings;
  const std::array keys = {kKey, OpeningKey{{9, 2, 3}, 4, 0}, OpeningKey{{1, 2, 3}, 5, 0}, OpeningKey{{1, 2, 3}, 4, 1}};
  std::vector<std::shared_ptr<Mapping>> mappings;
  for (const auto& key : keys) mappings.push_back(openings.open(key, 0, counted(tally)));
  EXPECT_EQ(tally.opens, 4);
}

TEST(Openings, keep_nothing_of_an_attempt_that_threw) {
  Tally tally;
  Openings openings;
  EXPECT_THROW(openings.open(kKey, 0, []() -> std::shared_ptr<Opening> { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_NE(openings.open(kKey, 0, counted(tally)), nullptr);
}

TEST(Openings, may_be_outlived_by_their_mappings) {
  Tally tally;
  std::shared_ptr<Mapping> mapping;
  {
    Openings openings;
    mapping = openings.open(kKey, 0, counted(tally));
  }
  EXPECT_EQ(tally.closes, 0);
  mapping.reset();
  EXPECT_EQ(tally.closes, 1);
}

}  // namespace
}  // namespace halyard::device
