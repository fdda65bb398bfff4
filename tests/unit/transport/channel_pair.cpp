// See channel_pair.hpp.
#include "unit/transport/channel_pair.hpp"

#include <cstring>
#include <map>

#include "transport/loopback/factory.hpp"
#include "transport/shared/worker.hpp"

namespace halyard::transport::test {
namespace {

constexpr std::size_t kSegmentBytes = std::size_t{1} << 20;

std::unique_ptr<Worker> shared_worker(shared::Segment own, int peer, const shared::SegmentAddress& peers) {
  std::map<int, shared::Segment> others;
  others.emplace(peer, shared::Segment::open(peers));
  return std::make_unique<shared::NodeWorker>(std::move(own), std::move(others));
}

}  // namespace

std::string name_of(const testing::TestParamInfo<Medium>& info) {
  return info.param == Medium::loopback ? "loopback" : "shared";
}

WorkerPair::WorkerPair(Medium medium, const Decorate& decorate_first) {
  if (medium == Medium::loopback) {
    for (auto& worker : workers) worker = loopback::open_worker(Path::shared, loopback::Exports::nothing);
  } else {
    shared::Segment zero = shared::Segment::make(kSegmentBytes);
    shared::Segment one = shared::Segment::make(kSegmentBytes);
    const shared::SegmentAddress address_of_zero = zero.address();
    const shared::SegmentAddress address_of_one = one.address();
    workers[0] = shared_worker(std::move(zero), 1, address_of_one);
    workers[1] = shared_worker(std::move(one), 0, address_of_zero);
  }
  if (decorate_first) workers[0] = decorate_first(std::move(workers[0]));
}

ChannelSpec spec_of(std::int64_t send_bytes, std::int64_t receive_bytes, std::uint64_t binding) {
  ChannelSpec spec;
  spec.peer = 1;
  spec.binding = binding;
  spec.send_bytes = send_bytes;
  spec.receive_bytes = receive_bytes;
  return spec;
}

ChannelSpec mirrored(const ChannelSpec& spec) {
  ChannelSpec other = spec;
  other.peer = 1 - spec.peer;
  std::swap(other.send_bytes, other.receive_bytes);
  std::swap(other.sends_in_place, other.receives_in_place);
  return other;
}

ChannelPair::ChannelPair(WorkerPair& ranks, const ChannelSpec& spec_of_a)
    : a(ranks.workers[0]->open(spec_of_a)), b(ranks.workers[1]->open(mirrored(spec_of_a))) {
  const Blob address_of_a = a->address();
  const Blob address_of_b = b->address();
  a->connect(address_of_b);
  b->connect(address_of_a);
}

void post_number(Channel& channel, std::uint64_t value, std::uint64_t tag) {
  std::memcpy(channel.send_buffer(), &value, sizeof(value));
  channel.post(sizeof(value), tag);
}

std::uint64_t number_in(const Incoming& incoming) {
  std::uint64_t value = 0;
  std::memcpy(&value, incoming.data, sizeof(value));
  return value;
}

}  // namespace halyard::transport::test
