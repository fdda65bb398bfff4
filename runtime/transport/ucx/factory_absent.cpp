// The UCX backend of a build that found no UCX: it refuses, in words.
#include "memory/registrar.hpp"
#include "transport/ucx/factory.hpp"

namespace halyard::transport::ucx {

std::unique_ptr<Worker> open_worker(const Settings&, std::string& refusal) {
  refusal = "built without UCX";
  return nullptr;
}

std::unique_ptr<memory::Registrar> open_registrar(std::string& refusal) {
  refusal = "built without UCX";
  return nullptr;
}

bool is_thread_safe(const Worker&) { return false; }

std::string describe(const Worker&) { return "built without UCX"; }

std::uint64_t num_registrations() { return 0; }

std::uint64_t registered_bytes() { return 0; }

}  // namespace halyard::transport::ucx
