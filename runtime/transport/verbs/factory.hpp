// The direct-verbs backend, as the rest of Halyard sees it. Called by the context while it sets up; knows no verbs
// header.
//
// Two twins implement it: factory.cpp where libibverbs was found, factory_absent.cpp where it was not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "device/device.hpp"
#include "halyard/options.hpp"
#include "memory/limits.hpp"
#include "transport/worker.hpp"

namespace halyard::memory {
class Registrar;
}

namespace halyard::transport::verbs {

struct Settings {
  VerbsOptions options;
  int rank_on_node = 0;  // spreads ranks over equally good ports
  memory::CacheLimits registrations = {};
  std::shared_ptr<device::Device> device = {};  // whose memory may be registered too; null: host memory only
};

/// Opens the device, or devices, and proves that they work by a write to themselves. On failure returns null and says
/// why, in the words of a PathFact refusal.
std::unique_ptr<Worker> open_worker(const Settings& settings, std::string& refusal);

/// A registrar on a port of its own, for benches; null with a refusal likewise.
std::unique_ptr<memory::Registrar> open_registrar(std::string& refusal);

/// What an opened worker uses, in words: "rxe0:1, RoCE v2 GID 1 (10.77.0.1), MTU 4096".
std::string describe(const Worker& opened);

/// What an opened worker's ports are part of; only ports of one fabric can reach each other.
enum class Fabric : std::uint8_t { none, ethernet, infiniband };
std::string_view name_of(Fabric fabric);
Fabric fabric_of(const Worker& opened);

/// Memory registrations made by this process so far (ibv_reg_mr calls), for tests and metrics.
std::uint64_t num_registrations();
/// Queue pairs that are open now.
std::uint64_t num_queue_pairs();

}  // namespace halyard::transport::verbs
