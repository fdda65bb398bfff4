// See channel_line.hpp.
#include "link/channel_line.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

namespace halyard::bench {

ChannelLine::ChannelLine(context::Bootstrap& bootstrap, transport::Worker& worker, const base::WaitPolicy& wait,
                         Size size)
    : Line(bootstrap.rank(), size.bytes),
      worker_(worker),
      wait_(wait),
      own_(worker.path() == Path::shared ? static_cast<std::size_t>(size.bytes) : 0) {
  transport::ChannelSpec spec;
  spec.peer = 1 - rank();
  spec.binding = size.number;
  spec.send_bytes = spec.receive_bytes = size.bytes;
  transport::Blob address;
  bootstrap.together("open a channel", [&] {
    channel_ = worker_.open(spec);
    address = channel_->address();
  });
  const auto theirs = bootstrap.swap({spec.peer}, {address});
  bootstrap.together("connect a channel", [&] { channel_->connect(theirs.front()); });
}

// data path
template <class Condition>
void ChannelLine::wait_until(Condition is_true) {
  base::Backoff backoff(wait_);
  while (!is_true()) {
    worker_.progress();
    if (channel_->failure() != StatusCode::ok) throw std::runtime_error(path() + ": " + channel_->failure_text());
    if (backoff.pause() == base::Backoff::Outcome::deadline_passed)
      throw std::runtime_error(path() + ": nothing moves: message " + std::to_string(num_sent_) + " sent, " +
                               std::to_string(num_received_) + " received");
  }
}

// data path
std::span<std::byte> ChannelLine::writable() {
  wait_until([&] { return channel_->may_post(); });
  return {moves_by_copies() ? own_.data() : channel_->send_buffer(), static_cast<std::size_t>(bytes())};
}

// data path
void ChannelLine::send() {
  if (moves_by_copies()) std::memcpy(channel_->send_buffer(), own_.data(), own_.size());
  channel_->post(bytes(), ++num_sent_);
}

// data path
std::span<const std::byte> ChannelLine::receive() {
  std::optional<transport::Incoming> message;
  wait_until([&] { return (message = channel_->receive()).has_value(); });
  if (message->tag != ++num_received_)
    throw std::runtime_error(path() + ": message " + std::to_string(message->tag) + " came in place of " +
                             std::to_string(num_received_));
  if (!moves_by_copies()) return {message->data, static_cast<std::size_t>(bytes())};
  std::memcpy(own_.data(), message->data, own_.size());
  return own_;
}

}  // namespace halyard::bench
