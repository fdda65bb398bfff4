// Programs that checks ask: their output, their failure, their end when they take too long.
#include "facts/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halyard::facts {
namespace {

TEST(RunProgram, ReturnsOutputAndErrorsAsOneText) { EXPECT_EQ(run_program("echo a b").text, "a b\n"); }

TEST(RunProgram, KnowsNoShell) { EXPECT_EQ(run_program("echo $HOME ; false").text, "$HOME ; false\n"); }

TEST(RunProgram, SaysThatThereIsNone) {
  const Reading reading = run_program("halyard-no-such-program -v");
  EXPECT_EQ(reading.access, Access::missing);
  EXPECT_THAT(reading.trouble, testing::HasSubstr("halyard-no-such-program"));
  EXPECT_EQ(run_program("").access, Access::missing);
}

TEST(RunProgram, KeepsWhatAFailingOneSaid) {
  const Reading reading = run_program("ls /no/such/place");
  EXPECT_EQ(reading.access, Access::unusable);
  EXPECT_THAT(reading.text, testing::HasSubstr("/no/such/place"));
  EXPECT_THAT(reading.trouble, testing::HasSubstr("exit code 2"));
}

TEST(RunProgram, KillsOneThatTakesTooLong) {
  const Reading reading = run_program("sleep 60", 50);
  EXPECT_EQ(reading.access, Access::unusable);
  EXPECT_THAT(reading.trouble, testing::HasSubstr("no end after 50 ms"));
}

TEST(RunProgram, CutsWhatNeverEnds) {
  const Reading reading = run_program("cat /dev/zero", 200);
  EXPECT_EQ(reading.text.size(), Root::kMostBytes);
  EXPECT_TRUE(reading.is_cut);
}

}  // namespace
}  // namespace halyard::facts
