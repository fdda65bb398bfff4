// ChannelLine: one of Halyard's paths, driven as a channel. What an exchange does beside it (packing, the order of many
// neighbors) is not in it, but for shared memory: there the sender's writes and the receiver's reads are what moves a
// message, so it is copied in and out.
#pragma once

#include <memory>
#include <vector>

#include "base/backoff.hpp"
#include "context/bootstrap.hpp"
#include "link/line.hpp"
#include "transport/worker.hpp"

namespace halyard::bench {

class ChannelLine final : public Line {
 public:
  struct Size {
    std::uint64_t number = 0;  // of the channel, unique in the run
    std::int64_t bytes = 0;
  };

  /// Collective.
  ChannelLine(context::Bootstrap& bootstrap, transport::Worker& worker, const base::WaitPolicy& wait, Size size);

  void progress() override { worker_.progress(); }
  std::string path() const override { return channel_->form(); }

 private:
  void send() override;
  std::span<std::byte> writable() override;
  std::span<const std::byte> receive() override;
  void taken() override { channel_->release(); }

  bool moves_by_copies() const { return !own_.empty(); }
  template <class Condition>
  void wait_until(Condition is_true);

  transport::Worker& worker_;
  base::WaitPolicy wait_;
  std::unique_ptr<transport::Channel> channel_;
  std::vector<std::byte> own_;  // of this rank's memory, where messages move by copies
  std::uint64_t num_sent_ = 0;
  std::uint64_t num_received_ = 0;
};

}  // namespace halyard::bench
