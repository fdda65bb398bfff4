// Worker: one transport, opened for one context. Makes channels and drives what needs driving.
//
// Owned by the context; channels must not outlive it. Opening channels is set-up and may throw; progress() is data
// path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "halyard/path.hpp"
#include "transport/channel.hpp"

namespace halyard::memory {
struct CacheCounters;
}

namespace halyard::transport {

class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;

  virtual Path path() const = 0;

  /// A channel with everything this end needs allocated and registered. Throws Error.
  virtual std::unique_ptr<Channel> open(const ChannelSpec& spec) = 0;

  /// Why this path cannot take messages out of GPU memory and put them there (GpuSlots); empty: open() tries.
  virtual std::string why_no_gpu_slots() const { return "it carries host memory only"; }

  /// How many parts a message may have that is posted where it lies (Channel::post_unpacked()); 0: all are packed.
  virtual std::size_t most_parts() const { return 0; }
  /// Why a message of so many bytes in so many parts is better packed; empty when it is not.
  virtual std::string why_pack(std::int64_t bytes, std::size_t num_parts) const {
    (void)bytes, (void)num_parts;
    return {};
  }

  /// Data path: drives all channels of this worker. Does nothing where channels drive themselves.
  virtual void progress() {}

  /// Set-up: lets go of what destroyed channels left until both ends were through with it.
  virtual void sweep() {}

  /// A number by which peers find [data, data + bytes) with map(), if this memory is open to them; for in-place
  /// messages.
  virtual std::optional<std::uint64_t> exported(const void* data, std::size_t bytes) const {
    (void)data, (void)bytes;
    return std::nullopt;
  }
  /// Where memory that `peer` exported as `token` lies for this process.
  virtual std::byte* map(int peer, std::uint64_t token) const {
    (void)peer, (void)token;
    return nullptr;
  }

  /// Any thread: what this worker has registered with NICs, and how its cache did.
  virtual memory::CacheCounters registrations() const;

  /// Slow path: why rank `peer` can no longer answer ("process 4711 of rank 1 is gone"), when that is known.
  virtual std::optional<std::string> loss_of(int peer) const {
    (void)peer;
    return std::nullopt;
  }
};

}  // namespace halyard::transport
