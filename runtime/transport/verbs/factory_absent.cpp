// The verbs backend of a build that found no libibverbs: it refuses, in words.
#include "memory/registrar.hpp"
#include "transport/verbs/device/gpu_trial.hpp"
#include "transport/verbs/factory.hpp"

namespace halyard::transport::verbs {

std::unique_ptr<Worker> open_worker(const Settings&, std::string& refusal) {
  refusal = "built without libibverbs";
  return nullptr;
}

std::unique_ptr<memory::Registrar> open_registrar(std::string& refusal) {
  refusal = "built without libibverbs";
  return nullptr;
}

std::string describe(const Worker&) { return "built without libibverbs"; }

std::string_view name_of(Fabric) { return "none"; }

Fabric fabric_of(const Worker&) { return Fabric::none; }

std::string try_gpu_memory(device::Device&) {
  throw Error(StatusCode::not_supported, "register GPU memory with a NIC: built without libibverbs");
}

std::uint64_t num_registrations() { return 0; }

std::uint64_t num_queue_pairs() { return 0; }

}  // namespace halyard::transport::verbs
