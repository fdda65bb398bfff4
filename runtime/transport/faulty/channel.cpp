// See channel.hpp. Not a data path: it may allocate.
#include "transport/faulty/channel.hpp"

#include <fmt/format.h>

#include <cstring>

namespace halyard::transport::faulty {

Channel::Channel(std::unique_ptr<transport::Channel> inner, const ChannelSpec& spec, const FaultPlan& plan)
    : ForwardingChannel(std::move(inner)),
      spec_(spec),
      plan_(plan),
      buffer_(static_cast<std::size_t>(spec.send_bytes) + 1) {}

bool Channel::may_post() {
  pump();
  return waiting_.empty() && inner().may_post();
}

void Channel::post(std::int64_t bytes, std::uint64_t tag) {
  Message message{{buffer_.begin(), buffer_.begin() + (spec_.sends_in_place ? 0 : bytes)}, tag, 0};
  schedule(std::move(message));
  pump();
}

void Channel::schedule(Message message) {
  const bool is_hit = ++num_posted_ == plan_.nth;
  if (is_hit && plan_.fault == Fault::drop) {
    ++num_dropped_;
    return;
  }
  if (is_hit && plan_.fault == Fault::fail) {
    has_failed_ = true;
    return;
  }
  if (is_hit && plan_.fault == Fault::delay) message.polls = plan_.polls;
  if (is_hit && plan_.fault == Fault::reorder) return held_.push_back(std::move(message));
  waiting_.push_back(std::move(message));
  for (Message& held : held_) waiting_.push_back(std::move(held));
  held_.clear();
}

void Channel::pump() {
  while (!waiting_.empty()) {
    Message& next = waiting_.front();
    if (next.polls > 0) {
      --next.polls;
      return;
    }
    if (!inner().may_post()) return;
    if (!next.data.empty()) std::memcpy(inner().send_buffer(), next.data.data(), next.data.size());
    inner().post(static_cast<std::int64_t>(next.data.size()), next.tag);
    waiting_.pop_front();
  }
}

std::uint64_t Channel::num_delivered() {
  pump();
  const std::uint64_t passed = inner().num_delivered();  // neither what waits nor what failed
  if (passed + 1 < plan_.nth) return passed;
  return passed + num_dropped_ + held_.size();  // lost on the way: this end knows nothing of it
}

std::optional<Incoming> Channel::receive() {
  pump();
  return inner().receive();
}

bool Channel::is_quiet() {
  pump();
  return waiting_.empty() && inner().is_quiet();
}

std::string Channel::failure_text() const {
  if (!has_failed_) return ForwardingChannel::failure_text();
  return fmt::format("message {} to rank {} was made to fail", plan_.nth, spec_.peer);
}

}  // namespace halyard::transport::faulty
