// Messages that a channel sends straight from the fields: which are, that an exchange lasts until they have been read,
// and what becomes of those that the channel will not take.
//
// The channel is a twin of a NIC over loopback: it reads the fields late, only when it was looked at some times after
// the message was posted, and says then that the message is delivered. Odd ranks' are so late that they have long
// received.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "transport/forwarding.hpp"
#include "unit/exchange/scene.hpp"

namespace halyard::test {
namespace {

using exchange::Kind;
using transport::ChannelSpec;
using transport::Parts;

/// What the NICs of all ranks did, and what they will not do.
struct Nics {
  int looks = 3;  // until an even rank's message is read; ten times that for an odd rank's
  std::size_t most_parts = 15;
  std::int64_t least_bytes = 0;
  std::string refusal;  // of memory
  std::uint64_t num_unpacked = 0;
  std::uint64_t num_packed = 0;
};

class LateChannel final : public transport::ForwardingChannel {
 public:
  LateChannel(std::unique_ptr<transport::Channel> inner, std::vector<Parts> unpacked, int looks, Nics& nics)
      : ForwardingChannel(std::move(inner)), unpacked_(std::move(unpacked)), looks_(looks), nics_(nics) {}

  std::string why_packed(std::size_t) const override { return nics_.refusal; }
  bool may_post() override { return waiting_.empty() && inner().may_post(); }

  void post(std::int64_t bytes, std::uint64_t tag) override {
    ++nics_.num_packed;
    inner().post(bytes, tag);
  }

  void post_unpacked(std::size_t number, std::int64_t bytes, std::uint64_t tag) override {
    ++nics_.num_unpacked;
    waiting_.push_back({number, bytes, tag, looks_});
  }

  std::uint64_t num_delivered() override {
    look();
    return inner().num_delivered();
  }

  std::optional<transport::Incoming> receive() override {
    look();
    return inner().receive();
  }

 private:
  struct Message {
    std::size_t number;
    std::int64_t bytes;
    std::uint64_t tag;
    int looks;
  };

  void look() {
    if (!waiting_.empty() && --waiting_.front().looks == 0) read_fields();
  }

  void read_fields() {
    const Message message = waiting_.front();
    waiting_.pop_front();
    std::byte* to = inner().send_buffer();
    std::uint64_t bytes = 0;
    for (const transport::Part& part : unpacked_.at(message.number)) {
      if (part.data != nullptr) std::memcpy(to + bytes, part.data, part.bytes);
      bytes += part.bytes;
    }
    EXPECT_EQ(bytes, static_cast<std::uint64_t>(message.bytes));
    inner().post(message.bytes, message.tag);
  }

  std::vector<Parts> unpacked_;
  int looks_;
  Nics& nics_;
  std::deque<Message> waiting_;
};

class LateWorker final : public transport::ForwardingWorker {
 public:
  LateWorker(std::unique_ptr<transport::Worker> inner, int looks, Nics& nics)
      : ForwardingWorker(std::move(inner)), looks_(looks), nics_(nics) {}

  std::unique_ptr<transport::Channel> open(const ChannelSpec& spec) override {
    return std::make_unique<LateChannel>(inner().open(spec), spec.unpacked, looks_, nics_);
  }
  std::size_t most_parts() const override { return nics_.most_parts; }
  std::string why_pack(std::int64_t bytes, std::size_t) const override {
    return bytes < nics_.least_bytes ? "packed: too short" : "";
  }

