// See metered.hpp.
#include "exchange/metered.hpp"

namespace halyard::exchange {
namespace {

metrics::Volume volume_of(const Link& link, const Route& route, const MessageLayout& sent,
                          const MessageLayout& received) {
  metrics::Volume volume;
  volume.sends = !sent.offsets.empty();
  volume.packs = !route.send.empty();
  volume.receives = !received.offsets.empty();
  volume.is_direct = link.reads_in_place || link.channel == nullptr;
  volume.sent_bytes = sent.bytes;
  volume.received_bytes = received.bytes;
  return volume;
}

}  // namespace

std::vector<metrics::MeteredLink> metered(const Plan& plan, std::span<const Link> links) {
  std::vector<metrics::MeteredLink> result;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const PlanNeighbor& messages = plan.neighbors()[i];
    result.push_back({messages.rank, messages.path,
                      volume_of(links[i], links[i].forward, messages.send, messages.receive),
                      volume_of(links[i], links[i].reverse, messages.receive, messages.send)});
  }
  return result;
}

}  // namespace halyard::exchange
