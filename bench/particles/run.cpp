// Interleaved rounds of all ways on one system; see run.hpp.
#include "particles/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "common/hand_over.hpp"
#include "common/json_file.hpp"
#include "common/machine.hpp"
#include "common/quantiles.hpp"
#include "halyard/version.hpp"
#include "particles/way.hpp"

namespace halyard::bench {
namespace {

struct Task {
  std::string name;
  int batch = 1;                           // runs in a row that one sample is the mean of
  std::function<void(Way&, int)> prepare;  // untimed, before each batch
  std::function<void(Way&)> run;
  std::vector<std::vector<double>> samples;  // by way, µs
};

Point3 at(const double* x, std::int64_t i) { return {x[3 * i], x[3 * i + 1], x[3 * i + 2]}; }

std::uint64_t code_of_owned(Way& way) {
  const Holding h = way.holding();
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < h.num_owned; ++i)
    sum += code_of(at(h.v, i), code_of(at(h.x, i), static_cast<std::uint64_t>(h.id[i])));
  return sum;
}

std::uint64_t code_of_ghosts(Way& way) {
  const Holding h = way.holding();
  std::uint64_t sum = 0;
  for (std::int64_t i = h.num_owned; i < h.num_owned + h.num_ghosts; ++i) sum += code_of(at(h.x, i), 1);
  return sum;
}

class ParticlesBench {
 public:
  ParticlesBench(MPI_Comm comm, const ParticlesBenchOptions& options, std::int64_t owned)
      : comm_(comm),
        options_(options),
        context_(comm),
        system_(make_system(comm, owned, options.reach)),
        hand_over_(comm) {
    if (options.is_on_gpu)
      add_ways_on_gpu();
    else
      add_ways_on_host();
    tasks_.push_back({"ghost refresh", 20, {}, [](Way& way) { way.refresh(); }, {}});
    tasks_.push_back({"borders", 1, {}, [](Way& way) { way.borders(); }, {}});
    for (const double leaving : options.is_on_gpu ? std::vector<double>{} : options.leaving)
      tasks_.push_back({fmt::format("migrate {:g} %", 100 * leaving),
                        1,
                        [this, leaving](Way& way, int round) { displace(way, leaving, round); },
                        [](Way& way) { way.migrate(); },
                        {}});
    for (Task& task : tasks_) task.samples.resize(ways_.size());
  }

  void run() {
    for (auto& way : ways_) way->borders();
    verify();
    for (int round = 0; round < options_.rounds; ++round) {
      if (const auto ns = hand_over_.measure_ns()) hand_overs_ns_.push_back(*ns);
      for (Task& task : tasks_) run_task(task, round);
      for (auto& way : ways_) way->borders();
    }
    verify();
  }

  bool is_verified() const { return is_verified_; }

  /// JSON lines, and a table on the terminal; of rank 0.
  std::string report() {
    std::string lines;
    const double c2c = hand_overs_ns_.empty() ? 0 : median(hand_overs_ns_);
    const Holding holding = ways_[0]->holding();
    const auto bytes = 24 * holding.num_ghosts;
    if (rank() == 0)
      fmt::print("\n{} owned a rank, {} ghosts ({:.0f} KB), reach {}, c2c {:.0f} ns{}\n", system_.mine.size(),
                 holding.num_ghosts, static_cast<double>(bytes) / 1e3, options_.reach, c2c,
                 is_verified_ ? "" : "  WRONG: the ways do not agree");
    if (rank() == 0)
      fmt::print("  {:<16} {:<14} {:>10} {:>10} {:>10} {:>8} {:>8}\n", "task", "way", "p10 us", "median", "p99", "/mpi",
                 cabana_ ? "/cabana" : "");
    for (Task& task : tasks_) {
      std::vector<std::vector<double>> samples;
      for (const auto& mine : task.samples) samples.push_back(slowest(mine));
      for (std::size_t w = 0; w < ways_.size(); ++w) {
        const Ratios ratios = ratios_of(w, samples);
        print_row(task, *ways_[w], samples[w], ratios);
        lines += line_of(task, *ways_[w], samples[w], ratios, bytes, c2c);
      }
    }
    return lines;
  }

 private:
  // p10 over p10 of another way.
  struct Ratios {
    double to_mpi = 0;
    std::optional<double> to_cabana;
  };

  int rank() const { return context_.rank(); }

  void add_ways_on_host() {
    ways_.push_back(make_by_hand(comm_, system_, Messages::per_peer));
    ways_.push_back(make_by_hand(comm_, system_, Messages::per_direction));
    ways_.push_back(make_with_halyard(context_, system_, Keep::in_halyards_memory));
    ways_.push_back(make_with_halyard(context_, system_, Keep::in_user_memory));
    if (auto cabana = make_with_cabana(comm_, system_)) {
      cabana_ = ways_.size();
      ways_.push_back(std::move(cabana));
    } else if (rank() == 0) {
      fmt::print("cabana not run: built without Cabana, see bench/README.md\n");
    }
  }

  // Without an MPI that takes GPU memory there is nobody to compare with.
  void add_ways_on_gpu() {
    const bool takes = options_.mpi_cuda == "yes" || (options_.mpi_cuda == "auto" && mpi_takes_gpu_memory());
    if (takes || context_.size() == 1) {
      ways_.push_back(make_by_hand_on_gpu(comm_, system_, Landing::in_buffer));
      ways_.push_back(make_by_hand_on_gpu(comm_, system_, Landing::in_ghosts));
    } else if (rank() == 0) {
      fmt::print("cuda-mpi not run: MPI does not say that it takes GPU memory; --mpi-cuda yes if it does\n");
    }
    ways_.push_back(make_with_halyard_on_gpu(context_, system_, Wait::each_time));
    ways_.push_back(make_with_halyard_on_gpu(context_, system_, Wait::in_stream));
  }

