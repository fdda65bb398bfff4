// What this UCX is and may use, found by asking it. Set-up only.
//
// Kept in one place because UCX says these things only in print: its reports have been stable from 1.13 on, and where a
// line is not understood the answer is less precise, never wrong.
#pragma once

#include <cstdint>
#include <string>

#include "transport/ucx/handles.hpp"

namespace halyard::transport::ucx {

/// How a put can be made to land after an earlier put to the same peer.
enum class Ordering {
  fence,  // ucp_worker_fence between the two
  flush,  // the second is issued when a flush of the endpoint is done
};

/// UCX's configuration as the user's environment and files have it.
ConfigHandle read_config();

/// Lets the on-node transports notice a dead peer. Only for a context that has one, else UCX warns of it.
void notice_failures_on_node(ucp_config_t& config);
bool has_on_node_transport(ucp_context_h context);

/// Throws Error(not_supported) for a context of no use: one that reaches no other process, or one for a network card
/// with which no memory may be registered. Found out here, where another path can still be taken.
void check_usable(ucp_context_h context);

/// The cheapest ordering that is right under this configuration; the reason is in probe.cpp.
Ordering ordering_under(const ucp_config_t& config);

/// "ucx 1.13.1: tcp on eth0 and lo, posix, self"
std::string describe_resources(ucp_context_h context);

/// What carries the bytes of an endpoint.
struct Lane {
  std::string transport;  // "posix", "rc_verbs", "tcp", …; empty when UCX does not say
  bool can_put = false;   // false: UCX would emulate puts, which the reason in probe.cpp forbids
};
Lane lane_of(ucp_ep_h endpoint);

/// The same for the memory of one key, which on a node must be mapped for that.
bool can_put_into(const Lane& lane, ucp_rkey_h key, std::uint64_t address);

}  // namespace halyard::transport::ucx
