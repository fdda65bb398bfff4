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

Buffer aligned_buffer(std::size_t bytes) { return Buffer(static_cast<std::byte*>(::operator new(bytes, kAlignment))); }

// Where a worker's Signals lie.
struct Signals {
  std::vector<Buffer> memory;
  mailbox::SignalPool pool{[this](std::size_t bytes) {
    memory.push_back(aligned_buffer(bytes));
    return memory.back().get();
  }};
};

// Holds memory until the process ends, and after: nothing may free it while a peer could still write there.
void keep_for_ever(std::unique_ptr<Signals> signals) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::unique_ptr<Signals>>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(signals));
}

class Channel final : public mailbox::Channel {
 public:
  Channel(const ChannelSpec& spec, mailbox::SignalPool& signals, Buffer landing)
      : mailbox::Channel(spec, {signals.take(), landing.get()}, signals), landing_(std::move(landing)) {}

  ~Channel() override {
    leave([landing = std::shared_ptr<std::byte[]>(std::move(landing_))] {});  // freed with this function
  }

  Blob address() override {
    Blob blob;
    append(blob, mine());
    return blob;
  }

  /// Both ends lie in this process, and memory is pinned once.
  std::vector<std::span<std::byte>> buffers() override { return {}; }

  void connect(std::span<const std::byte> peer_address) override {
    attach(BlobReader(peer_address).read<mailbox::End>());
  }

 private:
  Buffer landing_;
};

class LoopbackWorker final : public Worker {
 public:
  LoopbackWorker(Path path, Exports exports) : path_(path), exports_(exports) {}
  ~LoopbackWorker() override {
    if (!signals_->pool.is_quiet()) keep_for_ever(std::move(signals_));  // I6
  }

  Path path() const override { return path_; }

  std::unique_ptr<transport::Channel> open(const ChannelSpec& spec) override {
    const std::int64_t bytes = spec.receives_in_place ? 0 : spec.receive_bytes;
    return std::make_unique<Channel>(spec, signals_->pool, aligned_buffer(mailbox::landing_bytes(bytes)));
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
  std::unique_ptr<Signals> signals_ = std::make_unique<Signals>();
};

}  // namespace

std::unique_ptr<Worker> open_worker(Path path, Exports exports) {
  return std::make_unique<LoopbackWorker>(path, exports);
}

}  // namespace halyard::transport::loopback
