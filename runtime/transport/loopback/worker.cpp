// The loopback worker and its channels, see factory.hpp. Addresses are plain pointers.
#include <mutex>
#include <new>
#include <vector>

#include "transport/blob.hpp"
#include "transport/loopback/factory.hpp"
#include "transport/mailbox/channel.hpp"
#include "transport/mailbox/signal_pool.hpp"

namespace halyard::transport::loopback {
namespace {

constexpr std::align_val_t kAlignment{128};

struct FreeAligned {
  void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
};
using Buffer = std::unique_ptr<std::byte[], FreeAligned>;

// Holds memory until the process ends, and after: nothing may free it while a peer could still write there.
void keep_for_ever(Buffer memory) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<Buffer>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(memory));
}

Buffer aligned_buffer(std::size_t bytes) { return Buffer(static_cast<std::byte*>(::operator new(bytes, kAlignment))); }

class Channel final : public mailbox::Channel {
 public:
  Channel(const ChannelSpec& spec, mailbox::SignalPool& signals, Buffer landing)
      : mailbox::Channel(spec, {signals.take(), landing.get()}), signals_(signals), landing_(std::move(landing)) {}

  ~Channel() override {
    if (is_quiet())
      signals_.give_back(mine().signal);
    else
      keep_for_ever(std::move(landing_));  // I6
  }

  Blob address() override {
    Blob blob;
    append(blob, mine());
    return blob;
  }

  void connect(std::span<const std::byte> peer_address) override {
    attach(BlobReader(peer_address).read<mailbox::End>());
  }

 private:
  mailbox::SignalPool& signals_;
  Buffer landing_;
};

class LoopbackWorker final : public Worker {
 public:
  LoopbackWorker(Path path, Exports exports) : path_(path), exports_(exports) {}

  Path path() const override { return path_; }

  std::unique_ptr<transport::Channel> open(const ChannelSpec& spec) override {
    const std::int64_t bytes = spec.receives_in_place ? 0 : spec.receive_bytes;
    return std::make_unique<Channel>(spec, signals_, aligned_buffer(mailbox::landing_bytes(bytes)));
  }

  std::optional<std::uint64_t> exported(const void* data, std::size_t) const override {
    if (exports_ == Exports::nothing) return std::nullopt;
    return reinterpret_cast<std::uintptr_t>(data);
  }

  std::byte* map(int, std::uint64_t token) const override {
    return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(token));
  }

 private:
  Path path_;
  Exports exports_;
  std::vector<Buffer> signal_memory_;
  mailbox::SignalPool signals_{[this](std::size_t bytes) {
    Buffer memory = aligned_buffer(bytes);
    void* address = memory.get();
    signal_memory_.push_back(std::move(memory));
    return address;
  }};
};

}  // namespace

std::unique_ptr<Worker> open_worker(Path path, Exports exports) {
  return std::make_unique<LoopbackWorker>(path, exports);
}

}  // namespace halyard::transport::loopback
