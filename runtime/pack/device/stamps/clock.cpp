// See clock.hpp.
#include "pack/device/stamps/clock.hpp"

#include <atomic>
#include <chrono>
#include <limits>
#include <string>

#include "device/emulated.hpp"
#include "pack/device/stamps/stamp_host.hpp"

namespace halyard::pack::device {
namespace {

using halyard::device::Device;
using halyard::device::EmulatedDevice;

constexpr std::int64_t kPatienceNs = 2'000'000'000;

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::atomic_ref<std::uint64_t> atomic(std::uint64_t& word) { return std::atomic_ref<std::uint64_t>(word); }

/// The answers' times lie between asking and hearing; the narrowest such gap tells most.
class Fastest {
 public:
  void add(std::int64_t asked_ns, std::int64_t gpu_ns, std::int64_t heard_ns) {
    const std::int64_t within = (heard_ns - asked_ns + 1) / 2;
    if (within >= reading.within_ns) return;
    reading.host_ns = asked_ns + (heard_ns - asked_ns) / 2;
    reading.gpu_ns = gpu_ns;
    reading.within_ns = within;
  }
  ClockReading reading{0, 0, std::numeric_limits<std::int64_t>::max(), 1};
};

ClockReading read_emulated() {
  Fastest fastest;
  for (std::uint32_t round = 0; round < ClockTalk::kRounds; ++round) {
    const std::int64_t asked = steady_ns();
    const auto now = static_cast<std::int64_t>(emulated_clock_ns());
    fastest.add(asked, now, steady_ns());
  }
  return fastest.reading;
}

/// What a reading takes of the driver; the kernel has ended before it goes.
class Asked {
 public:
  Asked(Device& device, int ordinal)
      : device_(device),
        ordinal_(ordinal),
        talk_(static_cast<ClockTalk*>(device.allocate_mapped(sizeof(ClockTalk)))),
        stream_(make_stream()) {}
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  ~Asked() {
    (void)device_.synchronize(stream_, ordinal_);
    device_.destroy_stream(stream_);
    device_.deallocate_mapped(talk_);
  }

  ClockReading read() {
    answer_clock_cuda(talk_, stream_, ordinal_).or_throw();
    Fastest fastest;
    for (std::uint64_t round = 1; round <= ClockTalk::kRounds; ++round) {
      const std::int64_t asked = steady_ns();
      atomic(talk_->asked).store(round, std::memory_order_release);
      std::int64_t heard = steady_ns();
      while (atomic(talk_->answered).load(std::memory_order_acquire) != round) {
        heard = steady_ns();
        if (heard - asked > kPatienceNs) throw_no_answer();
      }
      heard = steady_ns();
      fastest.add(asked, static_cast<std::int64_t>(talk_->now_ns), heard);
    }
    fastest.reading.step_ns = static_cast<std::int64_t>(talk_->step_ns);
    return fastest.reading;
  }

 private:
  Stream make_stream() {
    try {
      return device_.create_stream(ordinal_);
    } catch (...) {
      device_.deallocate_mapped(talk_);
      throw;
    }
  }
  [[noreturn]] void throw_no_answer() const {
    throw Error(StatusCode::timeout, "read the clock of " + device_.describe(ordinal_) +
                                         ": its kernel did not answer within 2 s; something else keeps the GPU busy");
  }

  Device& device_;
  int ordinal_;
  ClockTalk* talk_;
  Stream stream_;
};

}  // namespace

std::uint64_t emulated_clock_ns() {
  constexpr std::int64_t kAheadNs = 1'000'000'000'000'000;  // eleven days
  return static_cast<std::uint64_t>(steady_ns() + kAheadNs);
}

ClockReading read_clock(Device& device, int ordinal) {
  if (device.kind() == "emulated") return read_emulated();
  load_stamp_kernels_cuda(ordinal).or_throw();
  return Asked(device, ordinal).read();
}

Status mark(Device& device, int ordinal, const StampLog& log, std::uint64_t what, Stream stream) {  // data path
  if (device.kind() != "emulated") return mark_cuda(log, what, stream, ordinal);
  auto& emulated = static_cast<EmulatedDevice&>(device);
  return emulated.enqueue(stream, [log, what, &emulated] {
    Stamp stamp;
    stamp.begin = emulated_clock_ns();
    stamp.what = what;
    append_on_host(log, stamp, [&](const void* address) { return emulated.host_view(address); });
  });
}

}  // namespace halyard::pack::device
