// See way.hpp.
#include "live/way.hpp"

#include <algorithm>

namespace halyard::live {
namespace {

WayWish wish(std::string name, std::string paths, const std::string& device) {
  WayWish result{std::move(name), {}};
  result.options.path = std::move(paths);
  result.options.device = device;
  return result;
}

}  // namespace

std::vector<WayWish> wishes(bool is_gpu, const std::string& device) {
  if (!is_gpu)
    return {wish("shared", "shared", "none"), wish("verbs", "verbs", "none"), wish("ucx", "ucx", "none"),
            wish("mpi", "mpi", "none")};
  std::vector<WayWish> ways{wish("direct", "", device), wish("staged", "shared,mpi", device)};
  ways.front().options.allow_staging = false;
  return ways;
}

Way::Way(MPI_Comm comm, const WayWish& wish, const std::shared_ptr<device::Device>& device, int face)
    : context_(comm, wish.options),
      field_(context_, device, face),
      exchange_(context_, field_.pattern(), {field_.view()}),
      is_gpu_(device != nullptr) {}

std::string Way::path() const {
  std::vector<std::string> names;
  for (const PlanNeighbor& neighbor : exchange_.plan().neighbors()) {
    const std::string name = std::string(name_of(neighbor.path)) + (neighbor.is_staged ? " (staged)" : "");
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

void Way::exchange(int count) {
  Transfer last;
  for (int i = 0; i < count; ++i) {
    last = is_gpu_ ? exchange_.binding().forward_and_wait_on(Stream()) : exchange_.forward();
    if (!is_gpu_) last.wait().or_throw();
  }
  if (is_gpu_ && count > 0) last.wait().or_throw();
}

}  // namespace halyard::live
