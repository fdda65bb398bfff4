// The command line: what is accepted, what is refused and in which words.
#include "options.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace halyard::stencil {
namespace {

using Words = std::vector<std::string>;

std::string refusal(const Words& words) {
  try {
    parse(words);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Options, DefaultsAreAPeriodicSevenPointRunWithOverlap) {
  const Settings s = parse({}).settings;
  EXPECT_EQ(s.stencil.name(), "7-point");
  EXPECT_FALSE(s.cells || s.ranks || s.coefficient);
  EXPECT_EQ(s.periodic, (std::array<bool, 3>{true, true, true}));
  EXPECT_TRUE(s.overlap);
  EXPECT_FALSE(s.verify);
  EXPECT_EQ(s.memory, Memory::halyard);
  EXPECT_EQ(s.explain, Explain::none);
}

TEST(Options, CellsAreOneNumberOrThree) {
  EXPECT_EQ(*parse({"--cells", "12"}).settings.cells, (Index3{12, 12, 12}));
  EXPECT_EQ(*parse({"--cells=5,6,7"}).settings.cells, (Index3{5, 6, 7}));
}

TEST(Options, PeriodicAxesAreAListAllOrNone) {
  EXPECT_EQ(parse({"--periodic", "x,z"}).settings.periodic, (std::array<bool, 3>{true, false, true}));
  EXPECT_EQ(parse({"--periodic", "none"}).settings.periodic, (std::array<bool, 3>{}));
  EXPECT_EQ(parse({"--periodic", "all"}).settings.periodic, (std::array<bool, 3>{true, true, true}));
}

TEST(Options, ExplainStandsAloneOrNamesAllRanks) {
  EXPECT_EQ(parse({"--explain"}).settings.explain, Explain::root);
  EXPECT_EQ(parse({"--explain", "all"}).settings.explain, Explain::all);
  EXPECT_EQ(parse({"--explain", "--verify"}).settings.explain, Explain::root);
}

TEST(Options, StencilsAreSevenPointsTwentySevenOrAStarOfARadius) {
  EXPECT_EQ(parse({"--stencil", "27"}).settings.stencil.name(), "27-point");
  EXPECT_EQ(parse({"--radius", "3"}).settings.stencil.name(), "19-point");
}

TEST(Options, DeviceIsTheHostOrCuda) {
  EXPECT_EQ(parse({}).settings.device, Device::host);
  EXPECT_EQ(parse({"--device", "host"}).settings.device, Device::host);
  EXPECT_EQ(parse({"--device", "cuda"}).settings.device, Device::cuda);
}

TEST(Options, HelpAndVersionAreTextsAndNotErrors) {
  EXPECT_NE(parse({"--help"}).text.find("--cells"), std::string::npos);
  EXPECT_EQ(parse({"--version"}).text.rfind("halyard-stencil ", 0), 0U);
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
    testing::Values(Refused{{"--cells", "0"}, "at least 1"}, Refused{{"--cells", "8,-1,8"}, "-1: every extent"},
                    Refused{{"--cells", "8,8"}, "NX,NY,NZ"}, Refused{{"--cells", "8,8,8,"}, "NX,NY,NZ"},
                    Refused{{"--cells", "8x8"}, "whole number"}, Refused{{"--cells", "3000000000"}, "2147483647"},
                    Refused{{"--cells", "99999999999999999999"}, "whole number"}, Refused{{"--ranks", "2"}, "PX,PY,PZ"},
                    Refused{{"--ranks", "1,0,1"}, "at least 1"}, Refused{{"--periodic", "w"}, "all, none"},
                    Refused{{"--periodic", "x,,y"}, "all, none"}, Refused{{"--steps", "-1"}, "--steps"},
                    Refused{{"--steps", "ten"}, "--steps"}, Refused{{"--stencil", "9"}, "--stencil"},
                    Refused{{"--radius", "5"}, "--radius"}, Refused{{"--radius", "0"}, "--radius"},
                    Refused{{"--stencil", "27", "--radius", "2"}, "27-point"},
                    Refused{{"--coefficient", "nan"}, "above 0"}, Refused{{"--coefficient", "-0.1"}, "above 0"},
                    Refused{{"--deadline", "-1"}, "--deadline"}, Refused{{"--memory", "gpu"}, "--memory"},
                    Refused{{"--device", "gpu"}, "{host,cuda}"}, Refused{{"--device", "0"}, "--device"},
                    Refused{{"--explain", "some"}, "--explain"}, Refused{{"--nonsense"}, "--nonsense"},
                    Refused{{"--output", "folder/"}, "needs a name"},
                    Refused{{"--verify", "--periodic", "x"}, "periodic"},
                    Refused{{"--verify", "--input", "a.npy"}, "--input"}));

}  // namespace
}  // namespace halyard::stencil
