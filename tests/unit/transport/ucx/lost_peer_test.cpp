// A peer that dies without a word is noticed: each test forks a survivor and a victim, so that this process never opens
// UCX and no MPI launcher takes the survivor down.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "transport/ucx/factory.hpp"

namespace halyard::transport {
namespace {

constexpr std::int64_t kBytes = 300'000;
constexpr int kAllWell = 0;
constexpr int kFailed = 1;
constexpr int kCannotRun = 77;

/// One message of the test's own over a socket pair.
void tell(int socket, const Blob& blob) {
  const std::uint64_t bytes = blob.size();
  if (write(socket, &bytes, sizeof bytes) != sizeof bytes) _exit(kFailed);
  if (write(socket, blob.data(), blob.size()) != static_cast<ssize_t>(blob.size())) _exit(kFailed);
}

Blob hear(int socket) {
  std::uint64_t bytes = 0;
  if (recv(socket, &bytes, sizeof bytes, MSG_WAITALL) != sizeof bytes) _exit(kFailed);
  Blob blob(bytes);
  if (recv(socket, blob.data(), bytes, MSG_WAITALL) != static_cast<ssize_t>(bytes)) _exit(kFailed);
  return blob;
}

int complain(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return kFailed;
}

struct Side {
  std::unique_ptr<Worker> worker;
  std::unique_ptr<Channel> channel;
};

Side open_side(int socket, int peer) {
  Side side;
  std::string refusal;
  side.worker = ucx::open_worker({}, refusal);
  if (side.worker == nullptr) {
    std::fprintf(stderr, "%s\n", refusal.c_str());
    _exit(kCannotRun);
  }
  side.channel = side.worker->open({peer, 1, kBytes, kBytes, false, false});
  tell(socket, side.channel->address());
  side.channel->connect(hear(socket));
  tell(socket, Blob(1));
  (void)hear(socket);  // now both are connected
  return side;
}

/// Sends and receives for ever, until the channel fails or `num_messages` have come.
void talk(Side& side, std::uint64_t num_messages) {
  std::uint64_t num_received = 0;
  while (num_received < num_messages && side.channel->failure() == StatusCode::ok) {
    side.worker->progress();
    if (side.channel->may_post()) {
      std::memset(side.channel->send_buffer(), 7, kBytes);
      side.channel->post(kBytes, 1);
    }
    if (!side.channel->receive()) continue;
    ++num_received;
    side.channel->release();
  }
}

[[noreturn]] void be_victim(int socket, std::uint64_t num_messages) {
  Side side = open_side(socket, 0);
  talk(side, num_messages);
  kill(getpid(), SIGKILL);
  _exit(kFailed);
}

int be_survivor(int socket) {
  alarm(100);
  Side side = open_side(socket, 1);
  talk(side, ~std::uint64_t{0});
  if (side.channel->failure() != StatusCode::peer_failed) return complain("the failure is not peer_failed");
  if (!side.channel->failure_text().starts_with("rank 1 cannot be reached over UCX: ")) {
    return complain("text: " + side.channel->failure_text());
  }
  if (!side.worker->loss_of(1).has_value()) return complain("loss_of says nothing");
  side.channel->give_up(1);
  side.channel.reset();
  side.worker.reset();
  return kAllWell;
}

int survive(const char* transports, std::uint64_t num_messages) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return kFailed;
  const pid_t victim = fork();
  if (victim == 0) {
    setenv("UCX_TLS", transports, 1);
    be_victim(sockets[1], num_messages);
  }
  const pid_t survivor = fork();
  if (survivor == 0) {
    setenv("UCX_TLS", transports, 1);
    setenv("UCX_KEEPALIVE_INTERVAL", "200ms", 1);
    _exit(be_survivor(sockets[0]));
  }
  close(sockets[0]);
  close(sockets[1]);
  int victim_status = 0;
  int survivor_status = 0;
  waitpid(victim, &victim_status, 0);
  waitpid(survivor, &survivor_status, 0);
  return WIFEXITED(survivor_status) ? WEXITSTATUS(survivor_status) : kFailed;
}

class LostPeerTest : public testing::TestWithParam<const char*> {};

TEST_P(LostPeerTest, IsNoticedInTheMiddleOfTraffic) {
  for (const std::uint64_t num_messages : {1U, 2U, 50U}) {
    const int outcome = survive(GetParam(), num_messages);
    if (outcome == kCannotRun) GTEST_SKIP() << "UCX does not open with UCX_TLS=" << GetParam();
    EXPECT_EQ(outcome, kAllWell) << "after " << num_messages << " messages";
  }
}

TEST_P(LostPeerTest, IsNoticedBeforeTheFirstMessage) {
  const int outcome = survive(GetParam(), 0);
  if (outcome == kCannotRun) GTEST_SKIP() << "UCX does not open with UCX_TLS=" << GetParam();
  EXPECT_EQ(outcome, kAllWell);
}

INSTANTIATE_TEST_SUITE_P(Transports, LostPeerTest, testing::Values("tcp", "posix", "sysv", "all"),
                         [](const auto& suite) { return std::string(suite.param); });

}  // namespace
}  // namespace halyard::transport
