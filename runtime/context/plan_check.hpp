// plan_check: do all ranks mean the same exchange? Compared before the first byte moves.
#pragma once

#include "context/bootstrap.hpp"
#include "halyard/plan.hpp"

namespace halyard::context {

/// Collective. Throws Error(disagreement) on every rank, naming the pair and what differs, when a rank's message to
/// another is not what that one expects.
void check_plans(Bootstrap& bootstrap, const Plan& plan);

}  // namespace halyard::context
