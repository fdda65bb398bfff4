// Field case T01, the program: ranks exchange until rank 1 kills itself; each survivor prints one line
//   survivor <rank> <code> <seconds until it knew> <seconds for one more try> <text>
// and leaves without MPI, which cannot go on either. Arguments: path, "halyard" or "user" memory, deadline in seconds,
// "ring" or "row". Run by peer_dies.py.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "halyard/halyard.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kCells = 64;
constexpr int kStepsBefore = 100;
constexpr int kVictim = 1;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

halyard::BoxHalo halo_of(int size, bool is_ring) {
  return {halyard::Decomposition::grid(halyard::Box::of_extent({kCells * size, 1, 1}), {size, 1, 1}),
          {is_ring, false, false},
          halyard::Width::axes(2, 0, 0)};
}

void report(int rank, halyard::Binding& binding) {
  const auto start = Clock::now();
  halyard::Status status;
  while (status.ok()) status = binding.forward().wait();
  const double until_known = seconds_since(start);
  const auto again = Clock::now();
  (void)binding.forward().wait().ok();
  std::printf("survivor %d %s %.3f %.3f %s\n", rank, std::string(name_of(status.code())).c_str(), until_known,
              seconds_since(again), status.text().c_str());
  std::fflush(stdout);
}

void run(const std::vector<std::string>& arguments) {
  halyard::Options options;
  options.path = arguments.at(0);
  options.deadline_s = std::stod(arguments.at(2));
  halyard::Context context(MPI_COMM_WORLD, options);
  const auto halo = halo_of(context.size(), arguments.at(3) == "ring");
  std::vector<double> own(kCells + 4);
  double* field =
      arguments.at(1) == "halyard" ? static_cast<double*>(context.allocate(own.size() * sizeof(double))) : own.data();
  const auto view = halyard::FieldView::grid(field, {kCells, 1, 1}, halo.width, halyard::Storage::x_fastest, "density");
  const auto pattern = halyard::box_halo(halo, context.rank());
  halyard::Binding binding(context, halyard::Plan(pattern, {view.shape()}, context.facts()), {&view, 1});
  for (int i = 0; i < kStepsBefore; ++i) binding.forward().wait().or_throw();
  if (context.rank() == kVictim) kill(getpid(), SIGKILL);
  report(context.rank(), binding);
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::printf("unexpected: %s\n", error.what());
    std::fflush(stdout);
  }
  _exit(1);
}
