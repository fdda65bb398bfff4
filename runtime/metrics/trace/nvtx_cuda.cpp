// NVTX 3, header only: it looks for a profiler when it is first called. Without one the domain is null.
#include <nvtx3/nvToolsExt.h>

#include "metrics/trace/nvtx.hpp"

namespace halyard::metrics::nvtx {
namespace {

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t ours = nvtxDomainCreateA("halyard");
  return ours;
}

}  // namespace

bool is_on() { return domain() != nullptr; }

bool push(const char* name) {
  if (!is_on()) return false;
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &event);
  return true;
}

void pop() { nvtxDomainRangePop(domain()); }

}  // namespace halyard::metrics::nvtx
