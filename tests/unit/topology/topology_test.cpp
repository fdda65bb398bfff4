// The PCI tree, distances and rails of written machines, and of what is damaged in them.
#include "topology/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine/tree_text.hpp"
#include "topology/config_space.hpp"
#include "topology/rails.hpp"

namespace halyard::topology {
namespace {

Topology topology_in(const facts::Root& root) {
  return topology_of(read_pci_tree(root), read_rdma_devices(root), count_numa_nodes(root));
}

Topology topology_in(const std::string& name, std::string_view changes = {}) {
  return topology_in(*test::fixture(name, changes));
}

// What nidia-smi's table would show, a line per GPU.
std::vector<std::string> lines_of(const Topology& topology) {
  std::vector<std::string> lines;
  for (std::size_t g = 0; g < topology.gpus.size(); ++g) {
    std::string& line = lines.emplace_back();
    for (const Distance distance : topology.to_gpu[g]) line += std::string(name_of(distance)) + " ";
    line += "|";
    for (const Distance distance : topology.to_nic[g]) line += " " + std::string(name_of(distance));
  }
  return lines;
}

std::vector<int> nics_of(const Topology& topology) {
  std::vector<int> nics;
  for (const Rail& rail : assign_rails(topology)) nics.push_back(rail.nic ? static_cast<int>(*rail.nic) : -1);
  return nics;
}

TEST(PciAddress, IsReadInAllSpellings) {
  EXPECT_EQ(pci_address_in("0000:41:00.0"), (PciAddress{0, 0x41, 0, 0}));
  EXPECT_EQ(pci_address_in("00000000:41:00.0"), (PciAddress{0, 0x41, 0, 0}));
  EXPECT_EQ(pci_address_in("41:1f.7"), (PciAddress{0, 0x41, 0x1f, 7}));
  EXPECT_EQ(pci_address_in("10000:00:02.0"), (PciAddress{0x10000, 0, 2, 0}));
  for (const char* text :
       {"", "0000:41:00", "0000:41:20.0", "0000:41:00.8", "0:0:0:0.0", "x:41:00.0", "100:00.0", "41.0"})
    EXPECT_EQ(pci_address_in(text), std::nullopt) << text;
  EXPECT_EQ(text_of({0x10000, 0xb3, 0x1f, 1}), "10000:b3:1f.1");
}

TEST(Distance, FollowsTheWholeWayAndNotTheNumbers) {
  EXPECT_EQ(topology_in("roce_node").to_nic[0][0], Distance::pix);
  EXPECT_EQ(topology_in("one_gpu_one_nic").to_nic[0][0], Distance::phb);
  EXPECT_EQ(topology_in("far_nic").to_nic[0][0], Distance::sys);
  EXPECT_EQ(topology_in("far_nic", "/sys/devices/system/node/online: 0").to_nic[0][0], Distance::node);
  EXPECT_EQ(topology_in("far_nic", "/sys/devices/pci0000:17/0000:17:00.0/0000:18:00.0/numa_node: -1").to_nic[0][0],
            Distance::unknown);
  EXPECT_EQ(lines_of(topology_in("dgx"))[0], "PIX PXB SYS SYS SYS SYS SYS SYS | PXB PXB SYS SYS SYS SYS SYS SYS");
  EXPECT_EQ(lines_of(topology_in("power_domains"))[1], "NODE PIX SYS SYS | NODE NODE")
      << "0004:01:00.0 and 0006:01:00.0 are two devices";
}

TEST(Rails, SpreadTiesAndKeepToTheNear) {
  using testing::ElementsAre;
  EXPECT_THAT(nics_of(topology_in("dgx")), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(nics_of(topology_in("hgx_reversed")), ElementsAre(6, 7, 4, 5, 2, 3, 0, 1));
  EXPECT_THAT(nics_of(topology_in("cloud_switchless")), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(nics_of(topology_in("one_nic_eight_gpus")), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(nics_of(topology_in("one_gpu_one_nic", "rdma mlx5_0 pci=0000:02:00.0 state=DOWN")), ElementsAre(-1));
}

// The same machine with 1 to 8 of its NICs: no NIC serves more than it must.
TEST(Rails, AreSpreadWhateverTheNumberOfNics) {
  Topology topology = topology_in("cloud_switchless");
  for (auto& row : topology.to_nic) std::fill(row.begin(), row.end(), Distance::node);
  for (std::size_t num_nics = 8; num_nics >= 1; --num_nics) {
    for (std::size_t n = num_nics; n < 8; ++n) topology.nics[n].is_active = false;
    std::vector<std::size_t> served(8);
    for (const int nic : nics_of(topology)) ++served.at(static_cast<std::size_t>(nic));
    EXPECT_EQ(*std::max_element(served.begin(), served.end()), (8 + num_nics - 1) / num_nics) << num_nics;
  }
}

TEST(Rails, PreferTheFasterOfEquallyNear) {
  Topology topology = topology_in("dgx");
  topology.nics[1].gbit_s = 400;
  EXPECT_EQ(nics_of(topology)[0], 1);
  EXPECT_EQ(nics_of(topology)[1], 1);
}

TEST(PciTree, KeepsWhatItCanOfDamagedMachines) {
  const auto tree =
      test::fixture("roce_node",
                    "/sys/bus/pci/devices/not-an-address -> ../../../devices\n"
                    "/sys/bus/pci/devices/0000:99:00.0 -> ../../../devices/nowhere\n"
                    "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:00.0/0000:43:00.0/numa_node: many\n"
                    "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:04.0/0000:44:00.0/class !");
  const PciTree pci = read_pci_tree(*tree);
  EXPECT_EQ(pci.devices.size(), 7U);
  EXPECT_EQ(pci.find({0, 0x43, 0, 0})->numa_node, -1);
  EXPECT_EQ(pci.find({0, 0x44, 0, 0})->class_code, 0U);
  EXPECT_EQ(pci.find({0, 0x99, 0, 0})->host_bridge, "");
  EXPECT_EQ(pci.find({0, 0x98, 0, 0}), nullptr);
}

TEST(NumaNodes, AreUnknownWhereTheyCannotBeRead) {
  EXPECT_EQ(count_numa_nodes(*test::tree_of("/sys/devices/system/node/online: 0,8,252-255")), 6);
  EXPECT_EQ(count_numa_nodes(*test::tree_of("/sys/devices/system/cpu/online: 0-3")), 1);
  EXPECT_EQ(count_numa_nodes(*test::tree_of("/sys/devices/system/node/online: x")), 0);
  EXPECT_EQ(count_numa_nodes(*test::tree_of("/sys/devices/system/node/online !")), 0);
  EXPECT_EQ(count_numa_nodes(*test::tree_of("")), 0);
}

TEST(ConfigSpace, EndsOnLoopsAndShortReads) {
  EXPECT_EQ(acs_control(ConfigSpace("")), std::nullopt);
  std::string loop(4096, '\0');
  loop[0x100] = 1, loop[0x102] = 0x01, loop[0x103] = 0x10;  // its next is itself
  EXPECT_EQ(acs_control(ConfigSpace(loop)), std::nullopt);
  std::string acs(0x108, '\0');
  acs[0x100] = 0x0d, acs[0x106] = 0x1d;
  EXPECT_EQ(acs_control(ConfigSpace(acs)), 0x1d);
  EXPECT_EQ(acs_control(ConfigSpace(acs.substr(0, 0x107))), std::nullopt);
  EXPECT_EQ(acs_text(0x1d), "SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-");
}

}  // namespace
}  // namespace halyard::topology
