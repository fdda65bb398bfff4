// The verbs backend of a build that found libibverbs: opens the worker and turns what it throws into a refusal.
#include "transport/verbs/factory.hpp"

#include "halyard/status.hpp"
#include "transport/verbs/device/rail.hpp"
#include "transport/verbs/queue_pair.hpp"
#include "transport/verbs/registrar.hpp"
#include "transport/verbs/worker.hpp"

namespace halyard::transport::verbs {
namespace {

/// A registrar and the port that it needs.
class RailRegistrar final : public memory::Registrar {
 public:
  RailRegistrar() : rail_(choose_ports(list_ports(), {"", own_numa_node(), 0}).front(), Settings{}) {}

  std::string name() const override { return "verbs on " + rail_.name(); }
  std::unique_ptr<memory::Registration> register_range(std::byte* base, std::size_t bytes,
                                                       memory::MemoryKind kind) override {
    return rail_.registrar().register_range(base, bytes, kind);
  }

 private:
  Rail rail_;
};

}  // namespace

std::unique_ptr<Worker> open_worker(const Settings& settings, std::string& refusal) {
  try {
    return std::make_unique<VerbsWorker>(settings);
  } catch (const Error& error) {
    refusal = error.what();
    return nullptr;
  }
}

std::unique_ptr<memory::Registrar> open_registrar(std::string& refusal) {
  try {
    return std::make_unique<RailRegistrar>();
  } catch (const Error& error) {
    refusal = error.what();
    return nullptr;
  }
}

std::string describe(const Worker& opened) { return static_cast<const VerbsWorker&>(opened).describe(); }

std::string_view name_of(Fabric fabric) {
  switch (fabric) {
    case Fabric::ethernet:
      return "Ethernet";
    case Fabric::infiniband:
      return "InfiniBand";
    case Fabric::none:
      break;
  }
  return "none";
}

Fabric fabric_of(const Worker& opened) { return static_cast<const VerbsWorker&>(opened).fabric(); }

std::uint64_t num_registrations() { return Registration::num_made(); }

std::uint64_t num_queue_pairs() { return QueuePair::num_open(); }

}  // namespace halyard::transport::verbs
