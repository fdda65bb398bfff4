// VerbsWorker: the rails of one context, and the links of its channels. Owned by the context.
//
// Channels drive themselves. Opening, connecting and destroying them may happen in one thread while others drive
// theirs.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "transport/verbs/completions.hpp"
#include "transport/verbs/factory.hpp"
#include "transport/verbs/link.hpp"
#include "transport/worker.hpp"

namespace halyard::transport::verbs {

class VerbsWorker final : public Worker {
 public:
  /// Opens the rails and writes once from each to itself. Throws Error.
  explicit VerbsWorker(const Settings& settings);
  /// Waits for no peer longer than half a second. May run after MPI_Finalize.
  ~VerbsWorker() override;

  Path path() const override { return Path::verbs; }
  std::unique_ptr<Channel> open(const ChannelSpec& spec) override;
  void sweep() override;
  std::string why_no_gpu_slots() const override;
  std::size_t most_parts() const override;
  std::string why_pack(std::int64_t bytes, std::size_t num_parts) const override;

  memory::CacheCounters registrations() const override;

  std::string describe() const;
  Fabric fabric() const;

  // ---- for its channels --------------------------------------------------------------------------------------------

  const Settings& settings() const { return settings_; }
  std::unique_ptr<Link> make_link(const ChannelSpec& spec, slab::Layout layout);
  void retire(std::unique_ptr<Link> link);

 private:
  void prove_rails();

  // In the order in which they are opened.
  Settings settings_;
  Rails rails_;
  std::mutex set_up_;                                                // what follows; never taken on the data path
  std::map<std::uint64_t, std::weak_ptr<Completions>> completions_;  // by binding
  std::vector<std::unique_ptr<Link>> retired_;
};

}  // namespace halyard::transport::verbs
