// The trace that ranges of the program go to: at most one in a process, that of the first context that takes one.
#pragma once

#include <memory>

#include "metrics/trace/trace.hpp"

namespace halyard::metrics {

/// Null when `trace` cannot be it, because another one is. The trace is active until the answer goes.
std::shared_ptr<Trace> make_active(std::shared_ptr<Trace> trace);

}  // namespace halyard::metrics
