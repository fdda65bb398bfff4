// The UCX backend of a build that found UCX: opens the worker and turns what it throws into a refusal.
#include "transport/ucx/factory.hpp"

#include "halyard/status.hpp"
#include "transport/ucx/probe.hpp"
#include "transport/ucx/registrar.hpp"
#include "transport/ucx/worker.hpp"

namespace halyard::transport::ucx {

std::unique_ptr<Worker> open_worker(const Settings& settings, std::string& refusal) {
  try {
    return std::make_unique<UcxWorker>(settings);
  } catch (const Error& error) {
    refusal = error.what();
    return nullptr;
  }
}

std::string describe(const Worker& opened) {
  return describe_resources(static_cast<const UcxWorker&>(opened).context());
}

std::uint64_t num_registrations() { return UcxRegistrar::num_registrations(); }

std::uint64_t registered_bytes() { return UcxRegistrar::registered_bytes(); }

}  // namespace halyard::transport::ucx
