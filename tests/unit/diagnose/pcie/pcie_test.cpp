// iommu, pcie-link, relaxed-ordering, cxl: what the doctor says of the ways between devices, on written machines.
#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;

#define GPU "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:00.0/0000:43:00.0"
#define NIC "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:04.0/0000:44:00.0"

const Expected kLinks[] = {
    {"all at full speed", "roce_node", "", "pcie-link", Verdict::ok, {"16 GT/s x16"}},
    {"a NIC with half of its lanes",
     "roce_node",
     NIC "/current_link_width: 8",
     "pcie-link",
     Verdict::warn,
     {"8 of 16 possible lanes", "seat the card"}},
    {"a NIC below its speed",
     "dgx",
     "/sys/bus/pci/devices/0000:0c:00.0 -\npci 0000:0c:00.0 below=pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:08.0 "
     "class=020700 id=15b3:101b link=8x16/16x16",
     "pcie-link",
     Verdict::warn,
     {"8 of 16 possible GT/s"}},
    {"an idle GPU is no fault",
     "roce_node",
     GPU "/current_link_speed: 2.5 GT/s PCIe",
     "pcie-link",
     Verdict::unknown,
     {"2.5 of 16 GT/s", "idle"}},
    {"a link too small for its port",
     "roce_node",
     NIC "/current_link_speed: 8.0 GT/s PCIe\n" NIC "/max_link_speed: 8.0 GT/s PCIe",
     "pcie-link",
     Verdict::warn,
     {"126 Gb/s, the port 400"}},
    {"a virtual machine",
     "roce_node",
     NIC "/current_link_speed: Unknown\n" NIC "/max_link_speed: Unknown",
     "pcie-link",
     Verdict::unknown,
     {"virtual machine"}},
    {"no width", "roce_node", NIC "/current_link_width: 0", "pcie-link", Verdict::unknown, {}},
    {"neither GPU nor NIC", "cpu_node", "", "pcie-link", Verdict::not_applicable, {}},
};

const Expected kIommu[] = {
    {"passed through", "dgx", "", "iommu", Verdict::ok, {"passes addresses", "iommu=pt"}},
    {"off", "one_gpu_one_nic", "", "iommu", Verdict::ok, {"no IOMMU is on"}},
    {"one group translates",
     "roce_node",
     GPU "/iommu_group/type: DMA-FQ",
     "iommu",
     Verdict::warn,
     {"translates addresses of 0000:43:00.0", "iommu=pt"}},
    {"a type that may not be read",
     "roce_node",
     GPU "/iommu_group/type !",
     "iommu",
     Verdict::unknown,
     {"permission denied"}},
    {"a type that nobody knows", "roce_node", GPU "/iommu_group/type: blocked", "iommu", Verdict::unknown, {"blocked"}},
    {"neither GPU nor NIC", "cpu_node", "", "iommu", Verdict::not_applicable, {}},
};

const Expected kOrdering[] = {
    {"allowed", "roce_node", "", "relaxed-ordering", Verdict::ok, {"0x2930", "RlxdOrd+"}},
    {"off",
     "roce_node",
     "config 0000:44:00.0 68=2029",
     "relaxed-ordering",
     Verdict::warn,
     {"0x2920", "setpci -s 0000:44:00.0"}},
    {"64 bytes, as an ordinary user sees",
     "roce_node",
     NIC "/config: short",
     "relaxed-ordering",
     Verdict::unknown,
     {"6 bytes readable", "as root"}},
    {"no file", "dgx", "", "relaxed-ordering", Verdict::unknown, {"config: missing"}},
    {"a loop in the list of capabilities",
     "roce_node",
     "config 0000:44:00.0 34=60 60=0560 68=3029",
     "relaxed-ordering",
     Verdict::unknown,
     {"no PCI Express capability"}},
};

const Expected kCxl[] = {
    {"ordinary nodes", "dgx", "", "cxl", Verdict::not_applicable, {}},
    {"nodes of GPU memory", "power_domains", "", "cxl", Verdict::ok, {"node252 (16515072 kB)", "of GPUs, HBM or CXL"}},
    {"a CXL expander",
     "cpu_node",
     "/sys/bus/cxl/devices/mem0/\n/sys/devices/system/node/node2/cpulist:\n/sys/devices/system/node/node2/meminfo: "
     "Node 2 MemTotal: 134217728 kB",
     "cxl",
     Verdict::ok,
     {"(CXL): node2 (134217728 kB)", "membind"}},
    {"nodes that may not be listed",
     "cpu_node",
     "/sys/devices/system/node !",
     "cxl",
     Verdict::unknown,
     {"permission denied"}},
};

TEST(CheckPcieLink, ComparesWithWhatDeviceAndSlotCan) {
  for (const Expected& row : kLinks) expect(row);
}

TEST(CheckIommu, LooksAtTheGroupsOfGpusAndNics) {
  for (const Expected& row : kIommu) expect(row);
}

TEST(CheckRelaxedOrdering, ReadsDeviceControl) {
  for (const Expected& row : kOrdering) expect(row);
}

TEST(CheckCxl, NamesMemoryWithoutCpus) {
  for (const Expected& row : kCxl) expect(row);
}

}  // namespace
}  // namespace halyard::test
