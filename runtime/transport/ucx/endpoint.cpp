// Endpoint: see endpoint.hpp.
#include "transport/ucx/endpoint.hpp"

#include "halyard/status.hpp"

namespace halyard::transport::ucx {

Endpoint::Endpoint(ucp_worker_h worker, int peer, const ucp_address_t* address) : peer_(peer) {
  ucs_status_t status = create(worker, address, UCP_ERR_HANDLING_MODE_PEER);
  if (status != UCS_OK) {
    notices_failure_ = false;  // e.g. UCX_TLS names only transports that cannot (sysv, self)
    status = create(worker, address, UCP_ERR_HANDLING_MODE_NONE);
  }
  if (status != UCS_OK) {
    throw Error(StatusCode::not_supported, "connect to rank " + std::to_string(peer) +
                                               " over UCX: ucp_ep_create: " + ucs_status_string(status) +
                                               "; look at UCX_TLS and UCX_NET_DEVICES, which must suit both ranks");
  }
  lane_ = lane_of(handle_.get());
}

ucs_status_t Endpoint::create(ucp_worker_h worker, const ucp_address_t* address, ucp_err_handling_mode_t mode) {
  ucp_ep_params_t params{};
  params.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = address;
  params.err_mode = mode;
  params.err_handler.cb = &Endpoint::on_error;
  params.err_handler.arg = this;
  ucp_ep_h created = nullptr;
  const ucs_status_t status = ucp_ep_create(worker, &params, &created);
  if (status == UCS_OK) handle_.reset(created);
  return status;
}

void Endpoint::on_error(void* self, ucp_ep_h, ucs_status_t status) {
  static_cast<Endpoint*>(self)->failure_.store(status, std::memory_order_release);
}

std::string Endpoint::failure_text() const {
  return "rank " + std::to_string(peer_) + " cannot be reached over UCX: " + ucs_status_string(failure());
}

}  // namespace halyard::transport::ucx
