// The command line: what is accepted, what is refused and in which words.
#include "options.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace halyard::md {
namespace {

using Words = std::vector<std::string>;

Settings settings_of(const Words& words) { return parse(words, "v\n").settings; }

std::string refusal(const Words& words) {
  try {
    parse(words, "v\n");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Options, DefaultsAreASmallMeltInDoubleWithNewton) {
  const Settings s = settings_of({});
  EXPECT_EQ(s.start.melt, 10);
  EXPECT_EQ(s.precision, Precision::double_);
  EXPECT_EQ(s.newton, Newton::on);
  EXPECT_EQ(s.thermostat.kind, Thermostat::none);
  EXPECT_EQ(s.output.explain, Explain::none);
  EXPECT_EQ(s.cutoff + s.skin, 2.8);
  EXPECT_FALSE(s.overlap || s.fixed_order || s.checks || s.is_shifted || s.ranks);
}

TEST(Options, EachIsTaken) {
  const Settings s = settings_of({"--melt", "3", "--precision", "mixed", "--newton", "off", "--ranks", "2,1,3", "--dt",
                                  "1e-3", "--thermostat", "langevin", "--temperature", "0.7", "--explain", "all"});
  EXPECT_EQ(s.start.melt, 3);
  EXPECT_EQ(s.precision, Precision::mixed);
  EXPECT_EQ(s.newton, Newton::off);
  EXPECT_EQ(*s.ranks, (Index3{2, 1, 3}));
  EXPECT_EQ(s.dt, 1e-3);
  EXPECT_EQ(s.thermostat.kind, Thermostat::langevin);
  EXPECT_EQ(s.thermostat.temperature, 0.7);
  EXPECT_EQ(s.output.explain, Explain::all);
}

TEST(Options, OnAGpuEachPairIsComputedTwice) {
  EXPECT_EQ(settings_of({"--device", "host"}).newton, Newton::on);
  for (const auto& [name, device] : {std::pair("cuda", Device::cuda), std::pair("emulated", Device::emulated)}) {
    const Settings s = settings_of({"--device", name});
    EXPECT_EQ(s.device, device);
    EXPECT_EQ(s.newton, Newton::off);
    EXPECT_NE(refusal({"--device", name, "--newton", "on"}).find(std::string("--device ") + name), std::string::npos);
  }
}

TEST(Options, HelpAndVersionAreTextsAndNotErrors) {
  EXPECT_NE(parse({"--help"}, "v\n").text.find("--melt"), std::string::npos);
  EXPECT_EQ(parse({"--version"}, "v\n").text, "v\n");
}

struct Refused {
  Words words;
  const char* reason;
};
class Refusals : public testing::TestWithParam<Refused> {};

TEST_P(Refusals, NameWhatWasGivenAndWhatIsTaken) {
  const std::string text = refusal(GetParam().words);
  EXPECT_NE(text.find(GetParam().reason), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    BadOptions, Refusals,
    testing::Values(Refused{{"--melt", "0"}, "--melt"}, Refused{{"--melt", "3", "--data", "x"}, "--data"},
                    Refused{{"--restart", "y", "--data", "x"}, "--restart"}, Refused{{"--steps", "-1"}, "--steps"},
                    Refused{{"--steps", "ten"}, "--steps"}, Refused{{"--dt", "0"}, "above 0"},
                    Refused{{"--dt", "nan"}, "above 0"}, Refused{{"--cutoff", "inf"}, "above 0"},
                    Refused{{"--skin", "-0.3"}, "above 0"}, Refused{{"--ranks", "2,2"}, "PX,PY,PZ"},
                    Refused{{"--ranks", "2,2,2,2"}, "PX,PY,PZ"}, Refused{{"--ranks", "0,1,1"}, "from 1"},
                    Refused{{"--precision", "half"}, "--precision"}, Refused{{"--newton", "maybe"}, "--newton"},
                    Refused{{"--thermostat", "rescale"}, "needs --temperature"},
                    Refused{{"--temperature", "1"}, "needs --thermostat"},
                    Refused{{"--damp", "2"}, "--damp 2: needs --thermostat langevin"},
                    Refused{{"--seed", "7"}, "--seed 7: needs --thermostat langevin"},
                    Refused{{"--thermostat-every", "5", "--thermostat", "langevin", "--temperature", "1"},
                            "--thermostat-every 5: needs --thermostat rescale"},
                    Refused{{"--thermostat", "rescale", "--temperature", "-1"}, "0 or more"},
                    Refused{{"--dump-every", "5"}, "--dump-every 5: needs --dump"},
                    Refused{{"--dump", "folder/"}, "needs a name"}, Refused{{"--deadline", "-1"}, "--deadline"},
                    Refused{{"--explain", "some"}, "--explain"}, Refused{{"--nonsense"}, "--nonsense"}));

}  // namespace
}  // namespace halyard::md
