// See stamps.hpp.
#include "exchange/gpu/stamps/stamps.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "exchange/gpu/code.hpp"
#include "pack/device/stamps/stamp_host.hpp"

namespace halyard::exchange::gpu {

using metrics::EventKind;
using metrics::GpuRow;
using pack::device::Stamp;
using pack::device::StampKind;

Stamps::Stamps(metrics::Trace& trace, std::shared_ptr<device::Device> device, std::uint32_t num_slots)
    : trace_(trace), device_(std::move(device)), num_slots_(num_slots) {
  trace_.set_stream_marks(this);
}

Stamps::~Stamps() { trace_.set_stream_marks(nullptr); }

pack::device::StampLog Stamps::log_of(int ordinal) {
  const std::lock_guard lock(mutex_);
  for (const auto& gpu : gpus_)
    if (gpu->ordinal == ordinal) return gpu->log;
  auto gpu = std::make_unique<Gpu>();
  gpu->ordinal = ordinal;
  gpu->first = pack::device::read_clock(*device_, ordinal);
  gpu->ring = mapped_buffer(device_, num_slots_ * sizeof(Stamp));
  gpu->next = gpu_buffer(device_, ordinal, sizeof(std::uint64_t));
  gpu->log = {reinterpret_cast<Stamp*>(gpu->ring.get()), reinterpret_cast<std::uint64_t*>(gpu->next.get()), num_slots_};
  gpus_.push_back(std::move(gpu));
  return gpus_.back()->log;
}

void Stamps::describe(std::uint64_t binding, std::int64_t sent_bytes, std::int64_t received_bytes) {
  const std::lock_guard lock(mutex_);
  bytes_[static_cast<std::uint32_t>(binding)] = {static_cast<std::uint64_t>(sent_bytes),
                                                 static_cast<std::uint64_t>(received_bytes)};
}

// ---- from the rings into the trace
// ------------------------------------------------------------------------------------

void Stamps::drain() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) drain_all();
}

void Stamps::drain_all() {
  for (const auto& gpu : gpus_) drain(*gpu);
}

void Stamps::drain(Gpu& gpu) {
  while (true) {
    const std::uint64_t slot = gpu.place % num_slots_;
    const Stamp stamp = pack::device::seen_in(gpu.log.ring[slot]);
    const auto place = pack::device::place_of(stamp, slot, num_slots_);
    if (!place || *place < gpu.place) return;  // not yet
    if (*place > gpu.place) {
      lose(1);
    } else {
      take(gpu, stamp);
    }
    ++gpu.place;
  }
}

// A range whose end was lost would take the next one's.
void Stamps::lose(std::uint64_t num_stamps) {
  trace_.add_dropped(num_stamps);
  for (Range& range : ranges_) range.open.clear();
}

void Stamps::take(const Gpu& gpu, const Stamp& stamp) {
  if (stamp.kind() == StampKind::range_begin || stamp.kind() == StampKind::range_end)
    take_mark(gpu, stamp);
  else
    take_exchange(gpu, stamp);
}

metrics::What Stamps::Gpu::what(EventKind kind) const {
  metrics::What made;
  made.kind = kind;
  made.gpu = static_cast<std::uint8_t>(ordinal + 1);
  return made;
}

void Stamps::take_exchange(const Gpu& gpu, const Stamp& stamp) {
  const auto code = static_cast<std::uint32_t>(stamp.word & ((1U << pack::device::kCodeBits) - 1U));
  const bool is_reverse = kind_of(code) == Kind::reverse;
  const metrics::Step step(pack::device::number_of(stamp.word), is_reverse);
  const auto known = bytes_.find(stamp.owner());
  Bytes bytes = known == bytes_.end() ? Bytes{} : known->second;
  if (is_reverse) std::swap(bytes.sent, bytes.received);
  const auto add = [&](EventKind kind, GpuRow row, std::uint64_t moved, std::uint64_t begin, std::uint64_t end) {
    metrics::What what = gpu.what(kind);
    what.thread = row.code();
    what.binding = stamp.owner();
    what.bytes = moved;
    trace_.add(what, begin, end, step);
  };
  if (starts(stamp.kind())) {
    const GpuRow row = GpuRow::sending(stamp.owner());
    add(EventKind::pack, row, bytes.sent, stamp.begin, stamp.sent);
    if (stamp.may_send > stamp.begin) add(EventKind::room, row, 0, stamp.begin, stamp.may_send);
  }
  if (!finishes(stamp.kind())) return;
  const GpuRow row = GpuRow::receiving(stamp.owner());
  add(EventKind::wait, row, 0, stamp.begin, stamp.arrived);
  add(EventKind::unpack, row, bytes.received, stamp.arrived, stamp.end);
}

