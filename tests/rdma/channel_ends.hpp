// ChannelEnds: two workers of one process on the VM's devices, and the two ends of a channel between them. For tests
// that look at the verbs path from close by.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transport/verbs/factory.hpp"

namespace halyard::transport::verbs {

using Clock = std::chrono::steady_clock;

inline constexpr std::chrono::seconds kPatience{60};
inline constexpr std::int64_t kSmall = 256;

inline std::uint64_t sum_of_counters(const char* name) {
  std::uint64_t sum = 0;
  for (const auto& device : std::filesystem::directory_iterator("/sys/class/infiniband")) {
    std::uint64_t value = 0;
    std::ifstream(device.path() / "ports/1/hw_counters" / name) >> value;
    sum += value;
  }
  return sum;
}

inline std::byte code(std::uint64_t message, std::int64_t at) {
  return static_cast<std::byte>((message * 31 + static_cast<std::uint64_t>(at) * 7 + 1) & 0xff);
}

class ChannelEnds : public testing::Test {
 protected:
  void SetUp() override { open("rxe0", "rxe1"); }

  void open(const char* left_device, const char* right_device) {
    right_channel_.reset(), left_channel_.reset(), right_.reset(), left_.reset();
    left_ = worker(left_device);
    right_ = worker(right_device);
    if (left_ == nullptr || right_ == nullptr) GTEST_SKIP() << refusal_;
  }

  std::unique_ptr<Worker> worker(const char* device) {
    Settings settings;
    settings.options.device = device;
    settings.options.timeout = 14;
    return open_worker(settings, refusal_);
  }

  /// `left_unpacked` are messages that lie in memory of the test's, for the left end to post.
  void connect(std::int64_t bytes, std::uint64_t binding = 1, std::vector<Parts> left_unpacked = {}) {
    ChannelSpec spec{1, binding, bytes, bytes, false, false};
    spec.unpacked = std::move(left_unpacked);
    left_channel_ = left_->open(spec);
    right_channel_ = right_->open({0, binding, bytes, bytes, false, false});
    const Blob left = left_channel_->address();
    const Blob right = right_channel_->address();
    left_channel_->connect(right);
    right_channel_->connect(left);
  }

  static bool post(Channel& from, std::uint64_t message, std::int64_t bytes) {
    if (!from.may_post()) return false;
    for (std::int64_t i = 0; i < bytes; ++i) from.send_buffer()[i] = code(message, i);
    from.post(bytes, message);
    return true;
  }

  /// Number of wrong bytes; -1 when nothing came.
  static std::int64_t receive(Channel& at, std::uint64_t message, std::int64_t bytes) {
    const auto end = Clock::now() + kPatience;
    auto incoming = at.receive();
    while (!incoming && Clock::now() < end) incoming = at.receive();
    if (!incoming) return -1;
    std::int64_t wrong = incoming->tag == message ? 0 : 1;
    for (std::int64_t i = 0; i < bytes; ++i) wrong += incoming->data[i] == code(message, i) ? 0 : 1;
    at.release();
    return wrong;
  }

  static bool post_patiently(Channel& from, std::uint64_t message, std::int64_t bytes) {
    const auto end = Clock::now() + kPatience;
    while (!post(from, message, bytes))
      if (Clock::now() > end || from.failure() != StatusCode::ok) return false;
    return true;
  }

  std::string refusal_;
  std::unique_ptr<Worker> left_;
  std::unique_ptr<Worker> right_;
  std::unique_ptr<Channel> left_channel_;
  std::unique_ptr<Channel> right_channel_;
};

/// What one end of the wire sends comes late, until the end of a scope.
class LatePackets {
 public:
  explicit LatePackets(const std::string& netdev) : netdev_(netdev) {
    EXPECT_EQ(std::system(("tc qdisc replace dev " + netdev_ + " root netem delay 300ms").c_str()), 0);
  }
  LatePackets(const LatePackets&) = delete;
  LatePackets& operator=(const LatePackets&) = delete;
  ~LatePackets() { EXPECT_EQ(std::system(("tc qdisc del dev " + netdev_ + " root").c_str()), 0); }

 private:
  std::string netdev_;
};

}  // namespace halyard::transport::verbs
