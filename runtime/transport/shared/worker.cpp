// See worker.hpp.
#include "transport/shared/worker.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <cerrno>

#include "transport/shared/channel.hpp"

namespace halyard::transport::shared {

NodeWorker::NodeWorker(Segment own, std::map<int, Segment> peers)
    : own_(std::move(own)),
      peers_(std::move(peers)),
      arena_(own_.base() + Segment::kHeaderBytes, own_.bytes() - Segment::kHeaderBytes,
             {[this](std::size_t offset, std::size_t bytes) { own_.commit(Segment::kHeaderBytes + offset, bytes); },
              [this](std::size_t offset, std::size_t bytes) { own_.decommit(Segment::kHeaderBytes + offset, bytes); }}),
      signals_([this](std::size_t bytes) { return arena_.allocate(bytes); }) {}

std::unique_ptr<transport::Channel> NodeWorker::open(const ChannelSpec& spec) {
  return std::make_unique<Channel>(spec, Memory{arena_, signals_}, arena_of(peers_.at(spec.peer)));
}

std::optional<std::uint64_t> NodeWorker::exported(const void* data, std::size_t bytes) const {
  if (!arena_.contains(data, bytes)) return std::nullopt;
  return arena_.offset_of(data);
}

std::byte* NodeWorker::map(int peer, std::uint64_t token) const { return arena_of(peers_.at(peer)).data() + token; }

std::optional<std::string> NodeWorker::loss_of(int peer) const {
  const auto segment = peers_.find(peer);
  if (segment == peers_.end()) return std::nullopt;
  const SegmentAddress& address = segment->second.address();
  if (address.pid_space != own_.address().pid_space) return std::nullopt;  // its pid says nothing here
  if (kill(static_cast<pid_t>(address.pid), 0) == 0 || errno != ESRCH) return std::nullopt;
  return fmt::format("process {} of rank {} is gone", address.pid, peer);
}

std::span<std::byte> NodeWorker::arena_of(const Segment& segment) const {
  return {segment.base() + Segment::kHeaderBytes, segment.bytes() - Segment::kHeaderBytes};
}

}  // namespace halyard::transport::shared
