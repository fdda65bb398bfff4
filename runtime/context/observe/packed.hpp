// packed: metrics and traces as bytes on their way to rank 0, and back. Throws Error(disagreement) for bytes that are
// none.
#pragma once

#include "halyard/metrics.hpp"
#include "metrics/trace/record.hpp"
#include "transport/channel.hpp"

namespace halyard::context {

/// What one rank says at the end of a context.
struct Account {
  Metrics metrics;
  metrics::RankTrace trace;
};

transport::Blob packed(const Account& account);
Account unpacked(std::span<const std::byte> bytes);

}  // namespace halyard::context
