// Contexts that cannot be made: null communicators, unknown variables, values that do not parse, on all ranks or on
// one.
#include <gtest/gtest.h>

#include <cstdlib>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

// A variable of the environment for as long as this lives, on one rank or on all.
class Variable {
 public:
  Variable(const char* name, const char* value, bool is_here = true) : name_(is_here ? name : nullptr) {
    if (name_ != nullptr) setenv(name_, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (name_ != nullptr) unsetenv(name_);
  }

 private:
  const char* name_;
};

bool is_last() { return rank_of(MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD) - 1; }

std::string not_refused(const std::vector<std::string>& words, const Options& options = {}) {
  return not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, words,
                           [&] { Context(MPI_COMM_WORLD, options); });
}

void expect_contexts_still_work() {
  Context context(MPI_COMM_WORLD, options_of(kMailbox));
  EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context, kMailbox, small_halo(context.size())), "") << "afterwards";
}

TEST(BadContext, TheNullCommunicatorIsRefused) {
  const auto error = error_of([] { Context context(MPI_COMM_NULL); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), StatusCode::invalid_argument);
  EXPECT_NE(error->text().find("MPI_COMM_NULL"), std::string::npos) << error->text();
}

TEST(BadContext, AnUnknownVariableIsNamedWithTheNearestKnownOne) {
  const Variable variable("HALYARD_DEADLNE", "3");
  EXPECT_EQ(not_refused({"HALYARD_DEADLNE", "did you mean HALYARD_DEADLINE", "HALYARD_PATH"}), "");
}

TEST(BadContext, AnUnknownVariableOnOneRankIsTheSameErrorOnAll) {
  const Variable variable("HALYARD_PTH", "shared", is_last());
  EXPECT_EQ(not_refused({"unknown environment variable HALYARD_PTH", "did you mean HALYARD_PATH"}), "");
}

struct BadValue {
  const char* name;
  const char* value;
  const char* expected;
};

constexpr BadValue kBadValues[] = {
    {"HALYARD_PATH", "shard", "did you mean shared"},
    {"HALYARD_PATH", "^ucx,mpl", "did you mean mpi"},
    {"HALYARD_PATH", "shared,,mpi", "no path"},
    {"HALYARD_DEADLINE", "-1", "seconds"},
    {"HALYARD_DEADLINE", "1 min", "seconds"},
    {"HALYARD_DEADLINE", "nan", "seconds"},
    {"HALYARD_DEADLINE", "", "seconds"},
    {"HALYARD_WAIT", "sleep", "auto, spin or yield"},
    {"HALYARD_ARENA", "12Q", "suffix"},
    {"HALYARD_ARENA", "-4K", "number of bytes"},
    {"HALYARD_ARENA", "99999999T", "2^63"},
    {"HALYARD_LOG", "loud", "off, error, warn, info or debug"},
    {"HALYARD_SINGLETON", "maybe", "1 or 0"},
};

TEST(BadContext, ValuesThatDoNotParseAreRefusedWithWhatIsExpected) {
  for (const BadValue& bad : kBadValues) {
    const Variable variable(bad.name, bad.value);
    EXPECT_EQ(not_refused({bad.name, bad.expected}), "") << bad.name << "=" << bad.value;
  }
  expect_contexts_still_work();
}

TEST(BadContext, ABadValueOnOneRankIsTheSameErrorOnAll) {
  for (const BadValue& bad : kBadValues) {
    const Variable variable(bad.name, bad.value, is_last());
    EXPECT_EQ(not_refused({bad.name, bad.expected}), "") << bad.name << "=" << bad.value;
  }
  expect_contexts_still_work();
}

TEST(BadContext, OptionsOfTheProgramAreCheckedLikeVariables) {
  Options path;
  path.path = "shared,carrier-pigeon";
  EXPECT_EQ(not_refused({"carrier-pigeon", "no path"}, path), "");
  Options deadline;
  deadline.deadline_s = -2;
  EXPECT_EQ(not_refused({"deadline_s", "-2"}, deadline), "");
  Options arena;
  arena.arena_bytes = -1;
  EXPECT_EQ(not_refused({"arena_bytes", "-1"}, arena), "");
  Options log;
  log.log = "chatty";
  EXPECT_EQ(not_refused({"chatty", "off, error, warn, info or debug"}, log), "");
  expect_contexts_still_work();
}

TEST(BadContext, NoPathLeftToANeighborIsRefusedWithEachReason) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank needs no path to another";
  Options options;
  options.path = "self";
  Context context(MPI_COMM_WORLD, options);
  const auto problem = small_halo(context.size());
  const auto error = error_of([&] { CodedExchange exchange(context, kMailbox, problem); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), StatusCode::not_supported);
  for (const char* word : {"none is left", "shared: HALYARD_PATH=self does not allow it", "ucx: ", "mpi: "})
    EXPECT_NE(error->text().find(word), std::string::npos) << error->text();
}

}  // namespace
}  // namespace halyard::test
