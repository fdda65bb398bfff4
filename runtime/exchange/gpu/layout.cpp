// See layout.hpp.
#include "exchange/gpu/layout.hpp"

#include "pack/device/compile.hpp"

namespace halyard::exchange::gpu {
namespace {

constexpr std::size_t kAlignment = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

std::size_t LandingLayout::words(std::size_t link) { return link * pack::device::kWordBytesPerLink; }

LandingLayout LandingLayout::of(const Plan& plan) {
  LandingLayout layout;
  const std::size_t first = aligned(words(plan.neighbors().size()));
  for (const PlanNeighbor& neighbor : plan.neighbors()) {
    layout.landing.push_back(first + layout.slot_bytes);
    // Forward exchanges land what is received, reverse ones what was sent.
    const auto bytes = pack::device::landing_bytes_of(neighbor.send, neighbor.receive);
    layout.slot_bytes += aligned(static_cast<std::size_t>(bytes));
  }
  layout.bytes = first + 2 * layout.slot_bytes;
  return layout;
}

}  // namespace halyard::exchange::gpu
