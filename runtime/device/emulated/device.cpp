// The GPUs of an EmulatedDevice: which there are, what they are called. See device.hpp.
#include "device/emulated/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/hash.hpp"
#include "device/uuid.hpp"
#include "halyard/status.hpp"

namespace halyard::device {
namespace emulated {
namespace {

/// Blocks run one after the other in a stream's thread, so this only sizes grids, as it would on a small GPU.
constexpr int kMultiprocessors = 4;

}  // namespace

Uuid uuid_of_gpu(int gpu) {
  Uuid uuid{};
  for (int half = 0; half < 2; ++half) {
    const std::uint64_t value = base::Hash{}.add("emulated GPU").add(gpu).add(half).value();
    std::memcpy(uuid.data() + 8 * half, &value, sizeof(value));
  }
  return uuid;
}

EmulatedGpus::EmulatedGpus(std::vector<int> gpus)
    : gpus_(std::move(gpus)), heap_(Heap::of_process()), life_(gpus_.size()) {
  for (auto& life : life_) life = 1;
  sweep_names();
}

std::uint64_t EmulatedGpus::life(int ordinal) const {
  gpu_of(ordinal);
  return life_[static_cast<std::size_t>(ordinal)];
}

std::string EmulatedGpus::describe(int ordinal) const {
  return fmt::format("emulated GPU {} ({})", gpu_of(ordinal), text_of(uuid(ordinal)));
}

Uuid EmulatedGpus::uuid(int ordinal) const { return uuid_of_gpu(gpu_of(ordinal)); }

int EmulatedGpus::num_multiprocessors(int ordinal) const {
  gpu_of(ordinal);
  return kMultiprocessors;
}

int EmulatedGpus::gpu_of(int ordinal) const {
  if (ordinal < 0 || ordinal >= num_gpus())
    throw Error(StatusCode::invalid_argument,
                fmt::format("use GPU {}: this process sees {} emulated GPUs, counted from 0", ordinal, num_gpus()));
  return gpus_[static_cast<std::size_t>(ordinal)];
}

int EmulatedGpus::ordinal_of(int gpu) const {
  const auto found = std::find(gpus_.begin(), gpus_.end(), gpu);
  return found == gpus_.end() ? -1 : static_cast<int>(found - gpus_.begin());
}

void EmulatedGpus::fail_next(DriverCall call, int times, std::string text) {
  script_.fail_next(call, times, std::move(text));
}

EmulatedDevice::Counts EmulatedGpus::counts() const {
  const Counters& now = *counters_;
  return {now.allocations, now.deallocations, now.opens,   now.closes,        now.launches,
          now.copies,      now.synchronizes,  now.flushes, now.stream_copies, now.mapped_allocations};
}

}  // namespace emulated

std::shared_ptr<EmulatedDevice> EmulatedDevice::make(int num_gpus, std::vector<int> visible) {
  if (num_gpus < 1)
    throw Error(StatusCode::invalid_argument, fmt::format("emulate {} GPUs: there must be at least one", num_gpus));
  if (visible.empty()) {
    visible.resize(static_cast<std::size_t>(num_gpus));
    std::iota(visible.begin(), visible.end(), 0);
  }
  for (std::size_t i = 0; i < visible.size(); ++i) {
    const int gpu = visible[i];
    if (gpu < 0 || gpu >= num_gpus || std::count(visible.begin(), visible.end(), gpu) != 1)
      throw Error(StatusCode::invalid_argument,
                  fmt::format("make GPU {} visible: there are {}, each may be named once", gpu, num_gpus));
  }
  return std::make_shared<emulated::EmulatedGpus>(std::move(visible));
}

}  // namespace halyard::device
