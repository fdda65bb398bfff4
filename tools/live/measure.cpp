// The rounds of a live run: all ways in turn in each round, so that what disturbs one disturbs all. See measure.hpp.
#include "live/measure.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "live/machine.hpp"
#include "live/way.hpp"

namespace halyard::live {
namespace {

constexpr int kRounds = 8;
constexpr int kMostExchanges = 100'000;
constexpr int kVerified = 3;  // more exchanges than any path has buffers in turn

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// One way in the rounds of one size. Null where it could not be set up.
struct Runner {
  WayResult* result = nullptr;
  std::unique_ptr<Way> way;
  int batch = 1;
  std::vector<double> times_us;
  double cpu_s = 0;
};

class LiveRun {
 public:
  LiveRun(MPI_Comm comm, const LiveOptions& options, const std::shared_ptr<device::Device>& device, LiveResult& result)
      : comm_(comm), options_(options), device_(device), result_(result) {}

  void run();

 private:
  void run_size(int face, const std::vector<WayWish>& wishes);
  void set_up(Runner& runner, const WayWish& wish, int face);
  void verify(Runner& runner);
  void size_batch(Runner& runner);
  void time(Runner& runner);
  void conclude(Runner& runner) const;
  double agreed(double value, MPI_Op op) const;

  MPI_Comm comm_;
  const LiveOptions& options_;
  const std::shared_ptr<device::Device>& device_;
  LiveResult& result_;
  int epoch_ = 0;
};

double LiveRun::agreed(double value, MPI_Op op) const {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, op, comm_);
  return value;
}

void LiveRun::run() {
  const auto all = wishes(device_ != nullptr, device_ == nullptr ? "none" : std::string(device_->kind()));
  result_.reference = all.back().name;
  for (const WayWish& wish : all) {
    result_.ways.emplace_back();
    result_.ways.back().name = wish.name;
  }
  for (const int face : options_.faces) run_size(face, all);
}

void LiveRun::run_size(int face, const std::vector<WayWish>& wishes) {
  std::vector<Runner> runners(wishes.size());
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    runners[i].result = &result_.ways[i];
    set_up(runners[i], wishes[i], face);
    if (runners[i].way) verify(runners[i]);
    if (runners[i].way) size_batch(runners[i]);
  }
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < runners.size(); ++i) {
      Runner& runner = runners[(i + static_cast<std::size_t>(round)) % runners.size()];
      if (runner.way) time(runner);
    }
  for (Runner& runner : runners) {
    if (!runner.way) continue;
    verify(runner);
    conclude(runner);
  }
}

// Set-up fails on all ranks or on none.
void LiveRun::set_up(Runner& runner, const WayWish& wish, int face) {
  if (!runner.result->ran()) return;
  try {
    runner.way = std::make_unique<Way>(comm_, wish, device_, face);
    runner.result->path = runner.way->path();
  } catch (const Error& error) {
    runner.result->not_run = error.what();
  }
}

void LiveRun::verify(Runner& runner) {
  double wrong = 0;
  for (int i = 0; i < kVerified; ++i) {
    runner.way->field().fill(++epoch_);
    MPI_Barrier(comm_);  // nobody sends into ghosts that are being filled
    runner.way->exchange(1);
    wrong += static_cast<double>(runner.way->field().num_wrong(epoch_));
    MPI_Barrier(comm_);
  }
  runner.result->num_wrong += static_cast<std::int64_t>(agreed(wrong, MPI_SUM));
}

void LiveRun::size_batch(Runner& runner) {
  double seconds = 0;
  for (const int count : {1, 8}) {
    MPI_Barrier(comm_);
    const double begin = MPI_Wtime();
    runner.way->exchange(count);
    seconds = (MPI_Wtime() - begin) / count;
  }
  const double share = options_.seconds / (kRounds * static_cast<double>(result_.ways.size()));
  const double batch = std::ceil(share / std::max(agreed(seconds, MPI_MAX), 1e-7));
  runner.batch = static_cast<int>(std::clamp(batch, 1.0, static_cast<double>(kMostExchanges)));
}

void LiveRun::time(Runner& runner) {
  runner.way->exchange(1);
  MPI_Barrier(comm_);
  const double cpu = cpu_seconds();
  const double begin = MPI_Wtime();
  runner.way->exchange(runner.batch);
  runner.times_us.push_back(1e6 * (MPI_Wtime() - begin) / runner.batch);
  runner.cpu_s += cpu_seconds() - cpu;
}

void LiveRun::conclude(Runner& runner) const {
  Measurement measurement;
  measurement.face_bytes = runner.way->field().face_bytes();
  for (double& time : runner.times_us) time = agreed(time, MPI_MAX);
  std::sort(runner.times_us.begin(), runner.times_us.end());
  measurement.min_us = runner.times_us.front();
  measurement.median_us = runner.times_us[runner.times_us.size() / 2];
  measurement.max_us = runner.times_us.back();
  measurement.cpu_us = 1e6 * agreed(runner.cpu_s, MPI_SUM) / (static_cast<double>(kRounds) * runner.batch);
  runner.result->measurements.push_back(measurement);
}

void check(MPI_Comm comm, const LiveOptions& options) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  if (size < 2)
    throw std::invalid_argument(
        "doctor --live: measures between ranks, and here is one; start it as 'mpirun -np 2 halyard doctor --live' or "
        "with srun");
  if (!(options.seconds > 0) || options.seconds > 3600)
    throw std::invalid_argument(
        fmt::format("doctor --live: --seconds {}: expected more than 0, at most 3600", options.seconds));
  for (const int face : options.faces)
    if (face < 1 || face > 4096)
      throw std::invalid_argument(fmt::format("doctor --live: face {}: expected 1 to 4096 cells", face));
}

// The comparison needs to choose paths itself, and these would choose for it.
void ignore_choices_of_paths(LiveResult& result) {
  for (const char* name : {"HALYARD_PATH", "HALYARD_ALLOW_STAGING"})
    if (const char* value = std::getenv(name)) {
      result.remarks.push_back(fmt::format("{}={} is ignored for this comparison", name, value));
      unsetenv(name);
    }
}

}  // namespace

LiveResult measure_live(MPI_Comm comm, const LiveOptions& options) {
  check(comm, options);
  LiveResult result;
  MPI_Comm_size(comm, &result.num_ranks);
  ignore_choices_of_paths(result);
  const auto machine = look_at_machine(comm, options.device);
  result.num_nodes = machine.num_nodes;
  result.memory = machine.memory;
  result.is_gpu = machine.device != nullptr;
  for (const std::string& remark : machine.remarks) result.remarks.push_back(remark);
  LiveRun(comm, options, machine.device, result).run();
  if (result.is_gpu) result.mpi_on_gpu = try_mpi_on_gpu(comm, *machine.device);
  return result;
}

}  // namespace halyard::live
