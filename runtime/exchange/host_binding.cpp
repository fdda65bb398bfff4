// See host_binding.hpp. Failure texts are in report.cpp.
#include "exchange/host_binding.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "exchange/metered.hpp"
#include "metrics/registry.hpp"
#include "metrics/trace/nvtx.hpp"

namespace halyard {

using exchange::Kind;
using exchange::Link;
using exchange::Running;
using exchange::Step;

namespace {

metrics::Step step_of(const Running& exchange) { return metrics::Step::of_code(exchange.step); }

}  // namespace

/// Exchange `number` as a whole, or only its message on `link`.
struct HostBinding::Target {
  std::uint64_t number = 0;
  const Link* link = nullptr;
};

HostBinding::HostBinding(Plan plan, exchange::Surroundings around, std::vector<Link> links)
    : plan_(std::move(plan)), around_(std::move(around)), links_(std::move(links)), polls_(around_.wait) {
  for (const Link& link : links_)
    if (link.worker != nullptr && std::find(workers_.begin(), workers_.end(), link.worker) == workers_.end())
      workers_.push_back(link.worker);
  for (const FieldShape& field : plan_.fields()) may_reduce_ = may_reduce_ && field.element.scalar != Scalar::opaque;
  for (std::size_t i = 0; i < links_.size(); ++i) links_[i].place = i;
  if (around_.metrics != nullptr)
    meter_ = around_.metrics->make_meter(around_.binding, exchange::metered(plan_, links_));
}

HostBinding::~HostBinding() {
  if (!around_.is_running()) return;
  if (num_done_ < num_started_ && failure_.ok()) {
    const Status status = drive({num_started_, nullptr});
    if (!status.ok()) base::log_warn("close a binding with exchanges in flight: " + status.text());
  }
  for (Link& link : links_)
    if (link.channel != nullptr && !link.channel->is_quiet() && around_.retire) around_.retire(std::move(link.channel));
}

std::uint64_t HostBinding::start(Kind kind, Reduce op, ReduceOrder order) {  // data path
  if (!around_.threads.allows_this_thread()) return kWrongThread;
  if (kind == Kind::reverse && !may_reduce_) return kOpaque;
  if (!failure_.ok()) return num_started_;  // not done, and never will be: wait() answers the failure
  if (num_started_ - num_done_ >= kMaxInFlight) update_done();
  if (num_started_ - num_done_ >= kMaxInFlight) return kTooMany;
  const metrics::nvtx::Range range("halyard start");
  const std::uint64_t number = ++num_started_;
  running(number) = {number, kind, op, order, metrics::Step(number, kind == Kind::reverse).code};
  polls_ = base::Backoff(around_.wait);
  timed_ = meter_ != nullptr && meter_->started(number) ? meter_.get() : nullptr;
  advance_sends();
  return number;
}

bool HostBinding::advance() {  // data path
  for (transport::Worker* worker : workers_) worker->progress();
  bool has_moved = advance_sends();
  has_moved = advance_receives() || has_moved;
  update_done();
  return has_moved;
}

bool HostBinding::advance_sends() {  // data path
  bool has_moved = false;
  if (timed_ != nullptr) timed_->looks();
  for (std::uint64_t n = num_done_ + 1; n <= num_started_; ++n)
    for (Link& link : links_) {
      if (link.has_sent(n) || link.try_send(running(n)) != Step::moved) continue;
      if (timed_ != nullptr) timed_->sent(link.place, step_of(running(n)));
      has_moved = true;
    }
  return has_moved;
}

bool HostBinding::advance_receives() {  // data path
  bool has_moved = false;
  if (timed_ != nullptr) timed_->looks();
  for (std::uint64_t n = num_done_ + 1; n <= num_started_; ++n) {
    const Running& exchange = running(n);
    const bool in_order = exchange.kind == Kind::reverse && exchange.order == ReduceOrder::fixed;
    bool is_blocked = false;  // the ranks behind wait for their turn, unless they have nothing to give
    for (Link& link : links_) {
      const bool gives = link.channel == nullptr || link.route(exchange.kind).has_receive;
      if (link.has_received(n) || (is_blocked && gives)) continue;
      const Step step = link.try_receive(exchange);
      if (step == Step::moved) {
        if (timed_ != nullptr) timed_->received(link.place, step_of(exchange));
        if (link.channel != nullptr) last_moved_ = &link;
        has_moved = true;
      }
      if (step == Step::wrong_message) {
        fail_with_wrong_message(link, exchange);
        return false;
      }
      is_blocked = is_blocked || (in_order && step != Step::moved);
    }
  }
  return has_moved;
}

void HostBinding::update_done() {  // data path
  while (num_done_ < num_started_) {
    for (Link& link : links_) {
      if (link.is_done(num_done_ + 1)) continue;
      pending_ = &link;
      return;
    }
    ++num_done_;
    if (meter_ != nullptr) meter_->finished(running(num_done_).kind == Kind::reverse);
  }
}

void HostBinding::set_volumes(std::size_t number, std::int64_t sent_bytes, std::int64_t received_bytes) {
  const Link& link = links_[number];
  if (meter_ != nullptr)
    meter_->set_volumes(number, exchange::volume_of(link, Kind::forward, sent_bytes, received_bytes),
                        exchange::volume_of(link, Kind::reverse, received_bytes, sent_bytes));
}

bool HostBinding::is_idle() {
  update_done();
  return num_done_ == num_started_;
}

bool HostBinding::has_reached(const Target& target) const {  // data path
  return target.link == nullptr ? num_done_ >= target.number : target.link->has_received(target.number);
}

Status HostBinding::drive(const Target& target) {  // data path
  if (!failure_.ok()) return failure_;
  const metrics::nvtx::Range range("halyard wait");
  base::Backoff backoff(around_.wait);
  const metrics::Ticks begin = meter_ != nullptr ? metrics::now_ticks() : 0;
  bool is_idle = false;  // so far whatever was looked for was there
  while (true) {
    const bool has_moved = advance();
    if (!failure_.ok()) return failure_;
    if (has_reached(target)) {
      if (meter_ != nullptr)
        meter_->waited(begin, step_of(running(target.number)), is_idle ? late() : metrics::kNobody);
      return {};
    }
    if (has_moved) {
      backoff.progressed();
      continue;
    }
    if (!is_idle) last_moved_ = nullptr;
    is_idle = true;
    if (look_for_failure()) return failure_;
    react(backoff.may_sleep() && sleep() ? backoff.slept() : backoff.pause(), backoff);
  }
}

// Whom a wait that had nothing to do waited for: whose message came last, or who took this rank's last.
std::size_t HostBinding::late() const {  // data path
  const Link* link = last_moved_ != nullptr ? last_moved_ : pending_;
  return link != nullptr ? link->place : metrics::kNobody;
}

// Where all messages go by one path that can be slept on, the core is better used by whoever must send.
bool HostBinding::sleep() {
  constexpr std::chrono::milliseconds kMost{5};  // then the clock is looked at
  if (workers_.size() != 1) return false;
  const Link* link = first_pending();
  return link != nullptr && link->channel != nullptr && link->channel->sleep(kMost);
}

void HostBinding::react(base::Backoff::Outcome outcome, const base::Backoff& backoff) {
  if (outcome == base::Backoff::Outcome::go_on) return;
  look_around();
  if (outcome == base::Backoff::Outcome::deadline_passed && failure_.ok()) fail_with_timeout(backoff);
}

bool HostBinding::look_for_failure() {  // data path
  for (Link& link : links_) {
    if (link.channel == nullptr) continue;
    const StatusCode code = link.channel->failure();
    // A peer that gave up after all it owed had arrived does not concern the exchanges that are running here.
    if (code == StatusCode::ok || (code == StatusCode::peer_failed && link.is_done(num_started_))) continue;
    fail({code, link.channel->failure_text()}, link.rank);
    return true;
  }
  return !failure_.ok();
}

Status HostBinding::wait(std::uint64_t number) {
  if (number >= kFirstRefusal || !around_.threads.allows_this_thread()) return refusal(number, kMaxInFlight);
  if (number == 0 || number > num_started_)
    return {StatusCode::invalid_argument, "wait for an exchange that was never started"};
  if (num_done_ >= number) return {};
  return drive({number, nullptr});
}

Status HostBinding::wait_on(std::uint64_t number, int rank) {
  if (number >= kFirstRefusal || !around_.threads.allows_this_thread()) return refusal(number, kMaxInFlight);
  if (number == 0 || number > num_started_)
    return {StatusCode::invalid_argument, "wait for an exchange that was never started"};
  const auto link = std::find_if(links_.begin(), links_.end(), [&](const Link& l) { return l.rank == rank; });
  if (link == links_.end())
    return {StatusCode::invalid_argument, "wait on rank " + std::to_string(rank) + ": it is no neighbor of this rank"};
  return drive({number, &*link});
}

bool HostBinding::ready(std::uint64_t number) {  // data path
  if (number >= kFirstRefusal || !around_.threads.allows_this_thread() || !failure_.ok()) return true;
  if (num_done_ >= number || number > num_started_) return true;  // of what was never started wait() says so at once
  if (advance()) {
    polls_.progressed();
  } else if (!look_for_failure()) {
    react(polls_.pause(), polls_);
  }
  return num_done_ >= number || !failure_.ok();
}

}  // namespace halyard
