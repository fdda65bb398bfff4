// read_topo: saved topologies of three kinds, whole, cut off, run together and huge.
#include "topology/file/topo_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace halyard::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Two sockets; each with a switch that holds a GPU and a NIC, and the second with one more NIC on a root port of its
// own.
const char* const kHwloc = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0">
    <info name="Note" value="a &lt;b&gt; &amp; c"/>
    <object type="Package" os_index="0">
      <object type="NUMANode" os_index="0"><page_type size="4096" count="1"/></object>
      <object type="Core" os_index="0"><object type="PU" os_index="0"/></object>
      <object type="Bridge" bridge_type="0-1" bridge_pci="0000:[00-0f]">
        <object type="Bridge" bridge_type="1-1" pci_busid="0000:00:01.0">
          <object type="Bridge" bridge_type="1-1" pci_busid="0000:01:00.0">
            <object type="Bridge" bridge_type="1-1" pci_busid="0000:02:00.0">
              <object type="PCIDev" pci_busid="0000:03:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1"/>
            </object>
            <object type="Bridge" bridge_type="1-1" pci_busid="0000:02:01.0">
              <object type="PCIDev" pci_busid="0000:04:00.0" pci_type="0207 [15b3:1021] [15b3:0041] 00">
                <object type="OSDev" name="ib0" osdev_type="2"/>
                <object type="OSDev" name="mlx5_0" osdev_type="3"/>
              </object>
            </object>
          </object>
        </object>
      </object>
    </object>
    <object type="Package" os_index="1">
      <object type="NUMANode" os_index="1"/>
      <object type="Bridge" bridge_type="0-1" bridge_pci="0000:[80-8f]">
        <object type="Bridge" bridge_type="1-1" pci_busid="0000:80:01.0">
          <object type="PCIDev" pci_busid="0000:81:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1"/>
        </object>
        <object type="Bridge" bridge_type="1-1" pci_busid="0000:80:02.0">
          <object type="PCIDev" pci_busid="0000:82:00.0" pci_type="0207 [15b3:1021] [15b3:0041] 00">
            <object type="OSDev" name="mlx5_1" osdev_type="3"/>
          </object>
        </object>
      </object>
    </object>
  </object>
</topology>
)";

const char* const kNccl = R"(<system version="1">
  <cpu numaid="0" affinity="ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
    <pci busid="0000:01:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:03:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1"><nvlink target="0000:07:00.0" count="18" tclass="0x068000"/></gpu>
      </pci>
      <pci busid="0000:04:00.0" class="0x020700" link_speed="32.0 GT/s PCIe" link_width="16">
        <nic><net name="mlx5_0" dev="0" speed="400000" port="1"/></nic>
      </pci>
      <pci busid="0000:05:00.0" class="0x060400">
        <pci busid="0000:06:00.0" class="0x020700"><nic><net name="mlx5_2" dev="2"/></nic></pci>
      </pci>
    </pci>
  </cpu>
  <cpu numaid="1" affinity="ff00">
    <pci busid="0000:81:00.0" class="0x030200">
      <gpu dev="1" sm="90" rank="1"><nvlink target="0000:07:00.0" count="18" tclass="0x068000"/></gpu>
    </pci>
    <nic><net name="mlx5_9" dev="9"/></nic>
  </cpu>
</system>
)";

const char* const kSmi =
    "\t\033[4mGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\033[0m\n"
    "GPU0\t X \tNV18\tPXB\tSYS\t0-55\t0\t\tN/A\n"
    "GPU1\tNV18\t X \tSYS\tPIX\t56-111\t1\t\tN/A\n"
    "NIC0\tPXB\tSYS\t X \tSYS\n"
    "NIC1\tSYS\tPIX\tSYS\t X \n"
    "\nLegend:\n\n  X    = Self\n  PIX  = at most one bridge\n"
    "\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n";

std::vector<std::string> distances(const TopoFile& file) {
  std::vector<std::string> texts;
  for (std::size_t gpu = 0; gpu < file.topology.gpus.size(); ++gpu)
    for (std::size_t nic = 0; nic < file.topology.nics.size(); ++nic)
      texts.push_back(file.topology.gpus[gpu].name + " " + file.topology.nics[nic].name + " " +
                      std::string(name_of(file.topology.to_nic[gpu][nic])));
  return texts;
}

TEST(TopoFile, ReadsHwlocsXml) {
  const TopoFile file = read_topo(kHwloc);
  EXPECT_EQ(file.format, "hwloc XML");
  EXPECT_THAT(file.troubles, IsEmpty());
  EXPECT_THAT(distances(file), ElementsAre("GPU0 mlx5_0 PIX", "GPU0 mlx5_1 SYS", "GPU1 mlx5_0 SYS", "GPU1 mlx5_1 PHB"));
  EXPECT_EQ(file.topology.gpus[1].numa_node, 1);
  EXPECT_EQ(file.topology.num_numa_nodes, 2);
}

