// See binding.hpp.
#include "exchange/gpu/binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/log.hpp"
#include "exchange/gpu/code.hpp"
#include "exchange/gpu/stamps/stamps.hpp"
#include "metrics/registry.hpp"
#include "metrics/trace/nvtx.hpp"
#include "pack/device/kernel.hpp"
#include "plan/byte_text.hpp"
#include "plan/explain_table.hpp"

namespace halyard {

using exchange::Kind;
using exchange::gpu::GpuLink;
using exchange::gpu::StreamWaits;
using pack::device::Counters;
using pack::device::Failure;
using pack::device::FailureKind;
using pack::device::Phase;

namespace {

bool has_exchanged(const GpuLink& link, std::uint64_t number) {  // data path
  return link.staged->num_received() >= number && link.staged->has_sent(number);
}

std::vector<plan::Form> forms_of(const std::vector<GpuLink>& links) {
  std::vector<plan::Form> forms;
  for (const GpuLink& link : links) forms.push_back({link.form, link.reason, 0});
  return forms;
}

}  // namespace

GpuBinding::GpuBinding(Plan plan, int ordinal, exchange::gpu::GpuSurroundings around, exchange::gpu::GpuParts parts)
    : plan_(std::move(plan)), ordinal_(ordinal), around_(std::move(around)), parts_(std::move(parts)) {
  for (const FieldShape& field : plan_.fields()) may_reduce_ = may_reduce_ && field.element.scalar != Scalar::opaque;
  for (const GpuLink& link : parts_.links) has_staged_ = has_staged_ || link.is_staged;
  resume();
  if (parts_.stream_waits != nullptr) around_.watch->add(*parts_.stream_waits);
  if (around_.around.metrics != nullptr) meter_ = make_meter();
  if (around_.stamps != nullptr) open_stamps();
  (void)was_reset();  // knows from now on which life this is
}

void GpuBinding::open_stamps() {
  stamp_log_ = around_.stamps->log_of(ordinal_);
  parts_.moments = exchange::gpu::gpu_buffer(around_.device, ordinal_, sizeof(pack::device::Moments));
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (const PlanNeighbor& neighbor : plan_.neighbors()) {
    sent += neighbor.path == Path::self ? 0 : neighbor.send.bytes;
    received += neighbor.path == Path::self ? 0 : neighbor.receive.bytes;
  }
  around_.stamps->describe(around_.around.binding, sent, received);
}

// The host sees what it enqueues, not when messages are packed or arrive.
std::unique_ptr<metrics::Meter> GpuBinding::make_meter() const {
  std::vector<metrics::MeteredLink> metered;
  for (std::size_t i = 0; i < parts_.links.size(); ++i) {
    const PlanNeighbor& messages = plan_.neighbors()[i];
    const GpuLink& link = parts_.links[i];
    metrics::Volume volume;
    volume.sends = !messages.send.offsets.empty();
    volume.receives = !messages.receive.offsets.empty();
    volume.is_direct = !link.is_staged;
    volume.sent_bytes = messages.send.bytes;
    volume.received_bytes = messages.receive.bytes;
    metrics::Volume back = volume;
    std::swap(back.sends, back.receives);
    std::swap(back.sent_bytes, back.received_bytes);
    metered.push_back({link.rank, link.is_staged ? link.staged->worker().path() : messages.path, volume, back});
  }
  const auto staged_bytes = [this](std::size_t i) {
    const GpuLink& link = parts_.links[i];
    return link.is_staged ? link.staged->staged_bytes() : 0;
  };
  return around_.around.metrics->make_meter(around_.around.binding, metered, staged_bytes);
}

void GpuBinding::resume() {
  if (std::exchange(is_driven_, true) || around_.progress == nullptr) return;
  for (GpuLink& link : parts_.links)
    if (link.is_staged && link.staged->is_open()) around_.progress->add(*link.staged);
}

void GpuBinding::pause() {
  if (!std::exchange(is_driven_, false) || around_.progress == nullptr) return;
  for (GpuLink& link : parts_.links)
    if (link.is_staged && link.staged->is_open()) around_.progress->remove(*link.staged);
}

GpuBinding::~GpuBinding() {
  close();
  if (parts_.stream_waits != nullptr) around_.watch->remove(*parts_.stream_waits);
}

void GpuBinding::close() {
  const bool is_alive = !was_reset();
  const bool can_wait = is_alive && (around_.around.is_running() || !has_staged_);
  if (can_wait && num_started_ > num_seen_done_ && failure_.ok()) {
    const Status status = wait(num_started_);
    if (!status.ok()) base::log_warn("close a binding with exchanges in flight: " + status.text());
  }
  if (is_alive) {
    wait_for_kernels();
    wait_until_quiet(can_wait);
  }
  // All of them first: channels of a binding share what may be used by one thread at a time.
  pause();
  for (GpuLink& link : parts_.links) {
    if (!link.is_staged || !link.staged->is_open()) continue;
    link.staged->tell_peer();
    auto channel = link.staged->take_channel();
    if (around_.around.is_running() && !channel->is_quiet() && around_.around.retire)
      around_.around.retire(std::move(channel));
  }
}

// ---- starting and finishing
// -------------------------------------------------------------------------------------------

std::uint64_t GpuBinding::start(Kind kind, Reduce op, ReduceOrder order) { return start_in({}, kind, op, order); }

// The order of sums is that of ranks and pieces in any case.
std::uint64_t GpuBinding::start_in(Stream stream, Kind kind, Reduce op, ReduceOrder) {  // data path
  return begin(stream, kind, op, Phase::start);
}

std::uint64_t GpuBinding::run_in(Stream stream, Kind kind, Reduce op, ReduceOrder) {  // data path
  // Whoever must drive staged messages itself cannot do so inside one launch.
  // Nor may one launch both send and wait where the GPU is shared.
  const bool in_one =
      (!has_staged_ || around_.progress != nullptr) && num_finishing_ == num_started_ && parts_.stream_waits == nullptr;
  const std::uint64_t number = begin(stream, kind, op, in_one ? Phase::both : Phase::start);
  if (!in_one && number < kFirstRefusal && failure_.ok()) (void)finish_through(number, stream);
  return number;
}

std::uint64_t GpuBinding::refusal_of(Stream stream, Kind kind) {  // data path
  if (!around_.around.threads.allows_this_thread()) return kWrongThread;
  if (kind == Kind::reverse && !may_reduce_) return kOpaque;
  if (kind == Kind::reverse && !parts_.why_no_reverse.empty()) return kUnaligned;
  if (num_started_ - num_finishing_ >= kMostInFlight) return kTooMany;
  if (has_staged_ && around_.progress == nullptr && around_.device->is_capturing(stream)) return kNotCapturable;
  if (has_checked_stream_ && checked_stream_ == stream) return 0;
  if (!around_.device->check_stream(stream, ordinal_).ok()) return kWrongStream;
  checked_stream_ = stream;
  has_checked_stream_ = true;
  return 0;
}

std::uint64_t GpuBinding::begin(Stream stream, Kind kind, Reduce op, Phase phase) {  // data path
  const std::uint64_t refused = refusal_of(stream, kind);
  if (refused != 0) return refused;
  look_for_reset();
  if (!failure_.ok()) return std::max<std::uint64_t>(num_started_, 1);
  const metrics::nvtx::Range range("halyard start");
  const metrics::Ticks came = metrics::now_ticks();
  if (around_.stamps != nullptr) around_.stamps->drain();
  const Running what{kind, op, stream, stream};
  Status status = order_start(stream, phase);
  if (status.ok()) status = enqueue(stream, what, phase);
  if (!status.ok()) {
    fail(status);
    return std::max<std::uint64_t>(num_started_, 1);
  }
  const std::uint64_t number = ++num_started_;
  if (meter_ != nullptr) meter_->finished(kind == Kind::reverse);
  if (meter_ != nullptr) meter_->launched(came, metrics::Step(number, kind == Kind::reverse));
  running(number) = what;
  last_start_ = stream;
  if (phase == Phase::both) num_finishing_ = number, last_finish_ = stream;
  return number;
}

Status GpuBinding::enqueue(Stream stream, const Running& what, Phase phase) {  // data path
  if (moves_nothing()) return {};
  pack::device::TracedLaunch launch{parts_.launches[static_cast<std::size_t>(what.kind)], stamp_log_,
                                    reinterpret_cast<pack::device::Moments*>(parts_.moments.get()),
                                    static_cast<std::uint32_t>(around_.around.binding)};
  launch.phase = phase;
  launch.code = exchange::gpu::code_of(what.kind, what.op);
  launch.op = what.op;
  return pack::device::launch(*around_.device, ordinal_, launch, stream);
}

// A graph's exchanges have numbers that the host does not know, nor does it know those that come after: then the kernel
// waits alone.
Status GpuBinding::enqueue_finish(Stream stream, const Running& what, std::uint64_t number) {  // data path
  StreamWaits* waits = parts_.stream_waits.get();
  if (waits == nullptr) return enqueue(stream, what, Phase::finish);
  was_captured_ = was_captured_ || around_.device->is_capturing(stream);
  if (was_captured_) return enqueue(stream, what, Phase::finish);
  Status status = waits->begin(stream, number);
  if (status.ok()) status = enqueue(stream, what, Phase::finish);
  if (status.ok()) status = waits->end(stream, number);
  return status;
}

// Start kernels of a binding follow each other, and finish kernels too (invariant G3), whatever streams they are given
// to.
Status GpuBinding::order_start(Stream stream, Phase phase) {  // data path
  if (num_started_ == num_seen_done_) return {};
  const Status status = order(last_start_, stream);
  const bool finishes = phase == Phase::both && num_finishing_ > num_seen_done_;
  return status.ok() && finishes && last_finish_ != last_start_ ? order(last_finish_, stream) : status;
}

// The start has by then read what is sent, and written the ghosts that come from this rank itself.
Status GpuBinding::order_finish(Stream stream, Stream started_on) {  // data path
  const Status status = order(started_on, stream);
  if (!status.ok() || num_finishing_ == num_seen_done_ || last_finish_ == started_on) return status;
  return order(last_finish_, stream);
}

Status GpuBinding::order(Stream before, Stream after) {  // data path
  return before == after ? Status{} : around_.device->order(before, after, ordinal_);
}

Status GpuBinding::wait_in(std::uint64_t number, Stream stream) {  // data path
  const Status valid = check_number(number);
  if (!valid.ok()) return valid;
  const bool is_known = has_checked_stream_ && checked_stream_ == stream;
  if (!is_known && !around_.device->check_stream(stream, ordinal_).ok()) return refusal(kWrongStream, 0);
  if (num_finishing_ >= number) return number <= num_seen_done_ ? failure_ : order(last_finish_, stream);
  if (num_finishing_ + 1 < number)
    return {StatusCode::invalid_argument,
            fmt::format("finish exchange {} before exchange {}: exchanges of a binding on a GPU finish in the order in "
                        "which they started",
                        number, num_finishing_ + 1)};
  return finish_through(number, stream);
}

Status GpuBinding::finish_through(std::uint64_t number, Stream stream) {  // data path
  const metrics::nvtx::Range range("halyard finish");
  while (num_finishing_ < number && failure_.ok()) {
    if (has_staged_ && around_.progress == nullptr) {
      const Status status = drive_until_exchanged(num_finishing_ + 1);
      if (!status.ok()) return status;
    }
    Running& next = running(num_finishing_ + 1);
    const metrics::Ticks came = metrics::now_ticks();
    Status status = order_finish(stream, next.started_on);
    if (status.ok()) status = enqueue_finish(stream, next, num_finishing_ + 1);
    if (!status.ok()) fail(status);
    next.finished_on = last_finish_ = stream;
    ++num_finishing_;
    if (meter_ != nullptr) meter_->launched(came, metrics::Step(num_finishing_, next.kind == Kind::reverse));
  }
  return failure_;
}

// ---- waiting on the host
// ------------------------------------------------------------------------------------------------

Status GpuBinding::check_number(std::uint64_t number) {
  if (number >= kFirstRefusal || !around_.around.threads.allows_this_thread())
    return refusal(number, static_cast<int>(kMostInFlight));
  look_for_reset();
  if (!failure_.ok()) return failure_;
  if (number == 0 || number > num_started_)
    return {StatusCode::invalid_argument, "wait for an exchange that was never started"};
  return {};
}

Status GpuBinding::wait(std::uint64_t number) {
  const Status valid = check_number(number);
  if (!valid.ok()) return valid;
  const Status status = finish_through(number, running(number).started_on);
  if (!status.ok()) return status;
  if (number <= num_seen_done_) return {};
  if (moves_nothing()) {
    num_seen_done_ = number;
    return {};
  }
  const metrics::nvtx::Range range("halyard wait");
  const metrics::Ticks begin = metrics::now_ticks();
  const Status done = synchronize(running(number).finished_on);
  if (done.ok() && meter_ != nullptr)
    meter_->waited(begin, metrics::Step(number, running(number).kind == Kind::reverse), metrics::kNobody);
  if (done.ok()) num_seen_done_ = number;
  if (around_.stamps != nullptr) around_.stamps->drain();
  return done;
}

Status GpuBinding::settle() {
  if (num_started_ > 0 && failure_.ok()) (void)wait(num_started_);
  if (failure_.ok()) wait_until_sent();
  return failure_;
}

Status GpuBinding::wait_on(std::uint64_t number, int rank) {
  const Status valid = check_number(number);
  if (!valid.ok()) return valid;
  const auto is_it = [&](const GpuLink& link) { return link.rank == rank; };
  if (std::none_of(parts_.links.begin(), parts_.links.end(), is_it))
    return {StatusCode::invalid_argument, fmt::format("wait on rank {}: it is no neighbor of this rank", rank)};
  return wait(number);  // one kernel unpacks all
}

bool GpuBinding::ready(std::uint64_t number) {
  if (!check_number(number).ok()) return true;  // wait() says so at once
  if (has_staged_ && around_.progress == nullptr && num_finishing_ < number) {
    advance_staged();
    for (const GpuLink& link : parts_.links)
      if (link.is_staged && !link.staged->has_failed() && !has_exchanged(link, number)) return false;
  }
  if (!finish_through(number, running(number).started_on).ok()) return true;
  return around_.device->is_idle(running(number).finished_on, ordinal_);
}

Status GpuBinding::synchronize(Stream stream) {
  const Status status = around_.device->synchronize(stream, ordinal_);
  if (!status.ok()) fail(status);
  look_for_failure();
  return failure_;
}

Status GpuBinding::drive_until_exchanged(std::uint64_t number) {
  base::Backoff backoff(around_.around.wait);
  while (true) {
    const bool has_moved = advance_staged();
    if (has_moved) backoff.progressed();
    const GpuLink* missing = nullptr;
    for (const GpuLink& link : parts_.links)
      if (link.is_staged && !has_exchanged(link, number)) missing = &link;
    if (missing == nullptr) return {};
    look_for_failure();
    if (!failure_.ok()) return failure_;
    if (has_moved || backoff.pause() != base::Backoff::Outcome::deadline_passed) continue;
    fail({StatusCode::timeout,
          fmt::format("{}: last progress {:.1f} s ago; the deadline of {} s passed (HALYARD_DEADLINE, "
                      "Options::deadline_s)",
                      waiting_text(*missing, number), backoff.seconds_since_progress(),
                      around_.around.wait.deadline_s)});
    return failure_;
  }
}

bool GpuBinding::advance_staged() {
  bool has_moved = false;
  for (GpuLink& link : parts_.links)
    if (link.is_staged) has_moved = link.staged->advance() || has_moved;
  return has_moved;
}

// ---- the end
// ----------------------------------------------------------------------------------------------------------------

// After a failure kernels may still be running: they end at the deadline, or when they see who gave up.
void GpuBinding::wait_for_kernels() {
  if (num_started_ == num_seen_done_) return;
  (void)around_.device->synchronize(last_start_, ordinal_);
  if (num_finishing_ > num_seen_done_) (void)around_.device->synchronize(last_finish_, ordinal_);
}

// What was packed last may still be on its way out of host memory.
void GpuBinding::wait_until_sent() {
  if (!has_staged_ || !failure_.ok()) return;
  const std::uint64_t number = counters().started;
  const auto is_sent = [number](const GpuLink& link) {
    return !link.is_staged || link.staged->has_failed() || link.staged->has_sent(number);
  };
  base::Backoff backoff(around_.around.wait);
  while (!std::all_of(parts_.links.begin(), parts_.links.end(), is_sent)) {
    const bool has_moved = around_.progress == nullptr && advance_staged();
    if (has_moved) backoff.progressed();
    if (!has_moved && backoff.pause() == base::Backoff::Outcome::deadline_passed) return;
  }
}

// On the GPU, where exchanges of graphs are counted too.
pack::device::Counters GpuBinding::counters() const {
  Counters counters;
  around_.device->copy(&counters, parts_.counters.get(), sizeof(counters));
  return counters;
}

// Peers write nothing more here once they have said that they finished what this rank finished (invariant I6).
bool GpuBinding::is_quiet() const {
  const std::uint64_t number = counters().started;
  for (const GpuLink& link : parts_.links) {
    if (link.is_self || link.is_staged) continue;
    std::uint64_t consumed = 0;
    around_.device->copy(&consumed, link.own_words + pack::device::kConsumed, sizeof(consumed));
    if (pack::device::number_of(consumed) < number) return false;
  }
  return true;
}

void GpuBinding::wait_until_quiet(bool can_send) {
  constexpr double kMostSeconds = 2.0;
  try {
    if (can_send) wait_until_sent();
    base::WaitPolicy policy = around_.around.wait;
    policy.deadline_s = policy.deadline_s > 0 ? std::min(policy.deadline_s, kMostSeconds) : kMostSeconds;
    base::Backoff backoff(policy);
    while (!is_quiet())
      if (backoff.pause() == base::Backoff::Outcome::deadline_passed) {
        (void)parts_.arena.release();  // a peer may still write there: never used again
        (void)parts_.landing.release();
        return;
      }
  } catch (const Error& error) {  // the driver is gone, and the memory with it
    base::log_info(error.what());
  }
}

std::uint64_t GpuBinding::staged_bytes() const {
  std::uint64_t bytes = 0;
  for (const GpuLink& link : parts_.links) bytes += link.is_staged ? link.staged->staged_bytes() : 0;
  return bytes;
}

std::uint64_t GpuBinding::num_copies() const {
  std::uint64_t copies = 0;
  for (const GpuLink& link : parts_.links) copies += link.is_staged ? link.staged->num_copies() : 0;
  return copies;
}

std::string GpuBinding::explain_json() const { return plan::explain_json(plan_, forms_of(parts_.links)); }

std::string GpuBinding::explain() const {
  std::string text = plan::explain_table(plan_, forms_of(parts_.links));
  text += fmt::format("  fields on GPU {}: {}; {} staged through host memory so far, in {} copies by copy engines\n",
                      ordinal_, around_.device->describe(ordinal_),
                      plan::byte_text(static_cast<std::int64_t>(staged_bytes())), num_copies());
  if (parts_.stream_waits != nullptr) text += around_.sharing_text(ordinal_);
  return text;
}

}  // namespace halyard
