// What a context writes when it ends: a trace of all ranks on one time line, and a report; also when a rank does not
// come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>

#include "mpi/metrics/shared_folder.hpp"
#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

using testing::HasSubstr;
using testing::Not;

void exchange_some(Context& context, int times, const Way& way = kMailbox) {
  CodedExchange exchange(context, way, small_halo(context.size()));
  std::string wrong;
  for (int i = 0; i < times && wrong.empty(); ++i) {
    const TraceRange range("interior");
    wrong = exchange.run(static_cast<std::uint64_t>(i));
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// When the arrows of a kind have their end, by id.
std::map<std::string, double> ends_of(const std::string& text, const std::string& kind) {
  const std::regex line("\\{\"ph\":\"" + kind + "\".*\"ts\":([0-9.-]+),.*\"id\":\"(0x[0-9a-f]+)\"\\}");
  std::map<std::string, double> ends;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string event; std::getline(lines, event);)
    if (std::regex_search(event, match, line)) ends[match[2]] = std::stod(match[1]);
  return ends;
}

TEST(TraceFile, ShowsAllRanksOnOneTimeLine) {
  const SharedFolder folder;
  Options options = options_of(kMailbox);
  options.output.trace = folder.name("trace.json");
  constexpr int kTimes = 5;
  int size = 0;
  {
    Context context(MPI_COMM_WORLD, options);
    size = context.size();
    exchange_some(context, kTimes);
  }
  if (rank_of(MPI_COMM_WORLD) == 0) {
    const std::string text = folder.only_contents();
    EXPECT_EQ(text.rfind("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", 0), 0U);
    EXPECT_THAT(text, HasSubstr("\n]}\n"));
    const auto num_ranks = static_cast<std::size_t>(size);
    EXPECT_EQ(count_of(text, "\"process_name\""), num_ranks);
    EXPECT_EQ(count_of(text, "\"name\":\"interior\""), num_ranks * kTimes);
    EXPECT_GE(count_of(text, "\"name\":\"wait\""), 1U);
    // A message cannot arrive before it was sent, whatever the ranks' clocks say; they are told apart to some µs.
    const auto sent = ends_of(text, "s");
    const auto taken = ends_of(text, "f");
    const std::size_t num_neighbors = size == 1 ? 0 : size == 2 ? 1 : 2;
    EXPECT_EQ(sent.size(), num_ranks * num_neighbors * kTimes);
    EXPECT_EQ(taken.size(), sent.size());
    for (const auto& [id, when] : taken) {
      ASSERT_EQ(sent.count(id), 1U) << id;
      EXPECT_GT(when, sent.at(id) - 200) << id;
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Kernels tell of themselves on their GPU's clock; the file has all on one time line.
TEST(TraceFile, ShowsKernelsOfAGpuBesideItsHost) {
  const SharedFolder folder;
  Options options = options_of(kGpuPeer);
  options.output.trace = folder.name("trace.json");
  constexpr std::size_t kTimes = 5;
  std::size_t num_ranks = 0;
  {
    Context context(MPI_COMM_WORLD, options);
    if (const std::string why = closed(context, kGpuPeer); !why.empty()) GTEST_SKIP() << why;
    num_ranks = static_cast<std::size_t>(context.size());
    exchange_some(context, static_cast<int>(kTimes), kGpuPeer);
  }
  if (rank_of(MPI_COMM_WORLD) == 0) {
    const std::string text = folder.only_contents();
    for (const std::string part : {"pack", "wait", "unpack"})
      EXPECT_EQ(count_of(text, "\"name\":\"" + part + "\",\"cat\":\"halyard\""),
                num_ranks * kTimes * (part == "wait" ? 2 : 1))  // the host waits, too
          << part;
    EXPECT_GE(count_of(text, "\"name\":\"launch\""), num_ranks * kTimes);
    EXPECT_EQ(count_of(text, ", binding 1: sends"), num_ranks);
    EXPECT_EQ(count_of(text, ", binding 1: receives"), num_ranks);
    EXPECT_EQ(count_of(text, "of the host's, in steps of"), num_ranks);
    // Kernels run after they were launched, whatever the GPU's clock shows (the emulated one is days ahead).
    const std::regex slice("\"pid\":0,\"tid\":([0-9]+),\"ts\":([0-9.-]+).*\"name\":\"(launch|pack)\"");
    double launched = -1;
    std::istringstream lines(text);
    std::smatch match;
    for (std::string event; std::getline(lines, event);) {
      if (!std::regex_search(event, match, slice)) continue;
      const double when = std::stod(match[2]);
      if (match[3] == "launch" && launched < 0) launched = when;
      if (match[3] != "pack") continue;
      EXPECT_GT(when, launched - 200);
      EXPECT_LT(when, launched + 60e6) << "within a minute";
    }
    EXPECT_GE(launched, 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(TraceFile, ThatCannotBeWrittenStopsNobody) {
  Options options = options_of(kMailbox);
  options.output.trace = "/nowhere/trace.json";
  options.log = "error";
  testing::internal::CaptureStderr();
  {
    Context context(MPI_COMM_WORLD, options);
    exchange_some(context, 1);
  }
  const std::string log = testing::internal::GetCapturedStderr();
  const bool writes = rank_of(MPI_COMM_WORLD) == 0;
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), writes ? 1 : 0) << log;
  if (writes) {
    EXPECT_THAT(log, HasSubstr("goes on without a trace: halyard: write /nowhere/trace"));
  }
}

TEST(Report, IsOnePageAboutAllRanks) {
  const SharedFolder folder;
  Options options = options_of(kMailbox);
  options.output.report = folder.name("report.txt");
  int size = 0;
  {
    Context context(MPI_COMM_WORLD, options);
    size = context.size();
    exchange_some(context, 7);
  }
  if (rank_of(MPI_COMM_WORLD) == 0) {
    const std::string page = folder.only_contents();
    EXPECT_THAT(page, HasSubstr("halyard report: " + std::to_string(size) + " ranks, " + std::to_string(7 * size) +
                                " forward and 0 reverse exchanges on all of them\n"));
    EXPECT_THAT(page, HasSubstr("  self    self "));
    if (size > 1) {
      EXPECT_THAT(page, HasSubstr("  shared  node "));
    }
    EXPECT_THAT(page, Not(HasSubstr("was not heard")));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Report, NamesARankThatDoesNotComeAndDoesNotWaitForIt) {
  const SharedFolder folder;
  Options options = options_of(kMpi);
  options.output.report = folder.name("report.txt");
  options.deadline_s = 0.5;
  std::optional<Context> context;
  context.emplace(MPI_COMM_WORLD, options);
  if (context->size() < 2) GTEST_SKIP() << "needs two ranks";
  const bool comes = context->rank() != 1;
  const auto begin = std::chrono::steady_clock::now();
  if (comes) context.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  MPI_Barrier(MPI_COMM_WORLD);
  context.reset();
  if (rank_of(MPI_COMM_WORLD) == 0) {
    EXPECT_THAT(folder.only_contents(), HasSubstr("rank 1 was not heard: it failed, or never came here\n"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace halyard::test
