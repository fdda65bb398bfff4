// PciTree: the PCI devices of a root, each with the bridges above it. Read from /sys/bus/pci/devices, whose links spell
// the whole way from the host bridge; nothing is guessed from the numbers of buses. Pure data after reading.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/root.hpp"

namespace halyard::topology {

/// The domain is part of the address: 0001:00:00.0 and 0002:00:00.0 are two devices (Power, Azure, VMD's 10000).
struct PciAddress {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  std::uint32_t device = 0;
  std::uint32_t function = 0;

  auto operator<=>(const PciAddress&) const = default;
};

/// "0000:41:00.0"
std::string text_of(const PciAddress& address);
/// Reads "0000:41:00.0" and nvidia-smi's "00000000:41:00.0", and "41:00.0" as of domain 0.
std::optional<PciAddress> pci_address_in(std::string_view text);

struct PciDevice {
  PciAddress address;
  std::string sysfs;                // /sys/bus/pci/devices/0000:41:00.0
  std::string host_bridge;          // "pci0000:40"; empty when the place in the tree is not known
  std::vector<PciAddress> bridges;  // from the root port down to the last one above the device
  std::uint32_t class_code = 0;     // 0x030200
  std::uint32_t vendor = 0;         // 0x10de; 0: could not be read
  std::uint32_t device = 0;
  int numa_node = -1;  // -1: the firmware does not say
  bool is_virtual_function = false;
  std::string driver;  // "nvidia", "mlx5_core"; empty: none
};

/// An NVIDIA GPU (class 0x0300 or 0x0302). A display adapter of others is none for us.
bool is_gpu(const PciDevice& device);
bool is_bridge(const PciDevice& device);
/// A network adapter that can do RDMA as far as its vendor and class say, whether or not its driver is there.
bool is_rdma_adapter(const PciDevice& device);

struct PciTree {
  std::vector<PciDevice> devices;                 // sorted by address
  facts::Access access = facts::Access::missing;  // of the list itself
  bool is_cut = false;

  const PciDevice* find(const PciAddress& address) const;
};

PciTree read_pci_tree(const facts::Root& root);

}  // namespace halyard::topology
