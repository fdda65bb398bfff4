// What callgrind counts for `bench/run_instructions`: exchanges of a 26-neighbor halo, as channels see them.
//
// Both ends lie in this process, on one RDMA device. Everything that a rank runs for an exchange, but for packing, lies
// in post_all and complete_all; both ends run them, so half is what a rank runs. Once connections stand and pools have
// grown they are called through the two functions that callgrind is told to count. In between the process sleeps until
// the device is through, so that no poll that finds nothing is counted.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "transport/ucx/factory.hpp"
#include "transport/verbs/factory.hpp"

namespace halyard::bench {
namespace {

using transport::Channel;
using transport::Worker;

constexpr int kNeighbors = 26;
constexpr std::uint64_t kWarmUp = 40;  // more than the queues have entries
constexpr std::chrono::milliseconds kUntilQuiet{30};
constexpr std::chrono::seconds kPatience{60};

/// Bytes that go to neighbor `n` of a cube of 32 cells of 8 bytes, one layer: 6 faces, 12 edges, 8 corners.
std::int64_t bytes_to(int n) { return n < 6 ? 32 * 32 * 8 : n < 18 ? 32 * 8 : 8; }

struct Rank {
  std::unique_ptr<Worker> worker;
  std::vector<std::unique_ptr<Channel>> channels;
  std::array<bool, kNeighbors> is_received{};
};

std::unique_ptr<Worker> worker_of(std::string_view path) {
  std::string refusal = fmt::format("count exchanges over {}: give verbs or ucx", path);
  std::unique_ptr<Worker> worker;
  if (path == "verbs") worker = transport::verbs::open_worker({}, refusal);
  if (path == "ucx") worker = transport::ucx::open_worker({}, refusal);
  if (worker == nullptr) throw Error(StatusCode::not_supported, refusal);
  return worker;
}

void connect(Rank& left, Rank& right) {
  for (int n = 0; n < kNeighbors; ++n) {
    left.channels.push_back(left.worker->open({1, 1, bytes_to(n), bytes_to(n), false, false}));
    right.channels.push_back(right.worker->open({0, 1, bytes_to(n), bytes_to(n), false, false}));
    const auto left_address = left.channels.back()->address();
    const auto right_address = right.channels.back()->address();
    left.channels.back()->connect(right_address);
    right.channels.back()->connect(left_address);
  }
}

void check(const Rank& rank) {
  for (const auto& channel : rank.channels)
    if (channel->failure() != StatusCode::ok) throw Error(channel->failure(), channel->failure_text());
}

/// False when a credit was missing.
bool post_all(Rank& rank, std::uint64_t exchange) {
  rank.worker->progress();
  for (int n = 0; n < kNeighbors; ++n) {
    Channel& channel = *rank.channels[static_cast<std::size_t>(n)];
    if (!channel.may_post()) return false;
    (void)channel.send_buffer();
    channel.post(bytes_to(n), exchange);
  }
  return true;
}

/// One round over all channels; true when all messages are here and all that was posted is delivered.
bool complete_all(Rank& rank, std::uint64_t exchange) {
  rank.worker->progress();
  bool is_done = true;
  for (std::size_t n = 0; n < kNeighbors; ++n) {
    Channel& channel = *rank.channels[n];
    if (!rank.is_received[n]) {
      const auto incoming = channel.receive();
      if (incoming && incoming->tag == exchange) channel.release(), rank.is_received[n] = true;
    }
    is_done = is_done && rank.is_received[n] && channel.num_delivered() == exchange;
  }
  return is_done;
}

}  // namespace

// Not inlined and not in the anonymous namespace: callgrind finds them by name.
[[gnu::noinline]] bool counted_post_all(Rank& rank, std::uint64_t exchange) { return post_all(rank, exchange); }
[[gnu::noinline]] bool counted_complete_all(Rank& rank, std::uint64_t exchange) { return complete_all(rank, exchange); }

namespace {

struct Steps {
  bool (*post)(Rank&, std::uint64_t);
  bool (*complete)(Rank&, std::uint64_t);
};

/// How many rounds it took to find everything, beyond the one that is needed.
int exchange_once(Rank& left, Rank& right, std::uint64_t exchange, const Steps& steps) {
  if (!steps.post(left, exchange) || !steps.post(right, exchange))
    throw Error(StatusCode::transport_failed, fmt::format("post exchange {}: a credit is missing", exchange));
  left.is_received = right.is_received = {};
  const auto end = std::chrono::steady_clock::now() + kPatience;
  bool is_left_done = false, is_right_done = false;
  int rounds = 0;
  while (!is_left_done || !is_right_done) {
    std::this_thread::sleep_for(kUntilQuiet);
    if (!is_left_done) is_left_done = ++rounds, steps.complete(left, exchange);
    if (!is_right_done) is_right_done = ++rounds, steps.complete(right, exchange);
    check(left), check(right);
    if (std::chrono::steady_clock::now() > end)
      throw Error(StatusCode::timeout, fmt::format("exchange {}: not all messages came in 60 s", exchange));
  }
  return rounds - 2;
}

void run(std::string_view path, std::uint64_t exchanges) {
  Rank left{worker_of(path), {}, {}}, right{worker_of(path), {}, {}};
  connect(left, right);
  for (std::uint64_t n = 1; n <= kWarmUp; ++n) exchange_once(left, right, n, {post_all, complete_all});
  int extra_rounds = 0;
  for (std::uint64_t n = kWarmUp + 1; n <= kWarmUp + exchanges; ++n)
    extra_rounds += exchange_once(left, right, n, {counted_post_all, counted_complete_all});
  fmt::print("{{\"path\": \"{}\", \"form\": \"{}\", \"exchanges\": {}, \"extra_rounds\": {}}}\n", path,
             left.channels[0]->form(), exchanges, extra_rounds);
}

}  // namespace
}  // namespace halyard::bench

int main(int argc, char** argv) {
  const int exchanges = argc == 3 ? std::atoi(argv[2]) : 0;
  if (exchanges < 1) {
    fmt::print(stderr, "use: {} verbs|ucx <exchanges>; bench/run_instructions calls it\n", argv[0]);
    return 2;
  }
  try {
    halyard::bench::run(argv[1], static_cast<std::uint64_t>(exchanges));
    return 0;
  } catch (const halyard::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
