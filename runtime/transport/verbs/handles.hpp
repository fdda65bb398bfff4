// Owners of libibverbs' handles: each is a unique_ptr that calls the one function that gives it back. Nothing else
// calls those. Members are declared in the order context, protection domain, completion channel, completion queue,
// memory region, queue pair, so that they go in the order that verbs asks for.
#pragma once

#include <infiniband/verbs.h>

#include <memory>

#include "base/give_back.hpp"

namespace halyard::transport::verbs {

using base::GiveBack;

struct FreeDeviceList {
  void operator()(ibv_device** list) const { ibv_free_device_list(list); }
};

using DeviceList = std::unique_ptr<ibv_device*, FreeDeviceList>;
using DeviceContext = std::unique_ptr<ibv_context, GiveBack<ibv_close_device>>;
using ProtectionDomain = std::unique_ptr<ibv_pd, GiveBack<ibv_dealloc_pd>>;
using CompletionEvents = std::unique_ptr<ibv_comp_channel, GiveBack<ibv_destroy_comp_channel>>;
using CompletionQueue = std::unique_ptr<ibv_cq, GiveBack<ibv_destroy_cq>>;
using MemoryRegion = std::unique_ptr<ibv_mr, GiveBack<ibv_dereg_mr>>;
using QueuePairHandle = std::unique_ptr<ibv_qp, GiveBack<ibv_destroy_qp>>;

}  // namespace halyard::transport::verbs