 private:
  int looks_;
  Nics& nics_;
};

Setting over(Nics& nics) {
  Setting setting;
  setting.decorate = [&nics](int rank, std::unique_ptr<transport::Worker> inner) {
    return std::make_unique<LateWorker>(std::move(inner), rank % 2 == 0 ? nics.looks : 10 * nics.looks, nics);
  };
  return setting;
}

/// Slabs of a field of `width` layers at both ends; a rank's faces are contiguous.
RandomCase slabs_of(int ranks, std::int64_t width = 2) {
  return problem_of({Decomposition::grid(Box::of_extent({4, 3, 4 * ranks}), {1, 1, ranks}),
                     {false, false, true},
                     Width::axes(0, 0, width),
                     Reach::full});
}

TEST(Unpacked, FacesOfSlabsAreSentFromTheFields) {
  Nics nics;
  Scene scene(slabs_of(3), 3, over(nics));
  for (std::uint64_t step = 1; step <= 5; ++step) {
    scene.fill(step);  // the moment the step before has ended: what had not been read is lost
    ASSERT_TRUE(scene.run(Kind::forward).ok());
    ASSERT_EQ(scene.check(step), "");
  }
  EXPECT_EQ(nics.num_unpacked, 5U * 3 * 2);
  EXPECT_EQ(nics.num_packed, 0U);
  const std::string table = scene.binding(0).explain();
  EXPECT_NE(table.find("mailbox, sent in place"), std::string::npos) << table;
}

TEST(Unpacked, AnExchangeLastsUntilItsFieldsWereRead) {
  Nics nics;
  nics.looks = 100;  // 1000 for rank 1
  Scene scene(slabs_of(2), 2, over(nics));
  scene.fill(1);
  const std::uint64_t numbers[2] = {scene.start_forward(0), scene.start_forward(1)};
  int turns = 0;
  while (!scene.binding(1).ready(numbers[1]) && turns < 2000) (void)scene.binding(0).ready(numbers[0]), ++turns;
  EXPECT_GE(turns, 900) << "rank 0's message was there after 100";
  EXPECT_LT(turns, 2000);
}

TEST(Unpacked, GhostsAreSentFromTheFieldsInReverse) {
  Nics nics;
  Scene scene(slabs_of(3), 3, over(nics));
  scene.fill_for_reverse(1.0, 10.0);
  ASSERT_TRUE(scene.run(Kind::reverse).ok());
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(scene.fields(rank).coded[0].check_reverse_sum(1.0, 10.0), "");
  EXPECT_EQ(nics.num_unpacked, 3U * 2);
}

TEST(Unpacked, SeveralInFlightEndInOrder) {
  Nics nics;
  Scene scene(slabs_of(3), 3, over(nics));
  scene.fill(7);
  std::vector<std::vector<std::uint64_t>> numbers(kMaxInFlight);
  for (auto& each : numbers)
    for (int rank = 0; rank < 3; ++rank) each.push_back(scene.start_forward(rank));
  for (const auto& each : numbers) {
    drive_by_turns(scene.bindings(), each);
    for (const Status& outcome : outcomes(scene.bindings(), each)) ASSERT_TRUE(outcome.ok()) << outcome.text();
  }
  EXPECT_EQ(scene.check(7), "");
  EXPECT_EQ(nics.num_unpacked, static_cast<std::uint64_t>(kMaxInFlight) * 3 * 2);
}

// Sections are padded to 16 bytes: 3 elements of 12 bytes leave 12 between one field and the next.
TEST(Unpacked, SeveralFieldsWithGapsBetweenThemAreOneMessage) {
  Nics nics;
  RandomCase problem = slabs_of(2, 1);
  problem.halo.cells = Decomposition::grid(Box::of_extent({3, 1, 8}), {1, 1, 2});
  problem.fields.assign(3, Storing{});
  problem.fields[0].element = ElementType::opaque(12);
  problem.fields[1].element = ElementType::opaque(7);
  Scene scene(problem, 2, over(nics));
  for (std::uint64_t step = 1; step <= 3; ++step) {
    scene.fill(step);
    ASSERT_TRUE(scene.run(Kind::forward).ok());
    ASSERT_EQ(scene.check(step), "");
  }
  EXPECT_GT(nics.num_unpacked, 0U);
  EXPECT_EQ(nics.num_packed, 0U);
}

TEST(Unpacked, RandomProblemsAreRightWhateverIsPacked) {
  Nics nics;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const RandomCase problem = RandomCase::draw(seed, 4);
    SCOPED_TRACE(problem.text);
    Scene scene(problem, 4, over(nics));
    for (std::uint64_t step = 1; step <= 3; ++step) {
      scene.fill(step);
      ASSERT_TRUE(scene.run(Kind::forward).ok());
      ASSERT_EQ(scene.check(step), "");
    }
  }
  EXPECT_GT(nics.num_unpacked, 100U);
  EXPECT_GT(nics.num_packed, 100U);
}

TEST(Unpacked, FieldsThatTheChannelWillNotTakeArePackedAndExplainSaysWhy) {
  Nics nics;
  nics.refusal = "packed: register 96 bytes: no";
  Scene scene(slabs_of(2), 2, over(nics));
  scene.fill(1);
  ASSERT_TRUE(scene.run(Kind::forward).ok());
  EXPECT_EQ(scene.check(1), "");
  EXPECT_EQ(nics.num_unpacked, 0U);
  const std::string table = scene.binding(0).explain();
  EXPECT_NE(table.find(nics.refusal), std::string::npos) << table;
  EXPECT_EQ(table.find("sent in place"), std::string::npos) << table;
}

TEST(Unpacked, ShortMessagesAndThoseInManyPiecesArePackedAndExplainSaysWhy) {
  Nics nics;
  nics.least_bytes = 1 << 20;
  EXPECT_NE(Scene(slabs_of(2), 2, over(nics)).binding(0).explain().find("packed: too short"), std::string::npos);
  nics.least_bytes = 0;
  const RandomCase in_rows = problem_of({Decomposition::grid(Box::of_extent({4, 20, 8}), {1, 1, 2}),
                                         {false, true, true},
                                         Width::axes(0, 1, 1),
                                         Reach::faces});
  nics.most_parts = 1;
  const std::string table = Scene(in_rows, 2, over(nics)).binding(0).explain();
  EXPECT_NE(table.find("pieces; at most 1 are sent from fields"), std::string::npos) << table;
}

}  // namespace
}  // namespace halyard::test
