// Options::with_environment: each HALYARD_* variable, good, bad and unknown.
#include "halyard/options.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "halyard/status.hpp"

namespace halyard {
namespace {

// Each test starts and ends without any HALYARD_* variable.
class OptionsFromEnvironment : public testing::Test {
 protected:
  void SetUp() override { forget(); }
  void TearDown() override { forget(); }

  static void forget() {
    std::vector<std::string> names;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
      if (std::string text = *entry; text.rfind("HALYARD_", 0) == 0) names.push_back(text.substr(0, text.find('=')));
    for (const std::string& name : names) unsetenv(name.c_str());
  }

  static Options with(const char* name, const char* value) {
    setenv(name, value, 1);
    return Options{}.with_environment();
  }

  // The text of the refusal; empty when it was taken.
  static std::string refusal(const char* name, const char* value) {
    try {
      (void)with(name, value);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), StatusCode::invalid_argument);
      return error.status().text();
    }
    return {};
  }
};

TEST_F(OptionsFromEnvironment, LeavesEverythingAloneWhenNothingIsSet) {
  Options mine;
  mine.path = "mpi";
  mine.deadline_s = 7;
  mine.wait = Wait::spin;
  mine.arena_bytes = 123;
  mine.registration_bytes = 456;
  mine.log = "debug";
  mine.allow_singleton = true;
  mine.device = "none";
  mine.allow_staging = false;
  const Options options = mine.with_environment();
  EXPECT_EQ(options.path, "mpi");
  EXPECT_EQ(options.deadline_s, 7);
  EXPECT_EQ(options.wait, Wait::spin);
  EXPECT_EQ(options.arena_bytes, 123);
  EXPECT_EQ(options.registration_bytes, 456);
  EXPECT_EQ(options.log, "debug");
  EXPECT_TRUE(options.allow_singleton);
  EXPECT_EQ(options.device, "none");
  EXPECT_FALSE(options.allow_staging);
}

TEST_F(OptionsFromEnvironment, WinsOverTheProgram) {
  setenv("HALYARD_PATH", "^ucx", 1);
  Options mine;
  mine.path = "ucx";
  EXPECT_EQ(mine.with_environment().path, "^ucx");
  EXPECT_EQ(mine.path, "ucx") << "the program's own options stay as they are";
}

TEST_F(OptionsFromEnvironment, TakesAnEmptyPathAsAllPaths) { EXPECT_EQ(with("HALYARD_PATH", "").path, ""); }

TEST_F(OptionsFromEnvironment, ReadsADeadlineInSeconds) {
  EXPECT_EQ(with("HALYARD_DEADLINE", "2.5").deadline_s, 2.5);
  EXPECT_EQ(with("HALYARD_DEADLINE", "1e3").deadline_s, 1000);
  EXPECT_EQ(with("HALYARD_DEADLINE", "0").deadline_s, 0);
}

TEST_F(OptionsFromEnvironment, RefusesADeadlineThatIsNoTime) {
  for (const char* bad : {"", "-1", "ten", "5s", "nan", "inf", "1e999", " 5", "-0x1"})
    EXPECT_EQ(refusal("HALYARD_DEADLINE", bad),
              std::string("HALYARD_DEADLINE='") + bad + "': expected seconds, 0 or more (0 = no deadline)");
}

TEST_F(OptionsFromEnvironment, ReadsHowToWait) {
  EXPECT_EQ(with("HALYARD_WAIT", "auto").wait, Wait::automatic);
  EXPECT_EQ(with("HALYARD_WAIT", "spin").wait, Wait::spin);
  EXPECT_EQ(with("HALYARD_WAIT", "yield").wait, Wait::yield);
}

TEST_F(OptionsFromEnvironment, RefusesAnotherWayToWait) {
  EXPECT_EQ(refusal("HALYARD_WAIT", "sleep"), "HALYARD_WAIT='sleep': expected auto, spin or yield");
  EXPECT_NE(refusal("HALYARD_WAIT", "Spin"), "");
}

