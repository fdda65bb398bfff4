// LandingLayout: words and slots of all links lie apart, are aligned, and are large enough for messages either way.
#include "exchange/gpu/layout.hpp"

#include <gtest/gtest.h>

#include "conformance/random_case.hpp"
#include "pack/device/compile.hpp"

namespace halyard::exchange::gpu {
namespace {

using test::RandomCase;

TEST(LandingLayout, LinksAndSlotsLieApartAndHoldTheirMessages) {
  for (const int num_ranks : {1, 2, 3, 8})
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const RandomCase problem = RandomCase::draw(seed, num_ranks);
      const Pattern pattern = box_halo(problem.halo, 0);
      const test::RankFields fields(problem, pattern);
      const Plan plan(pattern, fields.shapes, PathFacts::uniform(Path::peer, 0, num_ranks), Memory::gpu);
      const LandingLayout layout = LandingLayout::of(plan);
      ASSERT_EQ(layout.landing.size(), plan.neighbors().size());
      std::size_t end = LandingLayout::words(plan.neighbors().size());
      for (std::size_t link = 0; link < layout.landing.size(); ++link) {
        EXPECT_GE(layout.landing[link], end) << "link " << link << " of " << problem.text;
        EXPECT_EQ(layout.landing[link] % 256, 0U);
        const PlanNeighbor& neighbor = plan.neighbors()[link];
        const auto bytes = pack::device::landing_bytes_of(neighbor.send, neighbor.receive);
        EXPECT_GE(bytes, std::max(neighbor.send.bytes, neighbor.receive.bytes));
        end = layout.landing[link] + static_cast<std::size_t>(bytes);
      }
      if (layout.landing.empty()) continue;
      EXPECT_LE(end, layout.landing[0] + layout.slot_bytes) << "slot 1 begins where slot 0 ends";
      EXPECT_EQ(layout.bytes, layout.landing[0] + 2 * layout.slot_bytes);
    }
}

TEST(LandingLayout, WordsOfALinkHaveRoomForAllChunks) {
  const std::size_t words = LandingLayout::words(1) - LandingLayout::words(0);
  EXPECT_GE(words, (pack::device::kFirstArrived + pack::device::kMaxChunksPerLink) * pack::device::kWordStride *
                       sizeof(std::uint64_t));
}

}  // namespace
}  // namespace halyard::exchange::gpu
