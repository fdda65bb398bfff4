// StagedLink: the host's part of a link whose messages cannot go from kernel to kernel.
//
// To the kernel it is a peer like any other whose words happen to lie in mapped host memory: the kernel packs into
// `out` and raises its words there; this object moves the message over a channel, puts what came into `in` and raises
// the words that the kernel waits for. Large messages are packed on the GPU and brought over by copy engines
// (staged/copies.hpp); then the words that the kernel waits for lie there too. Where a NIC reaches GPU memory
// (GpuSlots) the messages themselves never touch the host: the kernel's slots are the channel's. Driven by the
// context's progress thread, or by the thread that uses the binding.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "device/device.hpp"
#include "exchange/gpu/staged/copies.hpp"
#include "exchange/gpu/waits/progress.hpp"
#include "exchange/tag.hpp"
#include "transport/worker.hpp"

namespace halyard::exchange::gpu {

/// Landing slots and words in mapped host memory.
struct HostSide {
  std::byte* landing = nullptr;  // not used where messages lie on the GPU
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
};

class StagedLink final : public Driven {
 public:
  StagedLink(int rank, transport::Worker& worker, std::unique_ptr<transport::Channel> channel)
      : rank_(rank), worker_(worker), channel_(std::move(channel)) {}

  void set_sides(const HostSide& out, const HostSide& in) { out_ = out, in_ = in; }
  /// Messages lie in slots of this GPU, which the channel's NIC reads and writes. `device` outlives the link.
  void set_on_gpu(device::Device& device, int ordinal) { gpu_ = &device, ordinal_ = ordinal; }
  bool is_on_gpu() const { return gpu_ != nullptr; }
  /// Copy engines move the messages: for as long as there is a channel.
  void set_copies(std::unique_ptr<StagedCopies> copies) { copies_ = std::move(copies); }
  void set_kind(Kind kind, const StagedKind& what) { kinds_[static_cast<std::size_t>(kind)] = what; }

  bool is_open() const { return channel_ != nullptr; }
  transport::Channel& channel() { return *channel_; }
  /// Takes another channel of the same peer, which does the same, once all messages have been sent and received, and
  /// while nobody drives the link. Answers the one before.
  std::unique_ptr<transport::Channel> replace_channel(std::unique_ptr<transport::Channel> next);
  std::unique_ptr<transport::Channel> take_channel() {
    copies_.reset();  // before the buffers that they use
    return std::move(channel_);
  }
  transport::Worker& worker() const { return worker_; }
  int rank() const { return rank_; }

  /// Data path.
  bool advance() override;

  /// This end's messages up to exchange `number` need nothing more of it.
  bool has_sent(std::uint64_t number) const { return num_delivered_.load(std::memory_order_acquire) >= number; }
  std::uint64_t num_received() const { return num_received_.load(std::memory_order_acquire); }
  std::uint64_t staged_bytes() const { return staged_bytes_.load(std::memory_order_relaxed); }
  /// Of these, how many copies by copy engines. The host waits for none of them.
  std::uint64_t num_copies() const { return copies_ == nullptr ? 0 : copies_->num_copies(); }
  bool has_failed() const { return has_failed_.load(std::memory_order_acquire); }
  /// Why, after has_failed().
  const Status& failure() const { return failure_; }
  /// Has advance() tell the peer that this end gives up.
  void give_up(int culprit) { culprit_.store(culprit, std::memory_order_release); }
  /// Tells what give_up() asked for: for when nobody advances the link any more.
  void tell_peer();

 private:
  static constexpr int kNobody = -1;

  bool advance_send();
  bool advance_receive();
  bool begin_send(std::uint64_t number);
  void give_credit();
  void give_back();
  bool bring_in(std::uint64_t number, std::uint64_t word, std::int64_t bytes, const std::byte* message);
  bool land(std::int64_t bytes, std::byte* slot, const std::byte* message);
  bool has(const Status& status);
  bool needs_peer() const;
  bool has_packed(std::uint64_t number, std::uint32_t code) const;
  void fail(Status status);

  int rank_;
  transport::Worker& worker_;
  std::unique_ptr<transport::Channel> channel_;
  HostSide out_;
  HostSide in_;
  StagedKind kinds_[2];
  device::Device* gpu_ = nullptr;
  int ordinal_ = 0;
  std::unique_ptr<StagedCopies> copies_;  // after the channel, whose buffers they use
  std::uint64_t num_coming_out_ = 0;      // messages that are on their way to the channel, or beyond
  std::uint32_t code_out_ = 0;            // of the last of them
  std::uint64_t num_going_in_ = 0;
  std::uint64_t credit_owed_ = 0;  // a word that the kernel gets once its next slot is free; 0: none
  std::uint64_t num_given_back_ = 0;
  std::uint64_t num_sent_ = 0;
  std::uint64_t num_before_channel_ = 0;  // messages of the channels before
  std::atomic<std::uint64_t> num_delivered_{0};
  std::atomic<std::uint64_t> num_received_{0};
  std::atomic<std::uint64_t> staged_bytes_{0};
  std::atomic<bool> has_failed_{false};
  Status failure_;
  std::atomic<int> culprit_{kNobody};
  bool has_given_up_ = false;
};

}  // namespace halyard::exchange::gpu
