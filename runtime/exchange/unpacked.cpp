// See unpacked.hpp.
#include "exchange/unpacked.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "pack/segments.hpp"

namespace halyard::exchange {
namespace {

using transport::Part;
using transport::Parts;

/// With what a message leaves between its sections, and behind the last one, as parts of no place.
Parts parts_of(const std::vector<pack::Segment>& segments, std::int64_t message_bytes) {
  Parts parts;
  std::int64_t at = 0;
  const auto leave = [&](std::int64_t until) {
    if (until > at) parts.push_back({nullptr, static_cast<std::uint64_t>(until - at)});
  };
  for (const pack::Segment& segment : segments) {
    leave(segment.offset);
    parts.push_back({reinterpret_cast<const std::byte*>(segment.source), static_cast<std::uint64_t>(segment.bytes)});
    at = segment.offset + segment.bytes;
  }
  leave(message_bytes);
  return parts;
}

/// Empty, and `why` says why, for a message that is better packed.
Parts unpacked_message(const Route& route, const transport::Worker& worker, std::string& why) {
  const std::size_t most = worker.most_parts();
  if (most == 0 || route.send.empty()) return {};
  const auto segments = pack::segments_of(route.send, most);
  Parts parts;
  if (segments) parts = parts_of(*segments, route.send_bytes);
  const std::size_t num_parts = segments ? parts.size() : static_cast<std::size_t>(pack::num_rows(route.send));
  why = worker.why_pack(route.send_bytes, num_parts);
  if (why.empty() && (!segments || num_parts > most))
    why = fmt::format("packed: {} pieces; at most {} are sent from fields", num_parts, most);
  return why.empty() ? parts : Parts{};
}

}  // namespace

void open_channel(Link& link, transport::ChannelSpec spec) {
  std::string why_reverse;  // forward is what explain() is about
  for (const auto& [route, why] :
       {std::pair(&link.forward, &link.why_packed), std::pair(&link.reverse, &why_reverse)}) {
    Parts parts = unpacked_message(*route, *link.worker, *why);
    if (parts.empty()) continue;
    route->unpacked = spec.unpacked.size();
    spec.unpacked.push_back(std::move(parts));
  }
  link.channel = link.worker->open(spec);
  for (const auto& [route, why] :
       {std::pair(&link.forward, &link.why_packed), std::pair(&link.reverse, &why_reverse)}) {
    if (!route->unpacked) continue;
    *why = link.channel->why_packed(*route->unpacked);
    if (why->empty())
      route->send = {};
    else
      route->unpacked.reset();
  }
}

}  // namespace halyard::exchange
