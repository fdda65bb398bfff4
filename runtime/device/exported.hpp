// Exported: what travels from the owner of GPU memory to a peer that maps it. Both twins write the same form; what the
// driver calls the allocation lies in `handle`.
//
// A driver's handle stands for a whole allocation (field case M04), so base, size and offset travel beside it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "device/process_identity.hpp"

namespace halyard::device {

struct Exported {
  ProcessIdentity process;
  Uuid uuid{};                  // of the GPU on which the memory lies
  std::uint64_t buffer_id = 0;  // in the owner's process
  std::uint64_t base = 0;       // of the allocation, in the owner's process
  std::uint64_t bytes = 0;      // of the allocation
  std::uint64_t offset = 0;     // of the exported byte in the allocation
  std::array<char, 96> handle{};
};

/// `kind` is that of the twin, "cuda" or "emulated".
std::vector<std::byte> encode(std::string_view kind, const Exported& exported);

/// Throws Error(invalid_argument) when the bytes are not what encode() of the same kind and version writes.
Exported decode(std::string_view kind, std::span<const std::byte> bytes);

}  // namespace halyard::device
