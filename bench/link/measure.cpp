// See measure.hpp.
#include "link/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "halyard/status.hpp"

namespace halyard::bench {
namespace {

constexpr double kBatchSeconds = 2e-3;
constexpr int kLargestBatch = 10'000;
constexpr int kLeastStream = 4;  // more than a channel has buffers
constexpr int kLeastRounds = 3;

template <class Step>
double seconds_of(Step step) {
  const double begin = MPI_Wtime();
  step();
  return MPI_Wtime() - begin;
}

int batch_for(double seconds_each, int least) {
  const double batch = std::ceil(kBatchSeconds / std::max(seconds_each, 1e-9));
  return static_cast<int>(std::clamp(batch, static_cast<double>(least), static_cast<double>(kLargestBatch)));
}

bool is_chosen(const LinkBenchOptions& options, std::string_view name) {
  return options.only.empty() || std::find(options.only.begin(), options.only.end(), name) != options.only.end();
}

}  // namespace

SizeBench::SizeBench(MPI_Comm comm, Lines& lines, const LinkBenchOptions& options, std::int64_t bytes)
    : comm_(comm), options_(options) {
  for (const std::string_view name : kLineNames) {
    if (!is_chosen(options, name)) continue;
    contenders_.emplace_back();
    contenders_.back().result.method = name;
    prepare(contenders_.back(), lines, bytes);
  }
}

void SizeBench::prepare(Contender& contender, Lines& lines, std::int64_t bytes) {
  LinkResult& result = contender.result;
  result.not_run = lines.refusal(result.method);
  if (!result.not_run.empty()) return;
  try {
    contender.line = lines.make(result.method, bytes);
  } catch (const Error& error) {
    result.not_run = error.what();
    return;
  }
  Line& line = *contender.line;
  contender.is_right = verify(line);
  result.path = line.path();
  meet(line);
  contender.pings = batch_for(longest(seconds_of([&] { line.ping(1); })), 1);
  meet(line);
  const double seconds = longest(seconds_of([&] { line.stream(kLeastStream); }));
  contender.stream = batch_for(seconds / kLeastStream, kLeastStream);
}

std::vector<LinkResult> SizeBench::run() {
  const double begin = MPI_Wtime();
  for (int round = 0; round < options_.rounds; ++round) {
    if (round >= kLeastRounds && longest(MPI_Wtime() - begin) > options_.seconds) break;
    run_round(round);
  }
  std::vector<LinkResult> results;
  for (Contender& contender : contenders_) {
    if (contender.line) contender.result.is_verified = verify(*contender.line) && contender.is_right;
    results.push_back(std::move(contender.result));
  }
  return results;
}

bool SizeBench::verify(Line& line) const {
  meet(line);
  const std::int64_t mine = line.num_wrong();
  meet(line);
  std::int64_t anywhere = 0;
  MPI_Allreduce(&mine, &anywhere, 1, MPI_INT64_T, MPI_SUM, comm_);
  return anywhere == 0;
}

void SizeBench::run_round(int round) {
  std::vector<std::size_t> order(contenders_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(round)));
  for (const std::size_t i : order)
    if (contenders_[i].line) measure(contenders_[i]);
}

// Times are rank 0's, which sends first and hears last.
void SizeBench::measure(Contender& contender) const {
  Line& line = *contender.line;
  line.ping(1);
  meet(line);
  const double there_and_back = seconds_of([&] { line.ping(contender.pings); });
  contender.result.one_way_us.push_back(there_and_back / contender.pings / 2 * 1e6);
  meet(line);
  const double stream = seconds_of([&] { line.stream(contender.stream); });
  contender.result.messages_a_s.push_back(contender.stream / stream);
  meet(line);
}

// A barrier in which this rank keeps driving what the other may still wait for.
void SizeBench::meet(Line& line) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm_, &request);
  for (int is_here = 0; is_here == 0;) {
    line.progress();
    MPI_Test(&request, &is_here, MPI_STATUS_IGNORE);
  }
}

double SizeBench::longest(double seconds) const {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
  return seconds;
}

}  // namespace halyard::bench
