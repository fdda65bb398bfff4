// Field case L01: a launcher that starts N copies of a one-rank program. check_launch with environments made up here.
#include "context/launch/launch_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "unit/error_text.hpp"

namespace halyard::context {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Variables = std::map<std::string, std::string>;

std::string verdict(int world_size, const Variables& variables) {
  const auto environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  return test::error_text(StatusCode::invalid_argument,
                          [&] { check_launch(world_size, environment, [] { return std::string("pmix, pmi2"); }); });
}

const std::string kFine = "nothing was thrown";

TEST(CheckLaunch, L01EveryOneOfSrunsThreeCopiesSaysThatItIsOneOfThree) {
  for (const char* task : {"0", "1", "2"}) {
    const std::string text = verdict(1, {{"SLURM_NTASKS", "3"}, {"SLURM_PROCID", task}});
    EXPECT_THAT(text, StartsWith(std::string("start: the launcher announces 3 tasks (SLURM_NTASKS=3, this is task ") +
                                 task + "), but MPI_COMM_WORLD has 1 rank, so 3 separate copies of this program run"));
    EXPECT_THAT(text, HasSubstr("srun --mpi=pmix"));
    EXPECT_THAT(text, HasSubstr("PMI types of srun: pmix, pmi2."));
    EXPECT_THAT(text, HasSubstr("HALYARD_SINGLETON=1"));
  }
}

TEST(CheckLaunch, BelievesTheStepRatherThanTheAllocation) {
  const Variables step{{"SLURM_STEP_NUM_TASKS", "5"}, {"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "4"}};
  EXPECT_THAT(verdict(1, step), HasSubstr("announces 5 tasks (SLURM_STEP_NUM_TASKS=5, this is task 4)"));
}

TEST(CheckLaunch, KnowsMpirunAndPmiToo) {
  EXPECT_THAT(verdict(1, {{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "1"}}),
              HasSubstr("the program's MPI is not the mpirun's"));
  EXPECT_THAT(verdict(1, {{"PMI_SIZE", "4"}, {"PMI_RANK", "0"}}), HasSubstr("the program's MPI is not the launcher's"));
}

TEST(CheckLaunch, PassesAWorldOfSeveralRanksWhateverTheLauncherSays) {
  EXPECT_EQ(verdict(3, {{"SLURM_NTASKS", "3"}, {"SLURM_PROCID", "0"}}), kFine);
  EXPECT_EQ(verdict(2, {{"SLURM_NTASKS", "7"}, {"SLURM_PROCID", "0"}}), kFine);
}

TEST(CheckLaunch, PassesOneRankThatIsMeant) {
  EXPECT_EQ(verdict(1, {}), kFine);
  EXPECT_EQ(verdict(1, {{"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}}), kFine);
  EXPECT_EQ(verdict(1, {{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}), kFine);
  EXPECT_EQ(verdict(1, {{"SLURM_NTASKS", "4"}}), kFine) << "an allocation for 4, but this process is no task of it";
}

TEST(CheckLaunch, PassesNumbersThatAreNone) {
  EXPECT_EQ(verdict(1, {{"SLURM_NTASKS", "many"}, {"SLURM_PROCID", "0"}}), kFine);
  EXPECT_EQ(verdict(1, {{"SLURM_NTASKS", ""}, {"SLURM_PROCID", "0"}}), kFine);
}

TEST(CheckLaunch, AsksSrunOnlyWhenSomethingIsWrong) {
  bool was_asked = false;
  check_launch(
      1, [](const char*) { return static_cast<const char*>(nullptr); },
      [&] {
        was_asked = true;
        return std::string();
      });
  EXPECT_FALSE(was_asked);
}

TEST(CheckLaunch, ReadsTheProcesssOwnEnvironment) {
  EXPECT_STREQ(process_environment("PATH"), std::getenv("PATH"));
  EXPECT_EQ(process_environment("HALYARD_TEST_NO_SUCH_VARIABLE"), nullptr);
}

}  // namespace
}  // namespace halyard::context
