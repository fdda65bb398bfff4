// Ranks that describe different exchanges all learn it, with the same words, before the first byte moves.
#include <gtest/gtest.h>

#include <functional>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

struct Difference {
  const char* name;
  std::function<void(RandomCase&, int rank)> make;
};

RandomCase agreed(int num_ranks) {
  const Box domain = Box::of_extent({4 * num_ranks, 4, 4});
  auto problem = plain_case(Decomposition::grid(domain, {num_ranks, 1, 1}), {true, true, false}, Width::all(1));
  problem.fields.push_back(Storing{ElementType::of<float>(2)});
  return problem;
}

void move_a_cut_of(int rank, RandomCase& problem) {
  const Box domain = problem.halo.cells.domain();
  std::vector<std::int64_t> x;
  for (int r = 0; r <= problem.halo.cells.num_ranks(); ++r) x.push_back(4 * r);
  ++x[static_cast<std::size_t>(std::max(rank, 1))];
  problem.halo.cells = Decomposition::cuts({x, {0, domain.hi[1]}, {0, domain.hi[2]}});
}

const Difference kDifferences[] = {
    {"a wider halo", [](RandomCase& p, int) { p.halo.width = Width::all(2); }},
    {"a halo wider on one side", [](RandomCase& p, int) { p.halo.width.hi[0] = 3; }},
    {"no halo", [](RandomCase& p, int) { p.halo.width = Width::all(0); }},
    {"faces only", [](RandomCase& p, int) { p.halo.reach = Reach::faces; }},
    {"one axis less that is periodic", [](RandomCase& p, int) { p.halo.periodic[1] = false; }},
    {"one field less", [](RandomCase& p, int) { p.fields.pop_back(); }},
    {"one field more", [](RandomCase& p, int) { p.fields.push_back(Storing{}); }},
    {"fields the other way round", [](RandomCase& p, int) { std::swap(p.fields[0], p.fields[1]); }},
    {"an element type of the same size",
     [](RandomCase& p, int) { p.fields[0].element = ElementType::of<std::int64_t>(); }},
    {"another element size", [](RandomCase& p, int) { p.fields[0].element = ElementType::of<double>(2); }},
    {"another axis order",
     [](RandomCase& p, int) {
       p.fields[0].order = {2, 1, 0};
     }},
    {"another cut", [](RandomCase& p, int rank) { move_a_cut_of(rank, p); }},
};

Options with_deadline(double seconds) {
  Options options;
  options.deadline_s = seconds;
  return options;
}

TEST(Disagreement, EveryDifferenceOnOneRankIsTheSameErrorOnAllRanks) {
  Context context(MPI_COMM_WORLD, with_deadline(20));
  for (const Difference& difference : kDifferences)
    for (const int odd : {0, context.size() - 1}) {
      auto problem = agreed(context.size());
      if (context.rank() == odd) difference.make(problem, odd);
      const Pattern pattern = box_halo(problem.halo, context.rank());
      const RankFields fields(problem, pattern);
      const auto bind = [&] { Binding(context, Plan(pattern, fields.shapes, context.facts()), fields.views); };
      ASSERT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::disagreement, {"plans do not fit together"}, bind), "")
          << "rank " << odd << " has " << difference.name;
    }
  EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context, kMailbox, agreed(context.size())), "") << "afterwards";
}

TEST(Disagreement, RanksThatStartDifferentExchangesGetAnErrorAndNoWrongGhosts) {
  Context context(MPI_COMM_WORLD, with_deadline(5));
  CodedExchange exchange(context, kMailbox, small_halo(context.size()));
  const bool is_odd = context.rank() == context.size() - 1;
  const Status status = (is_odd ? exchange.binding().reverse() : exchange.binding().forward()).wait();
  std::string wrong = status.ok() ? "no error" : "";
  if (status.code() != StatusCode::disagreement && status.code() != StatusCode::peer_failed) wrong = status.text();
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

}  // namespace
}  // namespace halyard::test
