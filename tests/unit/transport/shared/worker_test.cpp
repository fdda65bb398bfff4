// NodeWorker: its arena is what peers can read; a peer's process that is gone is named.
#include "transport/shared/worker.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

namespace halyard::transport::shared {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

// Rank 0's worker and, as it sees them, the segment of rank 1 whose address can be doctored.
struct Node {
  explicit Node(std::int64_t pid = getpid()) : other(Segment::make(kBytes)), worker(make(pid)) {}

  std::unique_ptr<NodeWorker> make(std::int64_t pid) const {
    SegmentAddress address = other.address();
    address.pid = pid;
    std::map<int, Segment> peers;
    peers.emplace(1, Segment::open(address));
    return std::make_unique<NodeWorker>(Segment::make(kBytes), std::move(peers));
  }

  Segment other;
  std::unique_ptr<NodeWorker> worker;
};

TEST(NodeWorker, ExportsWhatLiesInItsArenaAndNothingElse) {
  const Node node;
  std::byte* const field = node.worker->arena().allocate(1000);
  EXPECT_EQ(node.worker->exported(field, 1000), 0U);
  EXPECT_EQ(node.worker->exported(field + 64, 8), 64U);
  std::byte elsewhere[8];
  EXPECT_EQ(node.worker->exported(elsewhere, 8), std::nullopt);
  EXPECT_EQ(node.worker->exported(field, kBytes), std::nullopt) << "sticks out of the arena";
}

TEST(NodeWorker, MapsAPeersTokenToThePeersMemory) {
  const Node node;
  node.other.commit(Segment::kHeaderBytes + 640, 1);
  node.other.base()[Segment::kHeaderBytes + 640] = std::byte{99};
  EXPECT_EQ(*node.worker->map(1, 640), std::byte{99});
}

TEST(NodeWorker, KnowsThatALivingPeerIsNotLost) {
  EXPECT_EQ(Node().worker->loss_of(1), std::nullopt);
  EXPECT_EQ(Node().worker->loss_of(7), std::nullopt) << "no rank of this node";
}

TEST(NodeWorker, NamesTheProcessOfAPeerThatIsGone) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(Node(child).worker->loss_of(1), "process " + std::to_string(child) + " of rank 1 is gone");
}

TEST(NodeWorker, ReturnsAllMemoryOfItsChannels) {
  const Node node;
  ChannelSpec spec;
  spec.peer = 1;
  spec.send_bytes = spec.receive_bytes = 1000;
  (void)node.worker->open(spec);  // from here on the pool of signals is there
  const std::size_t before = node.worker->arena().bytes_in_use();
  for (int i = 0; i < 10; ++i) (void)node.worker->open(spec);
  EXPECT_EQ(node.worker->arena().bytes_in_use(), before);
}

}  // namespace
}  // namespace halyard::transport::shared
