// A rank that does not come: the others learn in time who is missing, and nobody hangs.
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"
#include "mpi/ways.hpp"
#include "particles/gas.hpp"

namespace halyard::test {
namespace {

constexpr double kDeadline = 0.5;

class AbsentRank : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    Options options = options_of(GetParam());
    options.deadline_s = kDeadline;
    context_ = std::make_unique<Context>(MPI_COMM_WORLD, options);
    if (const auto why = closed(*context_, GetParam()); !why.empty()) GTEST_SKIP() << why;
    gas_ = std::make_unique<Gas>(allocate_on(*context_, GetParam()), Layout::interleaved, 1000);
    domain_ = domain_of(MPI_COMM_WORLD);
    std::mt19937_64 random(1);
    for (std::int64_t id = 0; id < 200; ++id) {
      const Point3 p = point_in(domain_.box, random);
      if (id % context_->size() == context_->rank()) gas_->add(id, p);
    }
  }
  void TearDown() override { MPI_Barrier(MPI_COMM_WORLD); }

  bool is_absent() const { return context_->rank() == context_->size() - 1; }
  std::string absent() const { return "rank " + std::to_string(context_->size() - 1); }

  /// With three ranks another one that waits may have given up a moment earlier, and have said so.
  std::string wrong_in_report(const Status& status, const std::string& what) const {
    const bool heard = context_->size() > 2 && status.code() == StatusCode::peer_failed;
    if (status.code() != StatusCode::timeout && !heard)
      return "code " + std::string(name_of(status.code())) + ": " + status.text();
    if (status.text().find(absent()) == std::string::npos || status.text().find(what) == std::string::npos)
      return "no '" + absent() + "' or '" + what + "' in: " + status.text();
    return {};
  }

  std::unique_ptr<Context> context_;
  std::unique_ptr<Gas> gas_;
  ParticleDomain domain_;
};

TEST_P(AbsentRank, InMigrateIsNamed) {
  Migrator migrator(*context_, domain_, gas_->set());
  migrator.migrate();
  std::string wrong;
  if (!is_absent()) {
    const auto error = error_of([&] { migrator.migrate(); });
    wrong = error ? wrong_in_report(*error, "migrate") : "no error";
    const auto again = error_of([&] { migrator.migrate(); });
    if (wrong.empty() && (!again || again->text() != error->text())) wrong = "the next migration says something else";
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(AbsentRank, InBuildIsNamed) {
  Migrator(*context_, domain_, gas_->set()).migrate();
  Borders borders(*context_, domain_, gas_->set(), {.reach = 1});
  borders.build();
  std::string wrong;
  if (!is_absent()) {
    const auto error = error_of([&] { borders.build(); });
    wrong = error ? wrong_in_report(*error, "build borders") : "no error";
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(AbsentRank, InForwardIsNamedWithTheArraysAndTheNumberOfTheExchange) {
  Migrator(*context_, domain_, gas_->set()).migrate();
  Borders borders(*context_, domain_, gas_->set(), {.reach = 1});
  GhostExchange all(borders, {"x", "id"});
  borders.build();
  std::string wrong = all.forward().wait().text();
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  if (!is_absent())
    wrong = wrong_in_report(all.forward().wait(), context_->size() == 2 ? "fields x+id, forward 2" : "rank");
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, AbsentRank, testing::ValuesIn(kWays), name_of_way);

}  // namespace
}  // namespace halyard::test
