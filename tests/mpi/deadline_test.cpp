// A rank that never starts: the others learn, in time, who is missing and where, on every way.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
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
  if (status.code() != StatusCode::timeout && !heard)
    return "code " + std::string(name_of(status.code())) + ": " + status.text();
  if (seconds > kDeadline + kSlack) return "took " + std::to_string(seconds) + " s";
  std::vector<std::string> words{"rank " + std::to_string(absent)};
  if (!heard)
    words.insert(words.end(),
                 {"rank " + std::to_string(rank) + " waits for rank " + std::to_string(absent), "field coded0",
                  "forward 3", std::to_string(num_ranks - 2) + " of " + std::to_string(num_ranks - 1) + " messages",
                  "path " + std::string(name_of(way.path)), "last progress ", " s ago", "deadline of 1 s"});
  for (const std::string& word : words)
    if (status.text().find(word) == std::string::npos) return "no '" + word + "' in: " + status.text();
  return {};
}

// The ranks that wait: one fails in wait(), what comes after fails at once and says the same.
std::string wrong_on_waiting_rank(Binding& binding, int absent, int num_ranks, const Way& way) {
  const auto start = Clock::now();
  const Status status = binding.forward().wait();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const int rank = binding.plan().pattern().rank;
  if (auto wrong = wrong_in_report(status, seconds, rank, absent, num_ranks, way); !wrong.empty()) return wrong;
  Transfer next = binding.forward();
  if (!next.ready()) return "ready() of a failed binding is false";
  return next.wait().text() == status.text() ? "" : "the next exchange says something else: " + next.wait().text();
}

// The rank that comes too late. It may take what the others sent before they gave up, but does not wait for the rest.
std::string wrong_on_late_rank(Binding& binding, const Way& way) {
  Status status;
  for (int i = 0; i < 4 && status.ok(); ++i) status = binding.forward().wait();
  if (status.ok()) return "no failure";
  // MPI has no way to tell it.
  const bool is_told = status.code() == StatusCode::peer_failed || way.path == Path::mpi;
  return is_told ? "" : status.text();
}

TEST_P(Deadline, ARankThatNeverStartsIsNamedAndTheContextServesNewBindingsAfterwards) {
  {
    CodedExchange exchange(*context_, GetParam(), small_halo(context_->size()));
    std::string wrong = exchange.run(1);
    if (wrong.empty()) wrong = exchange.run(2);
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
    if (!is_absent()) wrong = wrong_on_waiting_rank(exchange.binding(), absent(), context_->size(), GetParam());
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
    if (is_absent()) wrong = wrong_on_late_rank(exchange.binding(), GetParam());
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  }
  EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, *context_, GetParam(), small_halo(context_->size(), 4)), "");
}

// Its farewell is heard, so that nobody waits for the deadline.
TEST_P(Deadline, ARankThatEndsTooEarlyIsNamedBeforeTheDeadline) {
  if (GetParam().path == Path::mpi) GTEST_SKIP() << "MPI has no way to tell that a peer's channel is closed";
  auto exchange = std::make_unique<CodedExchange>(*context_, GetParam(), small_halo(context_->size()));
  std::string wrong = exchange->run(1);
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  if (is_absent()) {
    exchange.reset();
    context_.reset();
  } else {
    const Status status = exchange->binding().forward().wait();
    if (status.code() != StatusCode::peer_failed || status.text().find("rank ") == std::string::npos)
      wrong = "not told who is gone: " + status.text();
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, Deadline, testing::ValuesIn(kWays), name_of_way);
INSTANTIATE_TEST_SUITE_P(Rdma, Deadline, testing::ValuesIn(rdma_ways()), name_of_way);

TEST(DeadlineOfBind, ARankThatDoesNotComeToBindIsATimeoutAndNoHang) {
  Options options = options_of(kMailbox);
  options.deadline_s = kDeadline;
  Context context(MPI_COMM_WORLD, options);
  const auto problem = small_halo(context.size());
  const Pattern pattern = box_halo(problem.halo, context.rank());
  RankFields fields(problem, pattern);
  const auto bind = [&] { Binding(context, Plan(pattern, fields.shapes, context.facts()), fields.views); };
  const bool is_absent = context.rank() == context.size() - 1;
  std::string wrong;
  if (!is_absent) {
    const auto error = error_of(bind);
    wrong = error ? error->text() : "no error";
    if (error && error->code() == StatusCode::timeout && wrong.find("not every rank came") != std::string::npos)
      wrong = "";
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  if (is_absent) (void)error_of(bind);  // else the collective that the others started would stay open
}

}  // namespace
}  // namespace halyard::test
