// Fields that do not fit their plan, and plans that do not fit their context: refused at bind time, with the same words
// on every rank even when only one rank is wrong.
#include <gtest/gtest.h>

#include <cstring>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

using Words = std::vector<std::string>;

class BadBind : public testing::Test {
 protected:
  BadBind()
      : problem_(small_halo(context_.size())),
        pattern_(box_halo(problem_.halo, context_.rank())),
        fields_(problem_, pattern_) {}

  bool is_last() const { return context_.rank() == context_.size() - 1; }
  std::string last() const { return context_.size() == 1 ? "" : "rank " + std::to_string(context_.size() - 1) + ": "; }

  // The last rank's views are spoiled; all ranks must hear of it.
  void refused(const Words& words, const std::function<void(std::vector<FieldView>&)>& spoil) {
    auto views = fields_.views;
    if (is_last()) spoil(views);
    Words all = words;
    all.push_back(last());
    const auto bind = [&] { Binding(context_, Plan(pattern_, fields_.shapes, context_.facts()), views); };
    EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, all, bind), "");
    EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context_, kMailbox, problem_), "") << "afterwards";
  }

  Context context_{MPI_COMM_WORLD, options_of(kMailbox)};
  RandomCase problem_;
  Pattern pattern_;
  RankFields fields_;
};

TEST_F(BadBind, ANullPointerIsRefusedWithFieldAndPatch) {
  refused({"field 'coded0'", "local patch 0", "null"}, [](auto& views) { views[0].data = nullptr; });
}

TEST_F(BadBind, AFieldSmallerThanItsBoxIsRefusedWithAxisAndExtents) {
  refused({"axis 1", "has 4 cells"}, [](auto& views) { views[0].extent[1] = 4; });
  refused({"axis 0", "-2 cells"}, [](auto& views) { views[0].extent[0] = -2; });
  refused({"axis 2", "first owned one at 0"}, [](auto& views) { views[0].origin[2] = 0; });
}

TEST_F(BadBind, AStrideOfZeroIsRefused) {
  refused({"stride", "axis 2"}, [](auto& views) { views[0].stride_bytes[2] = 0; });
}

TEST_F(BadBind, AnElementOtherThanThePlannedOneIsRefused) {
  refused({"elements", "8 bytes planned"}, [](auto& views) { views[0].element = ElementType::of<float>(); });
}

TEST_F(BadBind, TooManyOrTooFewViewsAreRefusedWithBothNumbers) {
  refused({"2 views were given", "1 field"}, [](auto& views) { views.push_back(views[0]); });
  refused({"0 views were given"}, [](auto& views) { views.clear(); });
}

TEST_F(BadBind, HaloExchangeRefusesNoViewsOnOneRankOnEveryRank) {
  const auto make = [&] { HaloExchange(context_, pattern_, is_last() ? std::vector<FieldView>{} : fields_.views); };
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"0 views", "one view per field"}, make),
            "");
}

TEST_F(BadBind, ElementsOfZeroOrMoreThan64BytesAreRefused) {
  for (const std::uint32_t bytes : {0U, 65U}) {
    const auto make = [&] { Plan(pattern_, {FieldShape{"big", ElementType::opaque(bytes)}}, context_.facts()); };
    EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument,
                                {"field 'big'", std::to_string(bytes) + " bytes"}, make),
              "");
  }
}

TEST_F(BadBind, AxisOrdersThatNameAnAxisTwiceAreRefused) {
  const auto make = [&] {
    Plan(pattern_, {FieldShape{"twisted", ElementType::of<double>(), {0, 0, 2}}}, context_.facts());
  };
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"field 'twisted'", "axis order"}, make),
            "");
}

TEST_F(BadBind, AProcessGridThatDoesNotMatchTheRanksIsRefusedWithBothNumbers) {
  const auto other = small_halo(context_.size() + 1);
  const Pattern pattern = box_halo(other.halo, context_.rank());
  const std::string size = std::to_string(context_.size());
  const std::string planned = std::to_string(context_.size() + 1);
  const auto make = [&] { HaloExchange(context_, pattern, fields_.views); };
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument,
                              {"rank 0 of " + planned, "rank 0 of " + size}, make),
            "");
  EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context_, kMailbox, problem_), "") << "afterwards";
}

