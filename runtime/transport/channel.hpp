// Channel: one connection to one neighbor, both directions, as protocol.md describes it. Every path is one of these;
// the exchange drives them without knowing which.
//
// Life: made by Worker::open with a ChannelSpec, then each end's address() is carried to the other end's connect(),
// then messages. Messages of a direction are numbered from 1 by both ends and arrive in order. A channel belongs to
// one thread at a time. Everything below "data path" neither allocates, throws, blocks nor calls the system (backends
// that sit on a library do what that library does). After failure() is set the channel does nothing more.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halyard/status.hpp"

namespace halyard::transport {

using Blob = std::vector<std::byte>;

/// Memory of a GPU in which a channel's messages lie, where its NIC reaches it: two slots each way, message n in slot
/// n % 2. The caller writes and reads them itself, so send_buffer() and Incoming::data say nothing; a send slot may be
/// written again when may_post() says so of its next message, a receive slot is given back by release().
struct GpuSlots {
  std::byte* send = nullptr;     // slot 0
  std::byte* receive = nullptr;  // slot 0
  std::uint64_t stride = 0;      // from slot 0 to slot 1
};

/// A part of a message where it lies before it is sent; null: bytes that nobody reads.
struct Part {
  const std::byte* data = nullptr;
  std::uint64_t bytes = 0;
};
/// A whole message, from its first byte to its last.
using Parts = std::vector<Part>;

/// What a channel must carry. Both ends give mirrored values.
struct ChannelSpec {
  int peer = 0;                    // rank on the context's communicator
  std::uint64_t binding = 0;       // number of the binding, equal on all ranks, unique among a context's live bindings
  std::int64_t send_bytes = 0;     // largest message this end posts; 0 is allowed
  std::int64_t receive_bytes = 0;  // largest message the peer posts
  bool sends_in_place = false;     // this end's messages stay in its fields: post() only says that they may be read
  bool receives_in_place = false;  // the same for the peer's messages
  bool whole_pages = false;        // landing memory shares no page with anything else, where the path has its own
  std::optional<GpuSlots> on_gpu = {};  // of this end; only where Worker::why_no_gpu_slots() has nothing against it
  std::vector<Parts> unpacked = {};     // what this end would rather post with post_unpacked()
};

/// A message that has arrived. `data` is null for a message in place or on a GPU: the reader knows where it lies.
struct Incoming {
  const std::byte* data = nullptr;
  std::uint64_t tag = 0;
};

class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  /// Local; never waits for the peer. Unfinished messages are given up.
  virtual ~Channel() = default;

  /// Set-up: what the other end's connect() needs. Throws Error.
  virtual Blob address() = 0;
  /// Set-up: takes the other end's address(). Throws Error.
  virtual void connect(std::span<const std::byte> peer_address) = 0;

  /// Set-up, after connect(): the memory that send_buffer() and receive() lie in, so that a GPU's copy engines may
  /// reach it: whole pages, as the spec must have asked. Empty where the path does not say.
  virtual std::vector<std::span<std::byte>> buffers() { return {}; }

  /// Set-up: why message `number` of ChannelSpec::unpacked must be packed all the same; empty when it need not.
  virtual std::string why_packed(std::size_t number) const {
    (void)number;
    return "this path sends from its own buffers";
  }

  // ---- data path -------------------------------------------------------------------------------------------------

  /// True when the next message may be written and posted (a credit is there).
  virtual bool may_post() = 0;
  /// Where to write the next message, 64-byte aligned, after may_post() said yes; null for in-place channels.
  virtual std::byte* send_buffer() = 0;
  /// Hands over the next message: `bytes` of send_buffer(), with a tag that arrives with it.
  virtual void post(std::int64_t bytes, std::uint64_t tag) = 0;
  /// The same for message `number` of ChannelSpec::unpacked, from where it lies. It must hold still until
  /// num_delivered() counts it. Only where why_packed() said nothing: a channel that never does has no such messages.
  virtual void post_unpacked(std::size_t number, std::int64_t bytes, std::uint64_t tag) {
    (void)number, (void)bytes, (void)tag;
  }
  /// How many posted messages need nothing of this end any more: their buffer, or in place their fields, are free.
  virtual std::uint64_t num_delivered() = 0;

  /// The next message if it has arrived. Answers the same message until release().
  virtual std::optional<Incoming> receive() = 0;
  /// The message of receive() has been read; its buffer (or the peer's fields) may be written again.
  virtual void release() = 0;

  /// Gives the core away until something may have come for this channel or another one of its binding, for `most` at
  /// the longest. False, at once, where the path cannot be slept on. For ranks that share cores; calls the system.
  virtual bool sleep(std::chrono::microseconds most) {
    (void)most;
    return false;
  }

  /// True when the peer has consumed all that was posted, so that it writes nothing more into this end's memory. A
  /// channel destroyed before keeps that memory from being used again.
  virtual bool is_quiet() { return true; }

  /// The first thing that went wrong, if anything did.
  virtual StatusCode failure() const { return StatusCode::ok; }
  /// failure() in words. Not on the data path.
  virtual std::string failure_text() const { return {}; }
  /// Tells the peer, where the path can, that this end gives up because of rank `culprit`.
  virtual void give_up(int culprit) { (void)culprit; }

  /// One or two words for explain(): "direct", "mailbox", "put over tcp", …
  virtual std::string form() const = 0;
};

}  // namespace halyard::transport
