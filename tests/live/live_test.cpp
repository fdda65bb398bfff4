// `halyard doctor --live` between ranks, on host memory and on the emulated device: every way is right, every way that
// is not open says why, and what is closed or wrong becomes a finding. Times are not judged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "live/measure.hpp"

namespace halyard::live {
namespace {

using diagnose::Verdict;
using testing::HasSubstr;

LiveOptions quick(const std::string& device) {
  LiveOptions options;
  options.device = device;
  options.seconds = 0.02;
  options.faces = {3, 40};
  return options;
}

const WayResult& way(const LiveResult& result, std::string_view name) {
  for (const WayResult& way : result.ways)
    if (way.name == name) return way;
  throw std::logic_error("no way " + std::string(name));
}

TEST(Live, HostFieldsGoByEveryPathThatIsOpenAndAreRight) {
  const LiveResult result = measure_live(MPI_COMM_WORLD, quick("none"));
  EXPECT_EQ(result.reference, "mpi");
  EXPECT_FALSE(result.is_gpu);
  for (const char* const name : {"shared", "mpi"}) EXPECT_EQ(way(result, name).path, name) << way(result, name).not_run;
  for (const WayResult& each : result.ways) {
    if (!each.ran()) continue;
    EXPECT_EQ(each.num_wrong, 0) << each.name;
    ASSERT_EQ(each.measurements.size(), 2u) << each.name;
    EXPECT_EQ(each.measurements[1].face_bytes, 40 * 40 * 8);
    for (const Measurement& m : each.measurements) {
      EXPECT_GT(m.min_us, 0);
      EXPECT_LE(m.min_us, m.median_us);
      EXPECT_LE(m.median_us, m.max_us);
    }
    EXPECT_GT(each.measurements[0].cpu_us + each.measurements[1].cpu_us, 0) << each.name;
  }
  EXPECT_GT(speed_up(result, way(result, "shared")), 0);
}

TEST(Live, GpuFieldsGoDirectAndStagedAndAreRight) {
  const LiveResult result = measure_live(MPI_COMM_WORLD, quick("emulated"));
  EXPECT_TRUE(result.is_gpu);
  EXPECT_EQ(result.reference, "staged");
  EXPECT_EQ(way(result, "direct").path, "peer") << way(result, "direct").not_run;
  EXPECT_THAT(way(result, "staged").path, HasSubstr("(staged)")) << way(result, "staged").not_run;
  for (const WayResult& each : result.ways) EXPECT_EQ(each.num_wrong, 0) << each.name;
  EXPECT_THAT(result.mpi_on_gpu, testing::AnyOf(HasSubstr("no: "), HasSubstr("not tried")));
}

TEST(Live, ChoicesOfPathsAreIgnoredAndThatIsSaid) {
  setenv("HALYARD_PATH", "mpi", 1);
  const LiveResult result = measure_live(MPI_COMM_WORLD, quick("none"));
  unsetenv("HALYARD_PATH");
  EXPECT_EQ(way(result, "shared").path, "shared");
  EXPECT_THAT(result.remarks, testing::Contains(HasSubstr("HALYARD_PATH=mpi is ignored")));
}

TEST(Live, OptionsThatMakeNoSenseAreRefused) {
  LiveOptions options = quick("none");
  options.seconds = 0;
  EXPECT_THROW(measure_live(MPI_COMM_WORLD, options), std::invalid_argument);
  options = quick("none");
  options.faces = {0};
  EXPECT_THROW(measure_live(MPI_COMM_WORLD, options), std::invalid_argument);
  EXPECT_THROW(measure_live(MPI_COMM_SELF, quick("none")), std::invalid_argument) << "one rank has nobody to talk to";
  options = quick("none");
  options.json_file = "/nonexistent/live.json";
  EXPECT_THROW(run_live(MPI_COMM_WORLD, options), std::invalid_argument);
}

TEST(Live, TheReportIsWrittenAsJsonByTheFirstRank) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  LiveOptions options = quick("none");
  options.json_file = testing::TempDir() + "live_" + std::to_string(getppid()) + ".json";  // mpirun's: the same for all
  testing::internal::CaptureStdout();
  const int code = run_live(MPI_COMM_WORLD, options);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_LE(code, 1) << text;  // a busy machine may make the faster way the slower one
  EXPECT_EQ(text.empty(), rank != 0);
  if (rank != 0) return;
  EXPECT_THAT(text, HasSubstr("host memory"));
  std::ifstream file(options.json_file);
  const std::string json((std::istreambuf_iterator<char>(file)), {});
  for (const char* const part : {"\"reference\": \"mpi\"", "\"speed_up\"", "\"check\": \"nic\"", "\"cpu_us\""})
    EXPECT_THAT(json, HasSubstr(part));
  std::remove(options.json_file.c_str());
}

// ---- what results mean ----

WayResult ran(std::string name, std::string path, double us) { return {name, path, "", 0, {{1024, us, us, us, us}}}; }

diagnose::Findings of(std::vector<WayResult> ways, bool is_gpu) {
  LiveResult result;
  result.is_gpu = is_gpu;
  result.reference = ways.back().name;
  result.ways = std::move(ways);
  return findings_of(result);
}

TEST(LiveFindings, AFasterWayIsOkASlowerOneAWarning) {
  const auto fast = of({ran("shared", "shared", 2), ran("mpi", "mpi", 6)}, false);
  ASSERT_EQ(fast.size(), 1u);
  EXPECT_EQ(fast[0].verdict, Verdict::ok);
  EXPECT_THAT(fast[0].summary, HasSubstr("3.00 times as fast as mpi"));
  const auto slow = of({ran("shared", "shared", 8), ran("mpi", "mpi", 6)}, false);
  EXPECT_EQ(slow[0].verdict, Verdict::warn);
  EXPECT_NE(slow[0].remedy, "");
}

TEST(LiveFindings, NoDirectPathForGpuMemoryIsAFailureWithItsReason) {
  WayResult direct = ran("direct", "", 1);
  direct.not_run = "peer: GPU 1 cannot map GPU 0";
  direct.measurements.clear();
  const auto findings = of({direct, ran("staged", "shared (staged)", 9)}, true);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].verdict, Verdict::fail);
  EXPECT_THAT(findings[0].evidence, testing::ElementsAre("peer: GPU 1 cannot map GPU 0"));
}

TEST(LiveFindings, AWrongValueIsAFailureHoweverFastItCame) {
  WayResult shared = ran("shared", "shared", 1);
  shared.num_wrong = 3;
  const auto findings = of({shared, ran("mpi", "mpi", 6)}, false);
  EXPECT_EQ(findings[0].verdict, Verdict::fail);
  EXPECT_THAT(findings[0].summary, HasSubstr("3 values were wrong"));
}

TEST(LiveFindings, NothingButMpiIsAWarning) {
  WayResult shared = ran("shared", "", 1);
  shared.not_run = "not on one node";
  shared.measurements.clear();
  const auto findings = of({shared, ran("mpi", "mpi", 6)}, false);
  EXPECT_EQ(worst_of(findings), Verdict::warn);
}

}  // namespace
}  // namespace halyard::live
