// Heap: all emulated GPU memory of this process, own and mapped from peers, and the host memory that kernels may
// address.
//
// One per process, like the address space of a driver: every EmulatedDevice of the process sees it. Made at first use
// and never destroyed, so that blocks may be freed while the process ends. Thread-safe; twin() takes no lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "device/device.hpp"
#include "device/emulated/address_space.hpp"
#include "device/emulated/segment.hpp"

namespace halyard::device::emulated {

/// What is known of memory that kernels can address.
struct BlockFacts {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  int gpu = -1;  // physical number, -1 for host memory
  std::uint64_t id = 0;
  std::string why_not_exportable;
  std::string why_no_dma_buf = {};
};

class Heap {
 public:
  static Heap& of_process();

  /// Maps a segment; address and id of `wish` are filled in. With an address, that one is used: throws
  /// Error(invalid_argument) when it is taken.
  BlockFacts add(BlockFacts wish, Segment segment);
  /// False when no block begins at `address`.
  bool remove(const void* address);
  /// The name under which other processes find the block. Throws Error.
  std::string publish(const void* address);

  /// The block around `address`, as a file. Throws Error.
  base::FileDescriptor file_of(const void* address) const;

  /// Host memory that kernels may address from now on. Throws Error(invalid_argument) when part of it already is.
  void add_host(void* memory, std::size_t bytes);
  void remove_host(const void* memory);

  bool is_gpu_address(const void* address) const { return space_.contains(address); }
  /// The block around an address, or the registered host memory; nothing for other host memory and freed blocks.
  std::optional<BlockFacts> find(const void* address) const;
  /// Where the host may touch what lies at `address`; null when that is GPU memory and not allocated.
  std::byte* twin(const void* address) const;

 private:
  enum class State : std::uint8_t { unused, hidden, readable };
  struct Block {
    BlockFacts facts;
    Segment segment;
  };

  Heap() = default;
  std::byte* place(const BlockFacts& wish);
  void mark(const BlockFacts& facts, State state);

  mutable std::mutex mutex_;
  AddressSpace space_;
  std::map<const std::byte*, Block> blocks_;
  std::map<const std::byte*, BlockFacts> host_;
  std::uint64_t last_id_ = 0;
  std::array<std::atomic<State>, AddressSpace::kNumGranules> states_{};
};

}  // namespace halyard::device::emulated
