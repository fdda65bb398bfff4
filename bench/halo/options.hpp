// HaloBenchOptions: what `halyard bench halo` was asked for. Filled by tools/, checked here, the
// same on every rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/usage_error.hpp"
#include "halo/geometry.hpp"

namespace halyard::bench {

enum class Cache { warm, cold };

enum class Device { host, cuda };

/// How exchanges of fields in GPU memory are driven.
enum class Mode {
  stream,  // one after the other into a stream, one synchronize after all
  sync,    // a synchronize after each
  graph,   // captured once and replayed
};
inline constexpr std::string_view kModeNames[] = {"stream", "sync", "graph"};
constexpr std::string_view name_of(Mode mode) { return kModeNames[static_cast<int>(mode)]; }

/// Lists that are empty take the defaults of the device (bench/README.md).
struct HaloBenchOptions {
  Device device = Device::host;
  std::vector<std::int64_t> cells;
  std::vector<std::int64_t> widths;
  std::vector<int> fields;
  std::vector<int> axes;          // faces of one axis only, 0 = x
  bool is_full_reach = false;     // GPU memory: all 26 neighbors instead
  std::vector<std::string> only;  // methods; empty: all that are default
  std::vector<std::string> skip;  // methods that are left out of those
  std::vector<Cache> caches{Cache::warm, Cache::cold};
  std::vector<Mode> modes{Mode::stream, Mode::sync, Mode::graph};
  std::vector<std::int64_t> ranks;  // process grid; empty: balanced, or all along the axis
  int rounds = 30;
  int batch_ms = 1;               // warm: how long the exchanges of one sample last
  std::string json_file;          // empty: none
  std::string mpi_name;           // how the MPI tuning is called in the results
  std::string mpi_cuda = "auto";  // whether MPI takes pointers to GPU memory: yes, no, or what it says itself
};

/// Throws UsageError that names the option, its value and what is allowed.
void check(const HaloBenchOptions& options, int num_ranks);

/// The process grid that was asked for; otherwise the balanced one, or all ranks along the axis.
Index3 process_grid(const HaloBenchOptions& options, const BenchCase& bench_case, int num_ranks);

/// The matrix of cases: fields fastest, cells slowest.
std::vector<BenchCase> cases_of(const HaloBenchOptions& options);

}  // namespace halyard::bench
