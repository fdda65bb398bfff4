// Window: what a rank tells a neighbor about its GPU memory: where messages land, and where its fields lie.
//
// Exchanged once, while binding. What cannot be exported is said with its reason.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "halyard/field.hpp"
#include "pack/compile.hpp"
#include "transport/channel.hpp"

namespace halyard::exchange::gpu {

/// This end of one link.
struct OwnWindow {
  const std::byte* arena = nullptr;  // landing memory; null: none to show
  std::uint64_t words_offset = 0;
  std::uint64_t landing_offset = 0;
  std::uint64_t slot_bytes = 0;
  std::span<const FieldView> views;
};

transport::Blob window_of(const OwnWindow& own, device::Device& device);

/// Bytes, at most 16, that divide the addresses and strides of all cells.
std::uint64_t alignment_of(std::span<const FieldView> views);

/// A peer's window, mapped for kernels on one GPU. Addresses are this process's.
struct PeerWindow {
  bool has_landing = false;
  std::string why_no_landing;
  std::uint64_t* words = nullptr;
  std::uint64_t landing = 0;
  std::uint64_t slot_bytes = 0;
  std::uint64_t alignment = 1;   // bytes that divide all of the fields' addresses and strides, at most 16
  bool has_whole_lines = false;  // packets arrive whole there
  bool has_fields = false;
  std::string why_no_fields;
  std::vector<pack::Grid> grids;  // [field * patches + patch]
  std::vector<std::shared_ptr<device::Mapping>> mappings;
};

/// Opens what can be opened; never throws for what the driver refuses.
PeerWindow open_window(std::span<const std::byte> window, device::Device& device, int ordinal);

}  // namespace halyard::exchange::gpu
