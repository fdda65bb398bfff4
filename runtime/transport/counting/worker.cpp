// See factory.hpp.
#include "transport/counting/factory.hpp"
#include "transport/forwarding.hpp"

namespace halyard::transport::counting {
namespace {

class CountingChannel final : public ForwardingChannel {
 public:
  CountingChannel(std::unique_ptr<Channel> inner, Counts& counts)
      : ForwardingChannel(std::move(inner)), counts_(counts) {}

  void post(std::int64_t bytes, std::uint64_t tag) override {
    counts_.messages_posted.fetch_add(1, std::memory_order_relaxed);
    counts_.bytes_posted.fetch_add(static_cast<std::uint64_t>(bytes), std::memory_order_relaxed);
    inner().post(bytes, tag);
  }

  void post_unpacked(std::size_t number, std::int64_t bytes, std::uint64_t tag) override {
    counts_.messages_posted.fetch_add(1, std::memory_order_relaxed);
    inner().post_unpacked(number, bytes, tag);
  }

  void release() override {
    counts_.messages_received.fetch_add(1, std::memory_order_relaxed);
    inner().release();
  }

 private:
  Counts& counts_;
};

class CountingWorker final : public ForwardingWorker {
 public:
  CountingWorker(std::unique_ptr<Worker> inner, Counts& counts) : ForwardingWorker(std::move(inner)), counts_(counts) {}

  std::unique_ptr<Channel> open(const ChannelSpec& spec) override {
    counts_.channels_opened.fetch_add(1, std::memory_order_relaxed);
    return std::make_unique<CountingChannel>(inner().open(spec), counts_);
  }

 private:
  Counts& counts_;
};

}  // namespace

std::unique_ptr<Worker> wrap(std::unique_ptr<Worker> inner, Counts& counts) {
  return std::make_unique<CountingWorker>(std::move(inner), counts);
}

}  // namespace halyard::transport::counting
