// See link.hpp.
#include "exchange/link.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace halyard::exchange {

Step Link::try_send(const Running& running) {  // data path
  if (sent_through_ + 1 != running.number) return Step::nothing;
  const Route& way = route(running.kind);
  if (channel != nullptr && way.has_send) {
    if (!channel->may_post()) return Step::nothing;
    post(way, Tag{running.number, running.kind, running.op, way.send_hash}.word());
    ++num_messages_;
  }
  sent_through_ = running.number;
  message_of_[running.number % kMaxInFlight] = num_messages_;
  return Step::moved;
}

void Link::post(const Route& way, std::uint64_t tag) {  // data path
  if (way.unpacked) return channel->post_unpacked(*way.unpacked, way.send_bytes, tag);
  if (!way.send.empty()) pack::copy(way.send, nullptr, channel->send_buffer());
  channel->post(way.send_bytes, tag);
}

Step Link::try_receive(const Running& running) {  // data path
  if (received_through_ + 1 != running.number) return Step::nothing;
  const Route& way = route(running.kind);
  if (channel == nullptr) {
    run(way.receive, running, nullptr);
  } else if (way.has_receive) {
    const auto incoming = channel->receive();
    if (!incoming) return Step::nothing;
    if (incoming->tag != Tag{running.number, running.kind, running.op, way.receive_hash}.word()) {
      wrong_tag_ = Tag::of_word(incoming->tag);
      return Step::wrong_message;
    }
    run(way.receive, running, incoming->data);
    channel->release();
  }
  received_through_ = running.number;
  return Step::moved;
}

void Link::run(const pack::Program& program, const Running& running, const std::byte* message) const {  // data path
  if (running.kind == Kind::forward)
    pack::copy(program, message, nullptr);
  else
    pack::reduce(program, running.op, message, nullptr);
}

bool Link::is_done(std::uint64_t number) {  // data path
  if (sent_through_ < number || received_through_ < number) return false;
  return channel == nullptr || channel->num_delivered() >= message_of_[number % kMaxInFlight];
}

std::unique_ptr<transport::Channel> Link::replace_channel(std::unique_ptr<transport::Channel> next) {
  num_messages_ = 0;  // a channel counts its own
  std::fill(std::begin(message_of_), std::end(message_of_), 0U);
  return std::exchange(channel, std::move(next));
}

}  // namespace halyard::exchange
