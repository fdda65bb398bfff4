// A rank that never starts: the others learn, in time, who is missing and where, on every way.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kDeadline = 1;
constexpr double kSlack = 4;  // two cores, many ranks, other jobs

class Deadline : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    Options options = options_of(GetParam());
    options.deadline_s = kDeadline;
    context_.emplace(MPI_COMM_WORLD, options);
    if (const auto why = closed(*context_, GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  void TearDown() override { MPI_Barrier(MPI_COMM_WORLD); }

  int absent() const { return context_->size() - 1; }
  bool is_absent() const { return context_->rank() == absent(); }

  std::optional<Context> context_;
};

std::string wrong_in_report(const Status& status, double seconds, int rank, int absent, int num_ranks, const Way& way) {
  // With three ranks the other waiting one may have given up a moment earlier and said so.
  const bool heard = num_ranks > 2 && status.code() == StatusCode::peer_failed;
  if (status.code() != StatusCode::timeout && !heard) return "code " + std::string(name_of(status.code())) + ": " + status.text();
  if (seconds > kDeadline + kSlack) return "took " + std::to_string(seconds) + " s";
  std::vector<std::string> words{"rank " + std::to_string(absent)};
  if (!heard)
    words.insert(words.end(), {"rank " + std::to_string(rank) + " waits for rank " + std::to_string(absent), "field coded0",
                               "forward 3", std::to_string(num_ranks - 2) + " of " + std::to_string(num_ranks - 1) + " messages",
                               "path " + std::string(name_of(way.path)), "last progress ", " s ago", "deadline of 1 s"});
  for (const std::string& word : words)
    if (status.text().find(word) == std::string::npos) return "no '" + word + "' in: " + status.text();
  return {};
}

TEST_P(Deadline, ARankThatNeverStartsIsNamedWithFieldExchangeCountAndPath) {
  CodedExchange exchange(*context_, GetParam(), small_halo(context_->size()));
  std::string wrong = exchange.run(1);
  if (wrong.empty()) wrong = exchange.run(2);
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  if (!is_absent()) {
    const auto start = Clock::now();
    const Status status = exchange.binding().forward().wait();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    wrong = wrong_in_report(status, seconds, context_->rank(), absent(), context_->size(), GetParam());
    if (exchange.binding().forward().wait().text() != status.text()) wrong += " the next exchange says something else";
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(Deadline, TheRankThatComesLateLearnsThatTheOthersGaveUp) {
  CodedExchange exchange(*context_, GetParam(), small_halo(context_->size()));
  Status status;
  if (!is_absent()) status = exchange.binding().forward().wait();
  MPI_Barrier(MPI_COMM_WORLD);
  // What the others sent before they gave up may still be taken; what they did not send is not waited for in vain.
  for (int i = 0; is_absent() && i < 4 && status.ok(); ++i) status = exchange.binding().forward().wait();
  std::string wrong;
  if (status.ok()) wrong = "no failure";
  if (is_absent() && GetParam().path != Path::mpi && status.code() != StatusCode::peer_failed) wrong = status.text();
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(Deadline, AContextServesNewBindingsAfterOneHasFailed) {
  {
    CodedExchange exchange(*context_, GetParam(), small_halo(context_->size()));
    if (!is_absent()) {
      EXPECT_FALSE(exchange.binding().forward().wait().ok());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, *context_, GetParam(), small_halo(context_->size(), 4)), "");
}

TEST_P(Deadline, ReadyReportsAFailureInsteadOfNeverBecomingTrue) {
  CodedExchange exchange(*context_, GetParam(), small_halo(context_->size()));
  std::string wrong;
  if (!is_absent()) {
    Transfer transfer = exchange.binding().forward();
    const auto start = Clock::now();
    while (!transfer.ready())
      if (Clock::now() - start > std::chrono::duration<double>(kDeadline + kSlack)) {
        wrong = "never ready";
        break;
      }
    if (wrong.empty() && transfer.wait().ok()) wrong = "no failure";
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(Deadline, ARankThatDoesNotComeToBindIsATimeoutAndNoHang) {
  const auto problem = small_halo(context_->size());
  const Pattern pattern = box_halo(problem.halo, context_->rank());
  RankFields fields(problem, pattern);
  std::string wrong;
  if (!is_absent()) {
    const auto error = error_of([&] { Binding(*context_, Plan(pattern, fields.shapes, context_->facts()), fields.views); });
    if (!error || error->code() != StatusCode::timeout) wrong = error ? error->text() : "no error";
    if (error && error->text().find("not every rank came") == std::string::npos) wrong = error->text();
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  if (is_absent()) (void)error_of([&] { Binding(*context_, Plan(pattern, fields.shapes, context_->facts()), fields.views); });
}

INSTANTIATE_TEST_SUITE_P(Ways, Deadline, testing::ValuesIn(kWays), name_of_way);

}  // namespace
}  // namespace halyard::test
