// Forwarding channel and worker: hand everything to another one. Decorators override what they change.
#pragma once

#include <memory>

#include "memory/shelf.hpp"
#include "transport/worker.hpp"

namespace halyard::transport {

class ForwardingChannel : public Channel {
 public:
  explicit ForwardingChannel(std::unique_ptr<Channel> inner) : inner_(std::move(inner)) {}

  Blob address() override { return inner_->address(); }
  void connect(std::span<const std::byte> peer_address) override { inner_->connect(peer_address); }
  std::vector<std::span<std::byte>> buffers() override { return inner_->buffers(); }
  std::string why_packed(std::size_t number) const override { return inner_->why_packed(number); }
  bool may_post() override { return inner_->may_post(); }
  std::byte* send_buffer() override { return inner_->send_buffer(); }
  void post(std::int64_t bytes, std::uint64_t tag) override { inner_->post(bytes, tag); }
  void post_unpacked(std::size_t number, std::int64_t bytes, std::uint64_t tag) override {
    inner_->post_unpacked(number, bytes, tag);
  }
  std::uint64_t num_delivered() override { return inner_->num_delivered(); }
  std::optional<Incoming> receive() override { return inner_->receive(); }
  void release() override { inner_->release(); }
  bool sleep(std::chrono::microseconds most) override { return inner_->sleep(most); }
  bool is_quiet() override { return inner_->is_quiet(); }
  StatusCode failure() const override { return inner_->failure(); }
  std::string failure_text() const override { return inner_->failure_text(); }
  void give_up(int culprit) override { inner_->give_up(culprit); }
  std::string form() const override { return inner_->form(); }

 protected:
  Channel& inner() { return *inner_; }

 private:
  std::unique_ptr<Channel> inner_;
};

class ForwardingWorker : public Worker {
 public:
  explicit ForwardingWorker(std::unique_ptr<Worker> inner) : inner_(std::move(inner)) {}

  Path path() const override { return inner_->path(); }
  std::unique_ptr<Channel> open(const ChannelSpec& spec) override { return inner_->open(spec); }
  std::string why_no_gpu_slots() const override { return inner_->why_no_gpu_slots(); }
  std::size_t most_parts() const override { return inner_->most_parts(); }
  std::string why_pack(std::int64_t bytes, std::size_t num_parts) const override {
    return inner_->why_pack(bytes, num_parts);
  }
  void progress() override { inner_->progress(); }
  void sweep() override { inner_->sweep(); }
  std::optional<std::uint64_t> exported(const void* data, std::size_t bytes) const override {
    return inner_->exported(data, bytes);
  }
  std::byte* map(int peer, std::uint64_t token) const override { return inner_->map(peer, token); }
  memory::CacheCounters registrations() const override { return inner_->registrations(); }
  std::optional<std::string> loss_of(int peer) const override { return inner_->loss_of(peer); }

 protected:
  Worker& inner() { return *inner_; }

 private:
  std::unique_ptr<Worker> inner_;
};

}  // namespace halyard::transport
