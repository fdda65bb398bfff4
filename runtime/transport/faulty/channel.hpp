// faulty::Channel: buffers every message itself, so that it is free to post it late, in another order, or not at all.
#pragma once

#include <deque>
#include <vector>

#include "transport/faulty/factory.hpp"
#include "transport/forwarding.hpp"

namespace halyard::transport::faulty {

class Channel final : public ForwardingChannel {
 public:
  Channel(std::unique_ptr<transport::Channel> inner, const ChannelSpec& spec, const FaultPlan& plan);

  std::string why_packed(std::size_t) const override { return "a faulty channel buffers every message"; }
  bool may_post() override;
  std::byte* send_buffer() override { return buffer_.data(); }
  void post(std::int64_t bytes, std::uint64_t tag) override;
  std::uint64_t num_delivered() override;
  std::optional<Incoming> receive() override;
  bool is_quiet() override;
  StatusCode failure() const override {
    return has_failed_ ? StatusCode::transport_failed : ForwardingChannel::failure();
  }
  std::string failure_text() const override;

 private:
  struct Message {
    std::vector<std::byte> data;
    std::uint64_t tag = 0;
    int polls = 0;  // still to wait
  };

  void schedule(Message message);
  void pump();

  ChannelSpec spec_;
  FaultPlan plan_;
  std::vector<std::byte> buffer_;
  std::deque<Message> waiting_;
  std::vector<Message> held_;  // by reorder, until the next one has gone
  std::uint64_t num_posted_ = 0;
  std::uint64_t num_dropped_ = 0;
  bool has_failed_ = false;
};

}  // namespace halyard::transport::faulty
