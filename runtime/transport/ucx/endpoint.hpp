// Endpoint: this worker's one connection to one peer, shared by all channels to it. Owned by the worker.
//
// UCX may report from any progress call that the connection is broken; from then on failure() is not UCS_OK and every
// channel to the peer fails.
#pragma once

#include <atomic>
#include <string>

#include "transport/ucx/handles.hpp"
#include "transport/ucx/probe.hpp"

namespace halyard::transport::ucx {

class Endpoint {
 public:
  /// Throws Error(not_supported) when no transport reaches the peer.
  Endpoint(ucp_worker_h worker, int peer, const ucp_address_t* address);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  ucp_ep_h get() const { return handle_.get(); }
  int peer() const { return peer_; }
  /// False where no transport could tell a dead peer: then only deadlines will.
  bool notices_failure() const { return notices_failure_; }

  ucs_status_t failure() const { return failure_.load(std::memory_order_acquire); }
  /// The transport that carries what we send, and whether it can put; what it cannot, active messages do.
  const Lane& lane() const { return lane_; }

  /// "rank 3 cannot be reached over UCX: Connection reset by remote peer"
  std::string failure_text() const;

 private:
  ucs_status_t create(ucp_worker_h worker, const ucp_address_t* address, ucp_err_handling_mode_t mode);
  static void on_error(void* self, ucp_ep_h endpoint, ucs_status_t status);

  int peer_;
  bool notices_failure_ = true;
  std::atomic<ucs_status_t> failure_{UCS_OK};
  EndpointHandle handle_;
  Lane lane_;
};

}  // namespace halyard::transport::ucx
