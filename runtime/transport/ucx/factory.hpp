// The UCX backend, as the rest of Halyard sees it. Called by the context while it sets up; knows no UCX header.
//
// Two twins implement it: factory.cpp where UCX was found, factory_absent.cpp where it was not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "memory/limits.hpp"
#include "transport/worker.hpp"

namespace halyard::memory {
class Registrar;
}

namespace halyard::transport::ucx {

struct Settings {
  bool needs_threads = false;  // MPI_THREAD_MULTIPLE is in force: several threads may call one worker
  memory::CacheLimits registrations = {};
  bool wishes_threads = false;  // a thread of ours would drive messages of GPUs, if this UCX allows
};

/// Opens UCX; on failure returns null and says why, in the words of a PathFact refusal.
std::unique_ptr<Worker> open_worker(const Settings& settings, std::string& refusal);

/// A registrar with a UCX context of its own, for benches; null with a refusal likewise.
std::unique_ptr<memory::Registrar> open_registrar(std::string& refusal);

/// Whether several threads may call an opened worker.
bool is_thread_safe(const Worker& opened);

/// What an opened worker may use, in words: "ucx 1.13.1: tcp on eth0 and lo, posix, self".
std::string describe(const Worker& opened);

/// Memory registrations made by this process so far (ucp_mem_map calls), for tests and metrics.
std::uint64_t num_registrations();
/// Bytes registered now.
std::uint64_t registered_bytes();

}  // namespace halyard::transport::ucx
