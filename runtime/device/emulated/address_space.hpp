// AddressSpace: where emulated GPU memory lies in this process.
//
// One reservation of unreadable pages, in two windows of equal size: addresses in the first are "device" addresses and
// stay unreadable; the same offset in the second, at a constant distance, is the hidden twin where pages get mapped.
// Blocks are found by next fit, so that a freed address is not used again soon unless asked for. Unreadable granules
// lie between blocks. Not thread-safe; Heap locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace halyard::device::emulated {

class AddressSpace {
 public:
  static constexpr std::size_t kGranule = std::size_t{64} << 10;
  static constexpr std::size_t kWindow = std::size_t{64} << 30;
  static constexpr std::size_t kNumGranules = kWindow / kGranule;

  /// Throws Error(out_of_resources).
  AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  bool contains(const void* address) const { return offset_of(address) < kWindow; }
  std::size_t granule_of(const void* address) const { return offset_of(address) / kGranule; }
  std::byte* twin_of(const void* address) const { return base_ + kWindow + offset_of(address); }

  /// An address for a block; bytes > 0. Throws Error(out_of_resources).
  std::byte* take(std::size_t bytes);
  /// The same, at an address that was free. Null when it is not.
  std::byte* take_at(std::byte* address, std::size_t bytes);
  /// Makes both windows unreadable there, and free.
  void give_back(std::byte* address, std::size_t bytes);

  static std::size_t granules_for(std::size_t bytes) { return (bytes + kGranule - 1) / kGranule; }

 private:
  using Free = std::map<std::size_t, std::size_t>;  // first granule -> number of granules

  std::size_t offset_of(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base_);
  }
  Free::iterator find_room(std::size_t count);
  void carve(Free::iterator range, std::size_t first, std::size_t count);

  std::byte* base_ = nullptr;
  Free free_;
  std::size_t next_ = 0;  // where the search begins
};

}  // namespace halyard::device::emulated
