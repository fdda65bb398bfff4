// StagedCopies: how large staged messages get from a GPU to the host and back. Kernels pack into and unpack from slots
// in GPU memory, and copy engines move whole messages between those and host memory; small messages do without, since
// starting a copy takes longer than their bytes take (docs/adr/0042).
//
// One per link, used by who drives the link (staged_link.hpp). Each step is begun, and seen to have ended by a word
// that its stream stores in host memory. Beginning and asking are data path.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace halyard::exchange::gpu {

/// The streams of a binding in which copy engines work, one each way. All links that share them are driven by one
/// thread at a time.
class CopyStreams {
 public:
  /// Throws Error.
  CopyStreams(std::shared_ptr<device::Device> device, int ordinal);
  CopyStreams(const CopyStreams&) = delete;
  CopyStreams& operator=(const CopyStreams&) = delete;
  ~CopyStreams();

  device::Device& device() const { return *device_; }
  int ordinal() const { return ordinal_; }
  Stream out() const { return out_; }
  Stream in() const { return in_; }
  /// Data path. The GPU was reset, and its streams are gone.
  bool are_gone() const { return device_->life(ordinal_) != life_; }
  /// Waits until nothing is left in them.
  void finish() const;

 private:
  std::shared_ptr<device::Device> device_;
  int ordinal_;
  Stream out_;
  Stream in_;
  std::uint64_t life_;
};

/// Where a link's messages lie on the GPU, two slots each way, and the words that its kernels wait for there.
struct GpuSide {
  std::byte* sent = nullptr;     // slot 0
  std::byte* landing = nullptr;  // slot 0
  std::uint64_t slot_bytes = 0;  // from slot 0 to slot 1
  std::uint64_t* words = nullptr;
};

/// Mapped host memory of the link: where messages stop over if the channel's buffers cannot be pinned, and words that
/// say how far the streams have come.
struct StopOver {
  std::byte* out = nullptr;  // slot 0
  std::byte* in = nullptr;
  std::uint64_t slot_bytes = 0;
  std::uint64_t* done = nullptr;  // two words
};

class StagedCopies {
 public:
  StagedCopies(std::shared_ptr<CopyStreams> streams, const GpuSide& gpu, const StopOver& stop_over)
      : streams_(std::move(streams)), gpu_(gpu), stop_over_(stop_over) {}
  StagedCopies(const StagedCopies&) = delete;
  StagedCopies& operator=(const StagedCopies&) = delete;
  /// Waits for copies that are under way; after that nothing of the channel's is pinned.
  ~StagedCopies();

  /// Set-up: copies go straight from and to these, if they can be pinned. Says why not otherwise, else nothing.
  std::string pin(const std::vector<std::span<std::byte>>& buffers);
  /// Copies begun so far. Any thread.
  std::uint64_t num_copies() const { return num_copies_.load(std::memory_order_relaxed); }

  /// Message `number`, packed in its slot, on its way to `buffer`. The kernel gets `credit` at once, for the other
  /// slot: what it packs into this one comes behind the copy.
  Status begin_out(std::uint64_t number, std::uint64_t credit, std::int64_t bytes, std::byte* buffer);
  /// Whether it lies in `buffer`, for good.
  bool is_out(std::uint64_t number, std::int64_t bytes, std::byte* buffer);

  /// Message `number` from `buffer` into its slot, then `word` for the kernels that wait for it.
  Status begin_in(std::uint64_t number, std::uint64_t word, std::int64_t bytes, const std::byte* buffer);
  bool is_in(std::uint64_t number) const;

  /// Has the link's kernels, and streams that wait for them, stop: behind all that was begun.
  void give_up();

 private:
  enum Done : std::size_t { kOut, kIn };

  bool is_pinned(const std::byte* buffer) const;
  Status copy(Stream stream, std::byte* target, const std::byte* source, std::int64_t bytes);
  Status store(Stream stream, std::uint64_t* word, std::uint64_t value) const;
  std::uint64_t* word(std::uint32_t index) const;
  std::uint64_t done(Done way) const;

  std::shared_ptr<CopyStreams> streams_;
  GpuSide gpu_;
  StopOver stop_over_;
  std::vector<std::span<std::byte>> pinned_;
  std::vector<std::shared_ptr<void>> pins_;
  std::atomic<std::uint64_t> num_copies_{0};
};

}  // namespace halyard::exchange::gpu