  void run_task(Task& task, int round) {
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      const std::size_t w = (i + static_cast<std::size_t>(round)) % ways_.size();
      if (task.prepare) task.prepare(*ways_[w], round);
      if (task.batch > 1) task.run(*ways_[w]);
      MPI_Barrier(comm_);
      const double begin = MPI_Wtime();
      for (int n = 0; n < task.batch; ++n) task.run(*ways_[w]);
      ways_[w]->finish();
      task.samples[w].push_back((MPI_Wtime() - begin) / task.batch * 1e6);
    }
    for (auto& way : ways_)
      if (task.prepare) way->borders();  // what was listed is gone
  }

  // Those that leave go half the box along the axis that the ranks cut: to the other side's rank.
  void displace(Way& way, double fraction, int round) {
    const std::size_t axis = cut_axis(system_.domain);
    const double step = (system_.domain.box.hi[axis] - system_.domain.box.lo[axis]) /
                        static_cast<double>(std::max<std::int64_t>(2, system_.domain.ranks[axis]));
    const Holding h = way.holding();
    for (std::int64_t i = 0; i < h.num_owned; ++i)
      if (leaves(h.id[i], fraction, round)) h.x[3 * i + static_cast<std::int64_t>(axis)] += step;
    way.put_back();
  }

  // All particles move a little, alike in every way; then all ways must hold the same owned ones and the same ghosts.
  void verify() {
    std::vector<std::uint64_t> codes;
    for (auto& way : ways_) {
      const Holding h = way->holding();
      for (std::int64_t i = 0; i < 3 * h.num_owned; ++i) h.x[i] += 1e-6 * static_cast<double>(h.id[i / 3] % 5);
      way->put_back();
      way->refresh();
      codes.push_back(code_of_owned(*way));
      codes.push_back(code_of_ghosts(*way));
    }
    int is_right = 1;
    for (std::size_t c = 2; c < codes.size(); ++c) is_right = is_right != 0 && codes[c] == codes[c % 2] ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &is_right, 1, MPI_INT, MPI_MIN, comm_);
    is_verified_ = is_verified_ && is_right != 0;
  }

  std::vector<double> slowest(const std::vector<double>& mine) const {
    std::vector<double> all(mine.size());
    MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, comm_);
    return all;
  }

  Ratios ratios_of(std::size_t way, const std::vector<std::vector<double>>& samples) const {
    const double p10 = quantile(samples[way], 0.1);
    Ratios ratios{p10 / quantile(samples[0], 0.1), {}};
    if (cabana_) ratios.to_cabana = p10 / quantile(samples[*cabana_], 0.1);
    return ratios;
  }

  void print_row(const Task& task, const Way& way, const std::vector<double>& samples, const Ratios& ratios) const {
    if (rank() != 0) return;
    fmt::print("  {:<16} {:<14} {:>10.1f} {:>10.1f} {:>10.1f} {:>8.2f} {:>8}\n", task.name, way.name(),
               quantile(samples, 0.1), median(samples), quantile(samples, 0.99), ratios.to_mpi,
               ratios.to_cabana ? fmt::format("{:.2f}", *ratios.to_cabana) : "");
  }

  std::string line_of(const Task& task, const Way& way, const std::vector<double>& samples, const Ratios& ratios,
                      std::int64_t bytes, double c2c) const {
    nlohmann::ordered_json line;
    const Machine machine = read_machine();
    line["bench"] = "particles";
    line["commit"] = std::string(commit());
    line["machine"] = {{"cpu", machine.cpu}, {"cores", machine.cores}, {"kernel", machine.kernel}};
    line["mpi"] = {{"library", machine.mpi_library}, {"pml", machine.pml}};
    line["ranks"] = context_.size();
    line["device"] = options_.is_on_gpu ? "cuda" : "host";
    line["case"] = {{"owned", system_.mine.size()}, {"reach", options_.reach}, {"ghost_bytes", bytes}};
    line["task"] = task.name;
    line["method"] = std::string(way.name());
    if (!way.library().empty()) line["library"] = std::string(way.library());
    line["median_us"] = median(samples);
    line["p10_us"] = quantile(samples, 0.1);
    line["p99_us"] = quantile(samples, 0.99);
    line["ratio_to_mpi_p10"] = ratios.to_mpi;
    if (ratios.to_cabana) line["ratio_to_cabana_p10"] = *ratios.to_cabana;
    line["c2c_ns"] = c2c;
    line["verified"] = is_verified_;
    line["rounds"] = options_.rounds;
    return line.dump() + "\n";
  }

  MPI_Comm comm_;
  ParticlesBenchOptions options_;
  Context context_;
  System system_;
  HandOver hand_over_;
  std::vector<std::unique_ptr<Way>> ways_;
  std::optional<std::size_t> cabana_;  // which of ways_, where it is built in
  std::vector<Task> tasks_;
  std::vector<double> hand_overs_ns_;
  bool is_verified_ = true;
};

}  // namespace

int run_particles_bench(MPI_Comm comm, const ParticlesBenchOptions& options) {
  JsonFile json(comm, options.json_file);
  if (options.is_on_gpu) choose_gpu_for_particles(comm);
  bool is_verified = true;
  for (const std::int64_t owned : options.owned) {
    ParticlesBench bench(comm, options, owned);
    bench.run();
    const std::string lines = bench.report();
    json.write(lines);
    is_verified = is_verified && bench.is_verified();
  }
  return is_verified ? 0 : 1;
}

}  // namespace halyard::bench
