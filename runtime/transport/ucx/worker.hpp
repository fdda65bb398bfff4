// UcxWorker: one UCX context with one worker and an endpoint for each peer that has a channel. Owned by the context.
//
// Opening, connecting and destroying channels may happen in one thread while others drive theirs, when the settings say
// that threads are needed. Links of destroyed channels are kept here until both ends are done with them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "memory/cache.hpp"
#include "transport/ucx/endpoint.hpp"
#include "transport/ucx/factory.hpp"
#include "transport/ucx/link.hpp"
#include "transport/ucx/registrar.hpp"

namespace halyard::transport::ucx {

/// Throws Error(not_supported).
ContextHandle open_context(const ucp_config_t& config);

class UcxWorker final : public Worker {
 public:
  /// Throws Error(not_supported) when UCX cannot be opened.
  explicit UcxWorker(const Settings& settings);
  /// Waits for no peer longer than half a second. May run after MPI_Finalize.
  ~UcxWorker() override;

  Path path() const override { return Path::ucx; }
  std::unique_ptr<Channel> open(const ChannelSpec& spec) override;
  void progress() override;
  void sweep() override;
  memory::CacheCounters registrations() const override { return cache_->counters(); }
  std::optional<std::string> loss_of(int peer) const override;

  bool is_thread_safe() const { return is_thread_safe_; }

  // ---- for its channels --------------------------------------------------------------------------------------------

  ucp_context_h context() const { return context_.get(); }
  const UcxRegistrar& registrar() const { return *registrar_; }
  std::span<const std::byte> address() const;
  std::unique_ptr<Link> make_link(slab::Layout layout);
  const Endpoint& endpoint_to(int peer, std::span<const std::byte> address);
  RemoteKey unpack_key(const Endpoint& endpoint, std::span<const std::byte> packed) const;
  void retire(std::unique_ptr<Link> link);

 private:
  void accept_messages();
  void end_in_order();

  // In the order in which they are opened. The destructor body closes the endpoints and the worker by itself: memory
  // of retired links may go only when nothing can write to it any more.
  ContextHandle context_;
  std::unique_ptr<UcxRegistrar> registrar_;
  std::unique_ptr<memory::Cache> cache_;
  std::vector<std::unique_ptr<Link>> retired_;
  WorkerHandle worker_;
  WorkerAddress address_;
  std::size_t address_bytes_ = 0;
  bool is_thread_safe_ = false;
  Ordering ordering_ = Ordering::flush;
  mutable std::mutex set_up_;  // endpoints_ and retired_; never taken on the data path
  std::map<int, Endpoint> endpoints_;
};

}  // namespace halyard::transport::ucx