TEST(TopoFile, ReadsNcclsXmlWithItsSwitchesAndNvlinks) {
  const TopoFile file = read_topo(kNccl);
  EXPECT_EQ(file.format, "NCCL XML");
  EXPECT_THAT(file.troubles, IsEmpty());
  EXPECT_THAT(distances(file), ElementsAre("GPU0 mlx5_0 PIX", "GPU0 mlx5_2 PXB", "GPU0 mlx5_9 SYS", "GPU1 mlx5_0 SYS",
                                           "GPU1 mlx5_2 SYS", "GPU1 mlx5_9 PHB"));
  EXPECT_THAT(file.nvlinks, ElementsAre("GPU0-GPU1")) << "both lead to one switch";
}

TEST(TopoFile, ReadsTheTableOfNvidiaSmi) {
  const TopoFile file = read_topo(kSmi);
  EXPECT_EQ(file.format, "nvidia-smi topo -m");
  EXPECT_THAT(file.troubles, IsEmpty());
  EXPECT_THAT(distances(file), ElementsAre("GPU0 mlx5_0 PXB", "GPU0 mlx5_1 SYS", "GPU1 mlx5_0 SYS", "GPU1 mlx5_1 PIX"));
  EXPECT_THAT(file.nvlinks, ElementsAre("GPU0-GPU1"));
  EXPECT_THAT(text_of(file), HasSubstr("ok: every GPU has a NIC on its socket\n  GPU0: mlx5_0 (PXB)"));
}

TEST(TopoFile, TellsColumnsApartThatRunTogetherAndNamesThem) {
  const TopoFile file = read_topo(
      "GPU0GPU1mlx5_0mlx5_1CPU Affinity\n"
      "GPU0 XNV12PXBSYS0-55 0\n"
      "GPU1NV12 XSYSSYS56-111 1\n"
      "mlx5_0PXBSYS XSYS\n"
      "mlx5_1SYSSYSSYS X\n");
  EXPECT_THAT(distances(file), ElementsAre("GPU0 mlx5_0 PXB", "GPU0 mlx5_1 SYS", "GPU1 mlx5_0 SYS", "GPU1 mlx5_1 SYS"));
  EXPECT_THAT(text_of(file), HasSubstr("warn: the nearest NIC is on another socket for GPU1"));
  ASSERT_THAT(file.troubles, SizeIs(1));
  EXPECT_THAT(file.troubles[0], HasSubstr("SYSSYS"));
}

TEST(TopoFile, CountsWhatATableLacksAsUnknown) {
  const TopoFile file = read_topo("GPU0 GPU1 NIC0\nGPU0 X PIX\n");
  EXPECT_THAT(distances(file), ElementsAre("GPU0 NIC0 unknown", "GPU1 NIC0 unknown"));
  EXPECT_THAT(text_of(file), HasSubstr("unknown: how far a NIC is from GPU0, GPU1"));
  EXPECT_THAT(file.troubles, ElementsAre(HasSubstr("row GPU0: 2 cells for 3 columns"), HasSubstr("no row GPU1"),
                                         HasSubstr("no row NIC0")));
}

TEST(TopoFile, SurvivesXmlThatEndsAnywhere) {
  for (const std::string text : {kHwloc, kNccl})
    for (std::size_t length = 0; length < text.size(); ++length) {
      const TopoFile file = read_topo(std::string_view(text).substr(0, length));
      const bool is_whole = length > text.rfind('>');
      EXPECT_EQ(file.troubles.empty(), is_whole) << length;
      EXPECT_LE(file.topology.gpus.size(), 2u);
      EXPECT_EQ(file.topology.to_nic.size(), file.topology.gpus.size());
    }
}

TEST(TopoFile, WhatIsNoTopologySaysHowToWriteOne) {
  for (const char* const text : {"", "hello", "<html></html>"}) {
    const TopoFile file = read_topo(text);
    EXPECT_EQ(file.format, "");
    ASSERT_THAT(file.troubles, SizeIs(1));
    EXPECT_THAT(file.troubles[0], HasSubstr("lstopo"));
  }
}

TEST(TopoFile, BoundsWhatIsHugeAndSaysSo) {
  std::string deep = "<topology>";
  for (int i = 0; i < 100'000; ++i) deep += "<object type=\"Bridge\">";
  EXPECT_THAT(read_topo(deep).troubles, ElementsAre(HasSubstr("too deep")));
  std::string wide = "<system>";
  for (int i = 0; i < 3000; ++i) wide += "<net name=\"n\"/><gpu dev=\"1\"/>";
  wide += "</system>";
  const TopoFile file = read_topo(wide);
  EXPECT_THAT(file.topology.gpus, SizeIs(kMaxTopoDevices));
  EXPECT_THAT(file.troubles, testing::Contains(HasSubstr("the rest is left out")));
  EXPECT_THAT(read_topo("<topology>" + std::string(kMaxTopoBytes, ' ')).troubles,
              testing::Contains(HasSubstr("16 MiB")));
}

}  // namespace
}  // namespace halyard::topology
