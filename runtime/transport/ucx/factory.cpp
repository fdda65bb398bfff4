// The UCX backend of a build that found UCX: opens the worker and turns what it throws into a refusal.
#include "transport/ucx/factory.hpp"

#include "halyard/status.hpp"
#include "transport/ucx/probe.hpp"
#include "transport/ucx/registrar.hpp"
#include "transport/ucx/worker.hpp"

namespace halyard::transport::ucx {
namespace {

class LoneRegistrar final : public memory::Registrar {
 public:
  LoneRegistrar() : context_(open_context(*read_config())), registrar_(context_.get()) {}

  std::string name() const override { return describe_resources(context_.get()); }
  std::unique_ptr<memory::Registration> register_range(std::byte* base, std::size_t bytes,
                                                       memory::MemoryKind kind) override {
    return registrar_.register_range(base, bytes, kind);
  }
  std::unique_ptr<memory::Registration> allocate(std::size_t bytes) override { return registrar_.allocate(bytes); }

 private:
  ContextHandle context_;
  UcxRegistrar registrar_;
};

}  // namespace

std::unique_ptr<Worker> open_worker(const Settings& settings, std::string& refusal) {
  try {
    return std::make_unique<UcxWorker>(settings);
  } catch (const Error& error) {
    refusal = error.what();
    return nullptr;
  }
}

std::unique_ptr<memory::Registrar> open_registrar(std::string& refusal) {
  try {
    return std::make_unique<LoneRegistrar>();
  } catch (const Error& error) {
    refusal = error.what();
    return nullptr;
  }
}

bool is_thread_safe(const Worker& opened) { return static_cast<const UcxWorker&>(opened).is_thread_safe(); }

std::string describe(const Worker& opened) {
  return describe_resources(static_cast<const UcxWorker&>(opened).context());
}

std::uint64_t num_registrations() { return UcxRegistrar::num_registrations(); }

std::uint64_t registered_bytes() { return UcxRegistrar::registered_bytes(); }

}  // namespace halyard::transport::ucx
