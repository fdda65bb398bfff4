// Openings: peers' allocations that are mapped here, each once, until the last Mapping of it is gone.
//
// Owned by a Device; mappings keep what they need alive by themselves, so they may outlive it. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "device/device.hpp"
#include "device/process_identity.hpp"

namespace halyard::device {

/// A whole allocation, mapped; its destructor unmaps. The twins derive from it.
class Opening {
 public:
  Opening() = default;
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;
  virtual ~Opening() = default;
  virtual std::byte* base() const = 0;
};

/// What makes two exports the same allocation, seen from a GPU of ours.
struct OpeningKey {
  ProcessIdentity process;
  std::uint64_t buffer_id = 0;
  int ordinal = 0;
  std::uint64_t life = 0;  // of that GPU: what was mapped before a reset is gone

  friend auto operator<=>(const OpeningKey&, const OpeningKey&) = default;
};

class Openings {
 public:
  using Make = std::function<std::shared_ptr<Opening>()>;

  /// The byte at `offset` of the allocation, which `make` maps unless it is mapped already.
  std::shared_ptr<Mapping> open(const OpeningKey& key, std::size_t offset, const Make& make);

 private:
  std::mutex mutex_;
  std::map<OpeningKey, std::weak_ptr<Opening>> open_;
};

/// Memory of this very process: nothing is mapped, and it is the owner's to keep alive.
std::shared_ptr<Mapping> direct_mapping(std::byte* data);

}  // namespace halyard::device