TEST_F(OptionsFromEnvironment, ReadsBytesWithSuffixes) {
  EXPECT_EQ(with("HALYARD_ARENA", "0").arena_bytes, 0);
  EXPECT_EQ(with("HALYARD_ARENA", "4096").arena_bytes, 4096);
  EXPECT_EQ(with("HALYARD_ARENA", "3K").arena_bytes, 3 * 1024);
  EXPECT_EQ(with("HALYARD_ARENA", "2M").arena_bytes, 2LL << 20);
  EXPECT_EQ(with("HALYARD_ARENA", "5G").arena_bytes, 5LL << 30);
  EXPECT_EQ(with("HALYARD_ARENA", "1T").arena_bytes, 1LL << 40);
  EXPECT_EQ(with("HALYARD_ARENA", "9223372036854775807").arena_bytes, INT64_MAX);
}

TEST_F(OptionsFromEnvironment, ReadsTheLimitOfRegistrations) {
  EXPECT_EQ(Options{}.registration_bytes, 0);
  EXPECT_EQ(with("HALYARD_REGISTRATION_LIMIT", "64M").registration_bytes, 64LL << 20);
  EXPECT_EQ(refusal("HALYARD_REGISTRATION_LIMIT", "none"),
            "HALYARD_REGISTRATION_LIMIT='none': expected a number of bytes with an optional suffix K, M, G or T");
}

TEST_F(OptionsFromEnvironment, RefusesBytesThatAreNone) {
  for (const char* bad : {"", "-1", "K", "1k", "1KB", "1.5G", "9223372036854775808", "1 K"})
    EXPECT_EQ(refusal("HALYARD_ARENA", bad), std::string("HALYARD_ARENA='") + bad +
                                                 "': expected a number of bytes with an optional suffix K, M, G or T");
}

TEST_F(OptionsFromEnvironment, RefusesMoreBytesThanAnIntegerHolds) {
  EXPECT_EQ(refusal("HALYARD_ARENA", "8388608T"), "HALYARD_ARENA='8388608T': expected fewer bytes than 2^63");
  EXPECT_EQ(with("HALYARD_ARENA", "8388607T").arena_bytes, 8388607LL << 40);
}

TEST_F(OptionsFromEnvironment, ReadsTheLogLevel) {
  for (const char* level : {"off", "error", "warn", "info", "debug"}) EXPECT_EQ(with("HALYARD_LOG", level).log, level);
  EXPECT_EQ(refusal("HALYARD_LOG", "verbose"), "HALYARD_LOG='verbose': expected off, error, warn, info or debug");
}

TEST_F(OptionsFromEnvironment, ReadsTheDevice) {
  EXPECT_EQ(Options{}.device, "auto");
  for (const char* device : {"auto", "none", "cuda", "emulated"})
    EXPECT_EQ(with("HALYARD_DEVICE", device).device, device);
  for (const char* bad : {"", "CUDA", "gpu", "cuda:0", "0"})
    EXPECT_EQ(refusal("HALYARD_DEVICE", bad),
              std::string("HALYARD_DEVICE='") + bad + "': expected auto, none, cuda or emulated");
}

TEST_F(OptionsFromEnvironment, HoldsTheProgramsDeviceToTheSame) {
  Options mine;
  mine.device = "hip";
  try {
    (void)mine.with_environment();
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().text(), "Options::device='hip': expected auto, none, cuda or emulated");
  }
}

