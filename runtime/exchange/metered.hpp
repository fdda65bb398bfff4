// metered: what a plan's exchanges move over each link, for metrics. Set-up; pure.
#pragma once

#include <span>
#include <vector>

#include "exchange/link.hpp"
#include "halyard/plan.hpp"
#include "metrics/meter.hpp"

namespace halyard::exchange {

/// The links of a plan, in the plan's order.
std::vector<metrics::MeteredLink> metered(const Plan& plan, std::span<const Link> links);

}  // namespace halyard::exchange
