// faulty: each fault as the receiver sees it, and what the sender is told.
#include <gtest/gtest.h>

#include "transport/faulty/factory.hpp"
#include "unit/transport/channel_pair.hpp"

namespace halyard::transport {
namespace {

using faulty::Fault;
using faulty::FaultPlan;
using test::number_in;
using test::post_number;

// Two ranks of which the first misbehaves.
struct Faulty {
  explicit Faulty(const FaultPlan& plan, const ChannelSpec& spec = test::spec_of(8, 8))
      : ranks(test::Medium::loopback,
              [&](std::unique_ptr<Worker> worker) { return faulty::wrap(std::move(worker), plan); }),
        pair(ranks, spec) {}

  void post(std::uint64_t n) {
    ASSERT_TRUE(pair.a->may_post());
    post_number(*pair.a, n, n);
  }
  // The next message's tag, released; 0 when there is none.
  std::uint64_t take() {
    const auto incoming = pair.b->receive();
    if (!incoming) return 0;
    if (incoming->data != nullptr) {
      EXPECT_EQ(number_in(*incoming), incoming->tag);
    }
    const std::uint64_t tag = incoming->tag;
    pair.b->release();
    return tag;
  }

  test::WorkerPair ranks;
  test::ChannelPair pair;
};

ChannelSpec in_place() {
  auto spec = test::spec_of(0, 8);
  spec.sends_in_place = true;
  return spec;
}

TEST(Faulty, WithoutAFaultIsTheChannelItself) {
  Faulty f({Fault::none, 1, 0, -1});
  f.post(1);
  EXPECT_EQ(f.take(), 1U);
}

TEST(Faulty, LeavesOtherPeersAlone) {
  Faulty f({Fault::drop, 1, 0, 5});
  f.post(1);
  EXPECT_EQ(f.take(), 1U);
}

TEST(Faulty, DropLosesTheNthMessageOnly) {
  Faulty f({Fault::drop, 2, 0, 1});
  f.post(1);
  EXPECT_EQ(f.take(), 1U);
  f.post(2);
  EXPECT_EQ(f.take(), 0U);
  f.post(3);
  EXPECT_EQ(f.take(), 3U) << "what follows takes the place of the lost one; its tag gives it away";
  EXPECT_EQ(f.pair.a->num_delivered(), 3U) << "the sender does not know";
  EXPECT_EQ(f.pair.a->failure(), StatusCode::ok);
}

TEST(Faulty, DelayHoldsTheMessageForSoManyCalls) {
  Faulty f({Fault::delay, 1, 10, -1});
  post_number(*f.pair.a, 1, 1);
  EXPECT_EQ(f.pair.a->num_delivered(), 0U) << "still on this end";
  int calls = 1;
  for (; f.take() == 0; ++calls) {
    ASSERT_LT(calls, 20);
    EXPECT_FALSE(f.pair.a->is_quiet());
  }
  EXPECT_GE(calls, 8);
  EXPECT_EQ(f.pair.a->num_delivered(), 1U);
  f.post(2);
  EXPECT_EQ(f.take(), 2U) << "only one message is held up";
}

TEST(Faulty, DelayKeepsTheOrder) {
  Faulty f({Fault::delay, 1, 5, -1});
  post_number(*f.pair.a, 1, 1);
  EXPECT_FALSE(f.pair.a->may_post()) << "the next one has to wait";
  while (!f.pair.a->may_post()) {
  }
  post_number(*f.pair.a, 2, 2);
  EXPECT_EQ(f.take(), 1U);
  EXPECT_EQ(f.take(), 2U);
}

TEST(Faulty, DelayInPlaceIsDeliveredOnlyWhenConsumed) {
  Faulty f({Fault::delay, 1, 5, -1}, in_place());
  f.pair.a->post(0, 1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(f.pair.a->num_delivered(), 0U);
  EXPECT_EQ(f.take(), 1U);
  EXPECT_EQ(f.pair.a->num_delivered(), 1U);
}

TEST(Faulty, ReorderPostsTheNthMessageAfterTheNext) {
  Faulty f({Fault::reorder, 1, 0, -1});
  f.post(1);
  EXPECT_EQ(f.take(), 0U);
  f.post(2);
  EXPECT_EQ(f.take(), 2U);
  EXPECT_EQ(f.take(), 1U);
  f.post(3);
  EXPECT_EQ(f.take(), 3U);
}

TEST(Faulty, FailReportsItselfInsteadOfPosting) {
  Faulty f({Fault::fail, 2, 0, -1});
  f.post(1);
  EXPECT_EQ(f.take(), 1U);
  EXPECT_EQ(f.pair.a->failure(), StatusCode::ok);
  f.post(2);
  EXPECT_EQ(f.take(), 0U);
  EXPECT_EQ(f.pair.a->failure(), StatusCode::transport_failed);
  EXPECT_EQ(f.pair.a->failure_text(), "message 2 to rank 1 was made to fail");
  EXPECT_EQ(f.pair.a->num_delivered(), 1U) << "what failed is never called delivered";
}

TEST(Faulty, StillReportsAPeerThatGaveUp) {
  Faulty f({Fault::drop, 1, 0, -1});
  f.pair.b->give_up(4);
  EXPECT_EQ(f.pair.a->failure(), StatusCode::peer_failed);
  EXPECT_EQ(f.pair.a->failure_text(), "rank 1 gave up because of rank 4");
}

}  // namespace
}  // namespace halyard::transport