TEST_F(OptionsFromEnvironment, ReadsWhetherStagingIsAllowed) {
  EXPECT_TRUE(Options{}.allow_staging);
  EXPECT_FALSE(with("HALYARD_ALLOW_STAGING", "0").allow_staging);
  EXPECT_FALSE(with("HALYARD_ALLOW_STAGING", "no").allow_staging);
  EXPECT_TRUE(with("HALYARD_ALLOW_STAGING", "1").allow_staging);
  EXPECT_TRUE(with("HALYARD_ALLOW_STAGING", "yes").allow_staging);
  EXPECT_EQ(refusal("HALYARD_ALLOW_STAGING", "off"), "HALYARD_ALLOW_STAGING='off': expected 1 or 0");
  forget();
  EXPECT_NE(refusal("HALYARD_ALLOW_STAGE", "0").find("did you mean HALYARD_ALLOW_STAGING?"), std::string::npos);
}

TEST_F(OptionsFromEnvironment, ReadsWhereMetricsGo) {
  EXPECT_EQ(with("HALYARD_METRICS_FILE", "/run/m_%r.prom").output.metrics_file, "/run/m_%r.prom");
  EXPECT_EQ(with("HALYARD_METRICS_PORT", "0.0.0.0:9400").output.metrics_port, "0.0.0.0:9400");
  EXPECT_EQ(with("HALYARD_TRACE", "trace.json").output.trace, "trace.json");
  EXPECT_EQ(with("HALYARD_REPORT", "-").output.report, "-");
  forget();
  Options mine;
  mine.output.metrics_file = "mine";
  EXPECT_EQ(mine.with_environment().output.metrics_file, "mine");
}

TEST_F(OptionsFromEnvironment, ReadsFromHowManyBytesOnMessagesStayInTheFields) {
  EXPECT_EQ(with("HALYARD_VERBS_IN_PLACE", "0").verbs.in_place_bytes, 0);
  EXPECT_EQ(with("HALYARD_VERBS_IN_PLACE", "-1").verbs.in_place_bytes, -1);
  EXPECT_NE(refusal("HALYARD_VERBS_IN_PLACE", "-2").find("a number from -1 to"), std::string::npos);
  EXPECT_NE(refusal("HALYARD_VERBS_IN_PLACE", "4K").find("a number from -1 to"), std::string::npos);
}

TEST_F(OptionsFromEnvironment, ReadsWhetherOneRankIsMeant) {
  EXPECT_TRUE(with("HALYARD_SINGLETON", "1").allow_singleton);
  EXPECT_TRUE(with("HALYARD_SINGLETON", "yes").allow_singleton);
  EXPECT_FALSE(with("HALYARD_SINGLETON", "0").allow_singleton);
  EXPECT_FALSE(with("HALYARD_SINGLETON", "no").allow_singleton);
  EXPECT_EQ(refusal("HALYARD_SINGLETON", "true"), "HALYARD_SINGLETON='true': expected 1 or 0");
}

TEST_F(OptionsFromEnvironment, NamesTheNearestVariableToAnUnknownOne) {
  const std::string text = refusal("HALYARD_PATHS", "mpi");
  EXPECT_EQ(text.find("unknown environment variable HALYARD_PATHS; did you mean HALYARD_PATH?"), 0U) << text;
  for (const char* known : {"HALYARD_DEADLINE", "HALYARD_WAIT", "HALYARD_ARENA", "HALYARD_LOG", "HALYARD_DEVICE",
                            "HALYARD_REGISTRATION_LIMIT", "HALYARD_ALLOW_STAGING", "HALYARD_SINGLETON"})
    EXPECT_NE(text.find(known), std::string::npos) << known;
}

TEST_F(OptionsFromEnvironment, KnowsNoVariableByItsBareBeginning) {
  EXPECT_NE(refusal("HALYARD_", "1").find("unknown environment variable HALYARD_;"), std::string::npos);
}

TEST_F(OptionsFromEnvironment, LeavesOtherPeoplesVariablesAlone) {
  EXPECT_EQ(refusal("HALYARDX_PATH", "1"), "");
  EXPECT_EQ(refusal("MY_HALYARD_PATH", "1"), "");
  unsetenv("HALYARDX_PATH");
  unsetenv("MY_HALYARD_PATH");
}

}  // namespace
}  // namespace halyard