TEST_F(BadBind, APlanOfAnotherCommunicatorsSizeIsRefusedWithBothNumbers) {
  const auto other = small_halo(context_.size() + 1);
  const Plan plan(box_halo(other.halo, context_.rank()), fields_.shapes,
                  PathFacts::uniform(Path::mpi, context_.rank(), context_.size() + 1));
  const auto make = [&] { Binding(context_, plan, fields_.views); };
  const Words words{"bind a plan of rank 0 of " + std::to_string(context_.size() + 1), "communicator of its context"};
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, words, make), "");
  EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context_, kMailbox, problem_), "") << "afterwards";
}

TEST_F(BadBind, ARankThatPlansForAnotherRankIsRefusedOnEveryRank) {
  const int wrong_rank = is_last() ? 0 : context_.rank();
  if (context_.size() == 1) GTEST_SKIP() << "one rank cannot be taken for another";
  const Plan plan(box_halo(problem_.halo, wrong_rank), fields_.shapes,
                  PathFacts::uniform(Path::mpi, wrong_rank, context_.size()));
  const auto make = [&] { Binding(context_, plan, fields_.views); };
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {last(), "bind a plan of rank 0 of"}, make),
            "");
}

TEST_F(BadBind, APlanByAPathThatIsNotOpenIsRefused) {
  if (context_.size() == 1) GTEST_SKIP() << "one rank needs no path to another";
  const Plan plan(pattern_, fields_.shapes, PathFacts::uniform(Path::ucx, context_.rank(), context_.size()));
  const auto make = [&] { Binding(context_, plan, fields_.views); };
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::not_supported, {"path ucx", "not open here"}, make), "");
}

TEST_F(BadBind, MoreExchangesInFlightThanAllowedAreRefusedAndTheOthersEndWell) {
  Binding binding(context_, Plan(pattern_, fields_.shapes, context_.facts()), fields_.views);
  fields_.fill(1);
  if (context_.size() == 1) GTEST_SKIP() << "an exchange with oneself is over when the next one starts";
  std::vector<Transfer> transfers;
  std::string wrong;
  // Only rank 0's exchanges run, so none of them can end.
  for (int i = 0; i < kMaxInFlight; ++i)
    if (context_.rank() == 0) transfers.push_back(binding.forward());
  if (context_.rank() == 0) {
    const Status refusal = binding.forward().wait();
    if (refusal.code() != StatusCode::invalid_argument || refusal.text().find("in flight already") == std::string::npos)
      wrong = "not refused: " + refusal.text();
  }
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  for (int i = 0; i < kMaxInFlight; ++i)
    if (context_.rank() != 0) transfers.push_back(binding.forward());
  for (Transfer& transfer : transfers)
    if (const Status status = transfer.wait(); !status.ok()) wrong = status.text();
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong.empty() ? fields_.check(1) : wrong), "");
}

TEST_F(BadBind, AReverseOfOpaqueElementsIsRefusedAndForwardGoesOn) {
  const auto problem = [&] {
    auto opaque = problem_;
    opaque.fields[0].element = ElementType::opaque(8);
    return opaque;
  }();
  CodedExchange exchange(context_, kMailbox, problem);
  const Status status = exchange.binding().reverse().wait();
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_NE(status.text().find("opaque"), std::string::npos) << status.text();
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, exchange.run(1)), "");
}

TEST_F(BadBind, ATransferOfNoExchangeIsRefused) {
  Transfer none;
  EXPECT_TRUE(none.ready());
  EXPECT_EQ(none.wait().code(), StatusCode::invalid_argument);
  CodedExchange exchange(context_, kMailbox, problem_);
  Transfer transfer = exchange.binding().forward();
  EXPECT_EQ(transfer.wait_on(context_.size()).code(), StatusCode::invalid_argument);
  EXPECT_TRUE(transfer.wait().ok());
}

}  // namespace
}  // namespace halyard::test
