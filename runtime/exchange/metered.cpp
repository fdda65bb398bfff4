// See metered.hpp.
#include "exchange/metered.hpp"

namespace halyard::exchange {

metrics::Volume volume_of(const Link& link, Kind kind, std::int64_t sent_bytes, std::int64_t received_bytes) {
  const Route& route = link.route(kind);
  metrics::Volume volume;
  // A rank's own images are one message there and one back, which no buffer holds.
  const bool is_self = link.channel == nullptr;
  volume.sends = is_self ? sent_bytes > 0 : route.has_send;
  volume.receives = is_self ? received_bytes > 0 : route.has_receive;
  volume.packs = !route.send.empty();
  volume.is_direct = is_self || link.reads_in_place;
  volume.sent_bytes = sent_bytes;
  volume.received_bytes = received_bytes;
  return volume;
}

std::vector<metrics::MeteredLink> metered(const Plan& plan, std::span<const Link> links) {
  std::vector<metrics::MeteredLink> result;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const PlanNeighbor& messages = plan.neighbors()[i];
    result.push_back({messages.rank, messages.path,
                      volume_of(links[i], Kind::forward, messages.send.bytes, messages.receive.bytes),
                      volume_of(links[i], Kind::reverse, messages.receive.bytes, messages.send.bytes)});
  }
  return result;
}

}  // namespace halyard::exchange
