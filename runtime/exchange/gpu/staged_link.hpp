// StagedLink: the host's part of a link whose messages cannot go from GPU to GPU.
//
// To the kernel it is a peer like any other whose memory happens to be mapped host memory: the kernel packs into `out`
// and raises its words there; this object moves the message over a host channel, puts what came into `in` and raises
// the words that the kernel waits for. Driven by the context's progress thread, or by the thread that uses the binding.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "exchange/gpu/progress.hpp"
#include "exchange/tag.hpp"
#include "transport/worker.hpp"

namespace halyard::exchange::gpu {

/// Landing slots and words in mapped host memory.
struct HostSide {
  std::byte* landing = nullptr;
  std::uint64_t slot_bytes = 0;
  std::uint64_t* words = nullptr;
};

/// What one kind of exchange moves on the link.
struct StagedKind {
  std::int64_t send_bytes = 0;
  std::int64_t receive_bytes = 0;
  std::uint64_t send_hash = 0;
  std::uint64_t receive_hash = 0;
  std::uint32_t num_send_chunks = 1;
  std::uint32_t num_receive_chunks = 1;
};

class StagedLink final : public Driven {
 public:
  StagedLink(int rank, transport::Worker& worker, std::unique_ptr<transport::Channel> channel)
      : rank_(rank), worker_(worker), channel_(std::move(channel)) {}

  void set_sides(const HostSide& out, const HostSide& in) { out_ = out, in_ = in; }
  void set_kind(Kind kind, const StagedKind& what) { kinds_[static_cast<std::size_t>(kind)] = what; }

  bool is_open() const { return channel_ != nullptr; }
  transport::Channel& channel() { return *channel_; }
  /// Takes another channel of the same peer, which does the same, once all messages have been sent and received, and
  /// while nobody drives the link. Answers the one before.
  std::unique_ptr<transport::Channel> replace_channel(std::unique_ptr<transport::Channel> next);
  std::unique_ptr<transport::Channel> take_channel() { return std::move(channel_); }
  transport::Worker& worker() const { return worker_; }
  int rank() const { return rank_; }

  /// Data path.
  bool advance() override;

  /// This end's messages up to exchange `number` need nothing more of it.
  bool has_sent(std::uint64_t number) const { return num_delivered_.load(std::memory_order_acquire) >= number; }
  std::uint64_t num_received() const { return num_received_.load(std::memory_order_acquire); }
  std::uint64_t staged_bytes() const { return staged_bytes_.load(std::memory_order_relaxed); }
  bool has_failed() const { return has_failed_.load(std::memory_order_acquire); }
  /// Why, after has_failed().
  const Status& failure() const { return failure_; }
  void give_up(int culprit);

 private:
  bool advance_send();
  bool advance_receive();
  bool needs_peer() const;
  bool has_packed(std::uint64_t number, std::uint32_t code) const;
  void fail(Status status);

  int rank_;
  transport::Worker& worker_;
  std::unique_ptr<transport::Channel> channel_;
  HostSide out_;
  HostSide in_;
  StagedKind kinds_[2];
  std::uint64_t num_sent_ = 0;
  std::uint64_t num_before_channel_ = 0;  // messages of the channels before
  std::atomic<std::uint64_t> num_delivered_{0};
  std::atomic<std::uint64_t> num_received_{0};
  std::atomic<std::uint64_t> staged_bytes_{0};
  std::atomic<bool> has_failed_{false};
  Status failure_;
  bool has_given_up_ = false;
};

}  // namespace halyard::exchange::gpu
