// output_name: %r, %%, and names that would be written by several ranks.
#include "metrics/output/output_name.hpp"

#include <gtest/gtest.h>

#include "halyard/status.hpp"

namespace halyard::metrics {
namespace {

std::string name(std::string_view pattern, const Writer& writer = {}, Files files = Files::per_rank) {
  return output_name("HALYARD_X", pattern, writer, files);
}

std::string refusal(std::string_view pattern, const Writer& writer = {}, Files files = Files::per_rank) {
  try {
    return "taken as " + name(pattern, writer, files);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::invalid_argument);
    return error.status().text();
  }
}

TEST(OutputName, PutsTheRankWhereItIsWanted) {
  EXPECT_EQ(name("/tmp/m_%r.prom", {12, 64}), "/tmp/m_12.prom");
  EXPECT_EQ(name("%r/%r", {3, 4}), "3/3");
  EXPECT_EQ(name("100%%.prom"), "100%.prom");
  EXPECT_EQ(name("one.prom"), "one.prom") << "one rank needs no %r";
  EXPECT_EQ(name("trace.json", {3, 4}, Files::one), "trace.json");
}

TEST(OutputName, GivesLaterContextsNamesOfTheirOwn) {
  EXPECT_EQ(name("a.b/trace.json", {0, 1, 2}), "a.b/trace.2.json");
  EXPECT_EQ(name("a.b/trace", {0, 1, 3}), "a.b/trace.3");
  EXPECT_EQ(name("dir/.hidden", {0, 1, 2}), "dir/.hidden.2");
}

TEST(OutputName, RefusesWhatItDoesNotKnow) {
  for (const char* bad : {"m_%d.prom", "m_%", "%R", "m_% r"})
    EXPECT_EQ(refusal(bad), std::string("HALYARD_X='") + bad + "': after % only r (the rank) or another % may stand");
}

TEST(OutputName, RefusesOneFileForSeveralRanks) {
  EXPECT_EQ(refusal("m.prom", {0, 3}),
            "HALYARD_X='m.prom': 3 ranks would write one file; put %r, the rank, into the name");
  EXPECT_EQ(refusal("m%%r.prom", {0, 3}),
            "HALYARD_X='m%%r.prom': 3 ranks would write one file; put %r, the rank, into the name");
}

TEST(OutputName, RefusesAFolder) {
  EXPECT_EQ(refusal("/tmp/"), "HALYARD_X='/tmp/': expected the name of a file");
  EXPECT_EQ(refusal(""), "HALYARD_X='': expected the name of a file");
}

}  // namespace
}  // namespace halyard::metrics