void Stamps::take_mark(const Gpu& gpu, const Stamp& stamp) {
  if (stamp.owner() == 0 || stamp.owner() > ranges_.size()) return;
  Range& range = ranges_[stamp.owner() - 1];
  if (stamp.kind() == StampKind::range_begin) return range.open.push_back(stamp.begin);
  if (range.open.empty()) return;  // its beginning was lost
  metrics::What what = gpu.what(EventKind::user);
  what.name = range.name;
  what.thread = GpuRow::stream(range.row).code();
  trace_.add(what, range.open.back(), stamp.begin, {});
  range.open.pop_back();
}

// ---- the end
// ----------------------------------------------------------------------------------------------------------------

void Stamps::end() {
  trace_.set_stream_marks(nullptr);
  const std::lock_guard lock(mutex_);
  drain_all();
  for (const auto& gpu : gpus_) trace_.set_gpu_clock(clock_of(*gpu));
}

// A GPU that can be asked no more has kept its pace as far as is known.
metrics::GpuClock Stamps::clock_of(const Gpu& gpu) const {
  pack::device::ClockReading last = gpu.first;
  try {
    last = pack::device::read_clock(*device_, gpu.ordinal);
  } catch (const Error& error) {
    base::log_warn(std::string("times of the GPU in the trace may drift: ") + error.what());
  }
  metrics::GpuClock clock;
  clock.gpu = static_cast<std::uint8_t>(gpu.ordinal + 1);
  clock.first_gpu_ns = gpu.first.gpu_ns;
  clock.first_steady_ns = gpu.first.host_ns;
  clock.last_gpu_ns = last.gpu_ns;
  clock.last_steady_ns = last.host_ns;
  clock.within_ns = std::max(gpu.first.within_ns, last.within_ns);
  clock.step_ns = gpu.first.step_ns;
  return clock;
}

// ---- ranges in streams
// ------------------------------------------------------------------------------------------------

const Stamps::Gpu* Stamps::gpu_of(Stream stream) const {
  if (gpus_.size() == 1) return gpus_.front().get();
  const bool is_default = reinterpret_cast<std::uintptr_t>(stream.native) <= 2;
  for (const auto& gpu : gpus_)
    if (is_default ? device_->current_gpu() == gpu->ordinal : device_->check_stream(stream, gpu->ordinal).ok())
      return gpu.get();
  return nullptr;
}

std::uint32_t Stamps::range_of(const char* name, Stream stream) {
  std::uint32_t num_streams = 0;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    if (ranges_[i].name == name && ranges_[i].stream == stream) return static_cast<std::uint32_t>(i + 1);
    num_streams = std::max(num_streams, ranges_[i].row + 1);
  }
  const auto same = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.stream == stream; });
  Range range;
  range.name = name;
  range.stream = stream;
  range.row = same == ranges_.end() ? num_streams : same->row;
  ranges_.push_back(std::move(range));
  return static_cast<std::uint32_t>(ranges_.size());
}

std::uint32_t Stamps::begin(const char* name, Stream stream) {
  const std::lock_guard lock(mutex_);
  const Gpu* gpu = gpu_of(stream);
  if (gpu == nullptr) return 0;
  const std::uint32_t range = range_of(name, stream);
  const auto what = pack::device::what_of(range, StampKind::range_begin);
  return pack::device::mark(*device_, gpu->ordinal, gpu->log, what, stream).ok() ? range : 0;
}

void Stamps::end(std::uint32_t range, Stream stream) {
  const std::lock_guard lock(mutex_);
  const Gpu* gpu = gpu_of(stream);
  if (gpu == nullptr) return;
  const auto what = pack::device::what_of(range, StampKind::range_end);
  (void)pack::device::mark(*device_, gpu->ordinal, gpu->log, what, stream);
}

}  // namespace halyard::exchange::gpu
