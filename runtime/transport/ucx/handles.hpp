// Owners of UCX's handles: each is a unique_ptr that calls the one function that gives it back. Nothing else calls
// those.
//
// Order matters to UCX and is kept by the order of members in worker.hpp and link.hpp: endpoints and remote keys go
// before their worker, the worker before the memory that peers may still write to, everything before the context.
#pragma once

#include <ucp/api/ucp.h>

#include <memory>

#include "base/give_back.hpp"

namespace halyard::transport::ucx {

using base::GiveBack;

struct UnmapMemory {
  ucp_context_h context = nullptr;
  void operator()(ucp_mem* memory) const { (void)ucp_mem_unmap(context, memory); }
};

struct ReleaseAddress {
  ucp_worker_h worker = nullptr;
  void operator()(ucp_address_t* address) const { ucp_worker_release_address(worker, address); }
};

/// Does not wait for the peer: what is under way is cancelled, and the worker's next progress calls clean up.
struct CloseByForce {
  void operator()(ucp_ep* endpoint) const {
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    ucs_status_ptr_t request = ucp_ep_close_nbx(endpoint, &param);
    if (UCS_PTR_IS_PTR(request)) ucp_request_free(request);
  }
};

using ConfigHandle = std::unique_ptr<ucp_config_t, GiveBack<ucp_config_release>>;
using ContextHandle = std::unique_ptr<ucp_context, GiveBack<ucp_cleanup>>;
using WorkerHandle = std::unique_ptr<ucp_worker, GiveBack<ucp_worker_destroy>>;
using WorkerAddress = std::unique_ptr<ucp_address_t, ReleaseAddress>;
using EndpointHandle = std::unique_ptr<ucp_ep, CloseByForce>;
using MemoryHandle = std::unique_ptr<ucp_mem, UnmapMemory>;
using RemoteKey = std::unique_ptr<ucp_rkey, GiveBack<ucp_rkey_destroy>>;
using PackedKey = std::unique_ptr<void, GiveBack<ucp_rkey_buffer_release>>;

}  // namespace halyard::transport::ucx
