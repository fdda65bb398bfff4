// metered: what exchanges move over each link, for metrics. Set-up; pure.
#pragma once

#include <span>
#include <vector>

#include "exchange/link.hpp"
#include "halyard/plan.hpp"
#include "metrics/meter.hpp"

namespace halyard::exchange {

/// One kind of exchange on a link, of messages that have so many bytes.
metrics::Volume volume_of(const Link& link, Kind kind, std::int64_t sent_bytes, std::int64_t received_bytes);

/// The links of a plan, in the plan's order.
std::vector<metrics::MeteredLink> metered(const Plan& plan, std::span<const Link> links);

}  // namespace halyard::exchange
