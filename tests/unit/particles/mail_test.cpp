// Mail: letters of any length in pieces, all ranks in this process; pieces of another round; who is silent is
// named.
#include "particles/mail.hpp"

#include <gtest/gtest.h>

#include <random>

#include "particles/letters.hpp"
#include "transport/loopback/factory.hpp"

namespace halyard::particles {
namespace {

using transport::Blob;

constexpr std::size_t kPiece = 64;

// All ranks write to all others.
class Everybody {
 public:
  explicit Everybody(int size, double deadline_s = 20) {
    exchange::Surroundings around;
    around.binding = 1;
    around.wait = {base::WaitPolicy::kYieldEarly, deadline_s};
    std::vector<std::vector<Blob>> given;
    for (int rank = 0; rank < size; ++rank) {
      workers_.push_back(transport::loopback::open_worker(Path::shared, transport::loopback::Exports::nothing));
      exchange::Workers workers{};
      workers[static_cast<std::size_t>(Path::shared)] = workers_.back().get();
      std::vector<int> others;
      for (int r = 0; r < size; ++r)
        if (r != rank) others.push_back(r);
      mails.push_back(std::make_unique<Mail>("test", PathFacts::uniform(Path::shared, rank, size), workers, around,
                                             others, kPiece));
      letters.push_back(std::make_unique<BlobLetters>(others.size()));
      mails.back()->open();
      given.push_back(mails.back()->addresses());
    }
    for (std::size_t r = 0; r < mails.size(); ++r) {
      std::vector<Blob> got;
      for (std::size_t other = 0; other < mails.size(); ++other)
        if (other != r) got.push_back(given[other][number(r, other)]);
      mails[r]->connect(got);
    }
  }

  /// The number of `peer` among the peers of `rank`.
  static std::size_t number(std::size_t peer, std::size_t rank) { return peer < rank ? peer : peer - 1; }

  void run_by_turns(std::mt19937& random) {
    for (std::size_t r = 0; r < mails.size(); ++r) mails[r]->start(*letters[r]);
    const auto all_over = [&] {
      return std::all_of(mails.begin(), mails.end(), [](auto& mail) { return mail->is_over(); });
    };
    while (!all_over()) mails[random() % mails.size()]->advance();
  }

  std::vector<std::unique_ptr<transport::Worker>> workers_;
  std::vector<std::unique_ptr<Mail>> mails;
  std::vector<std::unique_ptr<BlobLetters>> letters;
};

Blob blob_of(std::size_t bytes, std::size_t from, std::size_t to, int round) {
  Blob blob(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    blob[i] = static_cast<std::byte>(i * 7 + from * 31 + to * 17 + static_cast<std::size_t>(round) * 3);
  return blob;
}

TEST(Mail, BringsLettersOfAnyLengthWholeInManyRounds) {
  std::mt19937 random(7);
  for (const int size : {1, 2, 3, 5}) {
    Everybody all(size);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::vector<std::size_t>> bytes(static_cast<std::size_t>(size),
                                                  std::vector<std::size_t>(static_cast<std::size_t>(size)));
      for (std::size_t from = 0; from < bytes.size(); ++from) {
        all.letters[from]->clear();
        for (std::size_t to = 0; to < bytes.size(); ++to) {
          if (from == to) continue;
          bytes[from][to] =
              std::array<std::size_t, 6>{0, 1, kPiece - 1, kPiece, kPiece + 1, random() % 1000}[random() % 6];
          all.letters[from]->out[Everybody::number(to, from)] = blob_of(bytes[from][to], from, to, round);
        }
      }
      all.run_by_turns(random);
      for (std::size_t to = 0; to < bytes.size(); ++to) {
        ASSERT_TRUE(all.mails[to]->failure().ok()) << all.mails[to]->failure().text();
        for (std::size_t from = 0; from < bytes.size(); ++from)
          if (from != to) {
            ASSERT_EQ(all.letters[to]->in[Everybody::number(from, to)], blob_of(bytes[from][to], from, to, round));
          }
      }
    }
  }
}

TEST(Mail, WithSomePeersLeavesTheOthersAlone) {
  Everybody all(3);
  std::mt19937 random(9);
  all.letters[0]->out[0] = blob_of(200, 0, 1, 0);
  all.mails[0]->start(*all.letters[0], {true, false});
  all.mails[1]->start(*all.letters[1], {true, false});
  while (!all.mails[0]->is_over() || !all.mails[1]->is_over()) all.mails[random() % 2]->advance();
  EXPECT_EQ(all.letters[1]->in[0], blob_of(200, 0, 1, 0));
}

TEST(Mail, NamesTheRankThatIsSilentToAllThatWait) {
  Everybody all(3, 0.2);
  Status other;
  std::thread rank_1([&] { other = all.mails[1]->run(*all.letters[1]); });  // rank 2 is silent
  const Status status = all.mails[0]->run(*all.letters[0]);
  rank_1.join();
  for (const Status& said : {status, other}) {
    if (said.code() == StatusCode::peer_failed) {  // the other one was a moment earlier, and said so
      EXPECT_THAT(said.text(), testing::HasSubstr("gave up because of rank 2"));
      continue;
    }
    EXPECT_EQ(said.code(), StatusCode::timeout);
    EXPECT_THAT(said.text(),
                testing::HasSubstr("test 1: waits for rank 2, 1 of 2 neighbors heard, path shared (mailbox)"));
  }
  EXPECT_TRUE(status.code() == StatusCode::timeout || other.code() == StatusCode::timeout);
  EXPECT_EQ(all.mails[0]->run(*all.letters[0]).text(), status.text());
}

TEST(Mail, OfAnotherRoundIsADisagreement) {
  Everybody all(2, 5);
  all.mails[0]->start(*all.letters[0], {false});  // rank 0 counts a round in which it wrote nothing
  all.mails[0]->start(*all.letters[0]);
  all.mails[0]->advance();
  const Status status = all.mails[1]->run(*all.letters[1]);
  EXPECT_EQ(status.code(), StatusCode::disagreement);
  EXPECT_THAT(status.text(),
              testing::HasSubstr("expected piece 1 of this round from rank 0, and piece 1 of round 2 came"));
}

}  // namespace
}  // namespace halyard::particles
