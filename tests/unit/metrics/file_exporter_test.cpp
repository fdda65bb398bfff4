// FileExporter: writes at once, again and again, and at its end; a file that cannot be written stops nobody.
#include "metrics/output/file_exporter.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "base/log.hpp"
#include "unit/metrics/folder.hpp"

namespace halyard::metrics {
namespace {

using std::chrono::milliseconds;
using test::Folder;

constexpr milliseconds kNever{3'600'000};

TEST(FileExporter, WritesAtItsEndWhatIsTrueThen) {
  const Folder folder;
  std::atomic<int> value{1};
  {
    const FileExporter exporter(
        folder.name("m.prom"), [&] { return std::to_string(value); }, kNever);
    value = 2;
  }
  EXPECT_EQ(folder.contents("m.prom"), "2");
}

TEST(FileExporter, WritesAgainWhenItsPeriodIsOver) {
  const Folder folder;
  std::atomic<int> num_calls{0};
  const FileExporter exporter(
      folder.name("m.prom"), [&] { return std::to_string(++num_calls); }, milliseconds(1));
  while (num_calls < 4) std::this_thread::yield();
  EXPECT_FALSE(folder.contents("m.prom").empty());
}

TEST(FileExporter, SaysOnceThatAFileCannotBeWrittenAndGivesUp) {
  const Folder folder;
  base::set_log("error", 0);
  std::atomic<int> num_calls{0};
  testing::internal::CaptureStderr();
  {
    const FileExporter exporter(
        folder.name("none/m.prom"),
        [&] {
          ++num_calls;
          return std::string("x");
        },
        milliseconds(1));
    while (num_calls < 1) std::this_thread::yield();
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(num_calls, 1);
  EXPECT_NE(log.find("metrics are no longer written to a file: halyard: write "), std::string::npos) << log;
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
}

}  // namespace
}  // namespace halyard::metrics
