// See ways.hpp.
#include "mpi/ways.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

#include "device/factory.hpp"

namespace halyard::test {
namespace {

std::string expected_form(const Way& way, int rank, int peer) {
  if (peer == rank) return "copy";
  if (way.is_on_gpu() && way.path == Path::verbs && gpu_device_name() == "emulated") return "GPU memory over verbs";
  if (way.is_on_gpu()) return way.path == Path::peer ? "" : "staged over " + std::string(name_of(way.path));
  if (way.path == Path::mpi) return "persistent requests";
  if (way.path == Path::ucx) return "put";
  if (way.path == Path::verbs) return "write";
  const bool is_out_direct = way.is_in_halyard_memory(rank);
  const bool is_in_direct = way.is_in_halyard_memory(peer);
  if (is_out_direct != is_in_direct) return is_out_direct ? "direct out, mailbox in" : "mailbox out, direct in";
  return is_out_direct ? "direct" : "mailbox";
}

// The line of explain() that begins with this neighbor's rank, from its path on.
std::string row_of(const std::string& table, int peer) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string rank;
    if (!(words >> rank >> std::ws) || rank != std::to_string(peer)) continue;
    std::getline(words, line);
    return line;
  }
  return {};
}

// "shared direct  …" against path shared and form direct, spaces aside.
bool says(const std::string& row, Path path, const std::string& form) {
  const std::string name(name_of(path));
  const auto at = row.find_first_not_of(' ', name.size());
  if (!row.starts_with(name) || at == std::string::npos || row.compare(at, form.size(), form) != 0) return false;
  if (path == Path::peer) return row.compare(at, 6, "direct") == 0 || row.compare(at, 7, "landing") == 0;
  if (path == Path::verbs || path == Path::ucx) return true;  // they go on with what carries the bytes
  return row.compare(at + form.size(), 4, " out") != 0;
}

// Before the driver is asked: each rank of a node sees the same GPUs, beginning with another one. Ordinals then say
// nothing (field case I01), and messages go from GPU to GPU.
void spread_over_gpus() {
  static bool is_done = false;
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const char* local_rank = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  if (std::exchange(is_done, true) || visible == nullptr || local_rank == nullptr) return;
  std::vector<std::string> gpus;
  std::istringstream list(visible);
  for (std::string gpu; std::getline(list, gpu, ',');) gpus.push_back(gpu);
  if (gpus.empty()) return;
  const auto first = static_cast<std::size_t>(std::atoi(local_rank)) % gpus.size();
  std::rotate(gpus.begin(), gpus.begin() + static_cast<std::ptrdiff_t>(first), gpus.end());
  std::string mine;
  for (const std::string& gpu : gpus) mine += (mine.empty() ? "" : ",") + gpu;
  setenv("CUDA_VISIBLE_DEVICES", mine.c_str(), 1);
}

bool has_rdma_device() {
  std::error_code none;
  const std::filesystem::path devices = "/sys/class/infiniband";
  return std::filesystem::exists(devices, none) && !std::filesystem::is_empty(devices, none);
}

}  // namespace

std::string gpu_device_name() {
  spread_over_gpus();
  const char* chosen = std::getenv("HALYARD_DEVICE");
  return chosen == nullptr ? "emulated" : chosen;
}

int gpu_thrift() { return gpu_device_name() == "emulated" ? 2 : 4; }

int machine_thrift() {
  const char* thrift = std::getenv("TEST_THRIFT");
  return thrift == nullptr ? 1 : std::max(1, std::atoi(thrift));
}

std::shared_ptr<device::Device> gpu_device() { return device::open(gpu_device_name()).device; }

std::vector<Way> rdma_ways() { return has_rdma_device() ? std::vector<Way>{kVerbs} : std::vector<Way>{}; }

std::vector<Way> rdma_gpu_ways() {
  return has_rdma_device() ? std::vector<Way>{kGpuOverUcx, kGpuOverVerbs} : std::vector<Way>{};
}

Options options_of(const Way& way) {
  Options options;
  if (way.is_on_gpu()) options.device = gpu_device_name();
  options.path = std::string(name_of(way.path));
  options.deadline_s = 40;
  return options;
}

std::string closed(const Context& context, const Way& way) {
  if (way.is_on_gpu() && gpu_device() == nullptr) return "no GPU here: " + device::open(gpu_device_name()).text;
  const PathFact& fact = context.facts().paths[static_cast<std::size_t>(way.path)];
  return fact.is_open ? std::string() : std::string(name_of(way.path)) + " is not open here: " + fact.refusal;
}

Allocate allocate_on(Context& context, const Way& way) {
  if (!way.is_in_halyard_memory(context.rank())) return allocate_plain;
  return [&context](std::size_t bytes) {
    auto* memory = static_cast<std::byte*>(context.allocate(bytes));
    return std::shared_ptr<std::byte[]>(memory, [&context](std::byte* m) { context.deallocate(m); });
  };
}

std::string other_way(const Binding& binding, const Way& way) {
  const std::string table = binding.explain();
  const int rank = binding.plan().pattern().rank;
  for (const PlanNeighbor& neighbor : binding.plan().neighbors()) {
    const Path path = neighbor.rank == rank ? Path::self : way.path;
    const std::string form = expected_form(way, rank, neighbor.rank);
    if (neighbor.path != path || !says(row_of(table, neighbor.rank), path, form))
      return "neighbor " + std::to_string(neighbor.rank) + " was to be reached by " + std::string(name_of(path)) + " " +
             form + ":\n" + table;
  }
  return {};
}

void OnEveryWay::SetUp() {
  context_ = std::make_unique<Context>(MPI_COMM_WORLD, options());
  if (const auto why = closed(*context_, way()); !why.empty()) GTEST_SKIP() << why;
}

}  // namespace halyard::test
