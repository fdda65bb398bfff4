// Field cases that the doctor must tell apart, on written machines: N01, N05, K01, K02, K04.
#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;

void expect_all(std::initializer_list<Expected> rows) {
  for (const Expected& row : rows) expect(row);
}

#define GIDS \
  "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:04.0/0000:44:00.0/infiniband/mlx5_0/ports/1/gids"
#define TYPES                                                                                                        \
  "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:04.0/0000:44:00.0/infiniband/mlx5_0/ports/1/gid_attrs/" \
  "types"

TEST(FieldCase, N01TheDoctorChoosesAGidByWhatTheRowsSay) {
  expect_all({
      {"pairs of v1 and v2: the routable v2",
       "roce_node",
       "",
       "gid",
       Verdict::ok,
       {"mlx5_0:1", "RoCE v2 GID 3 (10.1.2.3)"}},
      {"soft-RoCE with a link-local row first", "soft_roce_vm", "", "gid", Verdict::ok, {"RoCE v2 GID 1 (10.77.0.1)"}},
      {"RoCE v1 only", "roce_node", GIDS "/1 -\n" GIDS "/3 -", "gid", Verdict::warn, {"RoCE v1", "cma_roce_mode"}},
      {"link-local only", "roce_node", GIDS "/2 -\n" GIDS "/3 -", "gid", Verdict::warn, {"link-local", "ip addr add"}},
      {"no address",
       "roce_node",
       GIDS "/0 -\n" GIDS "/1 -\n" GIDS "/2 -\n" GIDS "/3 -",
       "gid",
       Verdict::fail,
       {"no usable GID", "eth2"}},
      {"an unreadable row is named and the rest is used",
       "roce_node",
       GIDS "/1 !",
       "gid",
       Verdict::ok,
       {"gids/1: permission denied", "GID 3"}},
      {"an unreadable table",
       "roce_node",
       GIDS "/0 !\n" GIDS "/1 !\n" GIDS "/2 !\n" GIDS "/3 !",
       "gid",
       Verdict::unknown,
       {}},
      {"a row without type is left out", "roce_node", TYPES "/3 -", "gid", Verdict::warn, {"gids/3", "left out"}},
      {"a damaged row is left out",
       "roce_node",
       GIDS "/3: 0000:0000:0000:0000:0000:ffff:zzzz:0203",
       "gid",
       Verdict::warn,
       {"left out"}},
      {"a variable that names the same row is fine", "roce_node", "env NCCL_IB_GID_INDEX=3", "gid", Verdict::ok, {}},
      {"a variable that names a worse row",
       "roce_node",
       "env NCCL_IB_GID_INDEX=0",
       "gid",
       Verdict::warn,
       {"NCCL_IB_GID_INDEX takes RoCE v1 GID 0", "set it to 3"}},
      {"a variable that names an empty row",
       "roce_node",
       "env UCX_IB_GID_INDEX=7",
       "gid",
       Verdict::fail,
       {"UCX_IB_GID_INDEX takes row 7, which is empty"}},
      {"InfiniBand needs no choice", "dgx", "", "gid", Verdict::not_applicable, {}},
  });
}

TEST(FieldCase, N05EachGpuGetsTheNicNearIt) {
  expect_all({
      {"pairs behind one switch, spread",
       "dgx",
       "",
       "rails",
       Verdict::ok,
       {"GPU0 (0000:08:00.0) -> mlx5_0 PXB, as near: mlx5_1", "GPU1 (0000:09:00.0) -> mlx5_1 PXB",
        "GPU7 (0000:69:00.0) -> mlx5_7 PXB"}},
      {"NICs numbered from the other end",
       "hgx_reversed",
       "",
       "rails",
       Verdict::ok,
       {"GPU0 (0000:08:00.0) -> mlx5_6 PXB", "GPU1 (0000:09:00.0) -> mlx5_7 PXB", "GPU6 (0000:b8:00.0) -> mlx5_0 PXB"}},
      {"every choice a tie, each NIC once",
       "h100_pairs",
       "",
       "rails",
       Verdict::ok,
       {"-> mlx5_0 PIX", "-> mlx5_1 PIX", "-> mlx5_2 PIX", "-> mlx5_3 PIX", "-> mlx5_4 PIX", "-> mlx5_5 PIX",
        "-> mlx5_6 PIX", "-> mlx5_7 PIX"}},
  });
}

TEST(FieldCase, N05AGpuWithoutANicNearItIsNamed) {
  expect_all({
      {"one NIC for eight GPUs, half of them far",
       "one_nic_eight_gpus",
       "",
       "rails",
       Verdict::warn,
       {"GPU4, GPU5, GPU6 and GPU7 have no NIC on the own socket", "GPU0 (0001:00:00.0) -> mlx5_0 NODE",
        "GPU7 (0008:00:00.0) -> mlx5_0 SYS"}},
      {"one NIC for four GPUs of one socket",
       "dgx",
       "rdma mlx5_1 pci=0000:0d:00.0 state=DOWN\nrdma mlx5_0 pci=0000:0c:00.0 state=DOWN",
       "rails",
       Verdict::warn,
       {"GPU0 and GPU1 have no NIC on the own socket"}},
      {"the NIC on the other socket",
       "far_nic",
       "",
       "rails",
       Verdict::warn,
       {"GPU0 has no NIC on the own socket", "-> mlx5_0 SYS"}},
      {"no switches to see: spread over the socket's NICs",
       "cloud_switchless",
       "",
       "rails",
       Verdict::ok,
       {"GPU0 (0001:00:00.0) -> mlx5_0 NODE", "GPU3 (0008:00:00.0) -> mlx5_3 NODE",
        "GPU4 (0009:00:00.0) -> mlx5_4 NODE", "GPU7 (000c:00:00.0) -> mlx5_7 NODE"}},
      {"several PCI domains with equal bus numbers",
       "power_domains",
       "",
       "rails",
       Verdict::warn,
       {"GPU0 (0004:01:00.0) -> mlx5_0 NODE, as near: mlx5_1", "GPU1 (0006:01:00.0) -> mlx5_1 NODE",
        "GPU2 and GPU3 have no NIC on the own socket"}},
      {"no port up",
       "one_gpu_one_nic",
       "rdma mlx5_0 pci=0000:02:00.0 state=DOWN",
       "rails",
       Verdict::fail,
       {"no RDMA port is up"}},
      {"firmware that names no NUMA node",
       "far_nic",
       "/sys/devices/pci0000:85/0000:85:00.0/0000:86:00.0/numa_node: -1",
       "rails",
       Verdict::unknown,
       {"GPU0"}},
      {"soft-RoCE has no place",
       "one_gpu_one_nic",
       "rdma mlx5_0 pci=0000:02:00.0 state=DOWN\nrdma rxe0 layer=Ethernet",
       "rails",
       Verdict::unknown,
       {"GPU0"}},
      {"virtual functions are left out where the physical one is up",
       "far_nic",
       "pci 0000:18:00.2 below=pci0000:17/0000:17:00.0 class=020700 id=15b3:101c numa=0 vf=1\nrdma mlx5_1 "
       "pci=0000:18:00.2",
       "rails",
       Verdict::warn,
       {"-> mlx5_0 SYS"}},
  });
}

constexpr const char* kNoPeer =
    "/sys/module/nvidia_peermem -\n/sys/kernel/mm/memory_peers -\n/proc/modules: mlx5_ib 475136 0 - Live 0x0";

constexpr const char* kDmaBufOnly =
    "/sys/module/nvidia_peermem -\n/sys/kernel/mm/memory_peers -\n/proc/modules: mlx5_ib 475136 0 - Live 0x0\n"
    "/proc/driver/nvidia/version: NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.90.07\n"
    "/proc/sys/kernel/osrelease: 5.14.0-427.el9";

TEST(FieldCase, K01FiveMachinesGiveFiveVerdictsOnGpuRegistration) {
  const std::string old_name =
      std::string(kNoPeer) + "\n/sys/module/nv_peer_mem/\n/sys/kernel/mm/memory_peers/nv_mem/version: 1.1-0";
  expect_all({
      {"loaded and in use",
       "one_gpu_one_nic",
       "",
       "peermem",
       Verdict::ok,
       {"listed by the RDMA core", "memory_peers/nv_mem: there"}},
      {"missing",
       "one_gpu_one_nic",
       kNoPeer,
       "peermem",
       Verdict::fail,
       {"nothing lets the NIC", "modprobe nvidia_peermem"}},
      {"loaded and not in use",
       "one_gpu_one_nic",
       "/sys/kernel/mm/memory_peers -",
       "peermem",
       Verdict::fail,
       {"loaded and not in use", "MLNX_OFED"}},
      {"the old name",
       "one_gpu_one_nic",
       old_name.c_str(),
       "peermem",
       Verdict::warn,
       {"nv_peer_mem does the work", "rmmod nv_peer_mem"}},
      {"dma-buf only",
       "one_gpu_one_nic",
       kDmaBufOnly,
       "peermem",
       Verdict::unknown,
       {"dma-buf should work", "only a trial tells"}},
      {"modules that may not be seen",
       "one_gpu_one_nic",
       "/proc/modules !\n/sys/module -",
       "peermem",
       Verdict::unknown,
       {"permission denied"}},
      {"no NIC",
       "one_gpu_one_nic",
       "/sys/class/infiniband -\n/sys/bus/pci/devices/0000:02:00.0 -",
       "peermem",
       Verdict::not_applicable,
       {}},
  });
}

TEST(FieldCase, K01ATrialDecidesWhateverTheModuleListSays) {
  const std::string tried = std::string(kDmaBufOnly) + "\nrun trial register-gpu-page: dma-buf";
  const char* refused =
      "run trial register-gpu-page: none (dma-buf: ibv_reg_dmabuf_mr: Operation not supported; "
      "nvidia_peermem: ibv_reg_mr: Bad address)";
  expect_all({
      {"it went well",
       "one_gpu_one_nic",
       tried.c_str(),
       "peermem",
       Verdict::ok,
       {"was registered with the NIC by dma-buf"}},
      {"it was refused, though the module is in use",
       "one_gpu_one_nic",
       refused,
       "peermem",
       Verdict::fail,
       {"transfers are staged", "Bad address", "memory_peers/nv_mem: there"}},
      {"one that could not be made is no verdict",
       "one_gpu_one_nic",
       "run trial register-gpu-page: open the GPU: no driver",
       "peermem",
       Verdict::unknown,
       {"could not be made"}},
  });
}

TEST(FieldCase, K02ASmallBar1IsNamedWithItsLimit) {
  expect_all({
      {"256 MiB",
       "one_gpu_one_nic",
       "pci 0000:01:00.0 below=pci0000:00/0000:00:01.0 class=030200 id=10de:20b5 bar1=256",
       "bar1",
       Verdict::warn,
       {"BAR1 is 256 MiB", "keep what is registered below 224 MiB", "Above 4G Decoding"}},
      {"all of the memory", "dgx", "", "bar1", Verdict::ok, {"131072 MiB"}},
      {"no address given",
       "one_gpu_one_nic",
       "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/resource: 0x0 0x0 0x0\\n0x0 0x0 0x0",
       "bar1",
       Verdict::unknown,
       {"no address"}},
  });
}

TEST(FieldCase, K04RedirectBitsAreToldFromHarmlessOnesAndFromUnreadableOnes) {
  expect_all({
      {"source validation alone redirects nothing", "roce_node", "", "acs", Verdict::ok, {"none of 2 bridges"}},
      {"0x001d on a bridge between GPU and NIC",
       "roce_node",
       "config 0000:42:04.0 106=1d00",
       "acs",
       Verdict::warn,
       {"1 of 2 bridges", "0000:42:04.0 ACSCtl 0x001d: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+",
        "setpci -s 0000:42:04.0 ECAP_ACS+6.w=0000"}},
      {"on a bridge above both it does not matter",
       "roce_node",
       "config 0000:40:01.1 106=1d00",
       "acs",
       Verdict::ok,
       {}},
      {"source validation on the bridge between",
       "roce_node",
       "config 0000:42:04.0 106=0100",
       "acs",
       Verdict::ok,
       {"SrcValid+ TransBlk- ReqRedir-"}},
  });
}

TEST(FieldCase, K04WhatCannotBeReadIsUnknownAndLoopsAreSurvived) {
  expect_all({
      {"without root rights", "dgx", "", "acs", Verdict::unknown, {"cannot be read", "as root"}},
      {"64 bytes, as an ordinary user sees",
       "roce_node",
       "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:04.0/config: short",
       "acs",
       Verdict::unknown,
       {"1 of 2 bridges", "6 bytes readable of 4096"}},
      {"a redirect that is seen outweighs a bridge that is not",
       "roce_node",
       "config 0000:42:00.0 106=0c00\n/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:04.0/config !",
       "acs",
       Verdict::warn,
       {"0000:42:00.0"}},
      {"a loop in the list of extended capabilities",
       "roce_node",
       "config 0000:42:04.0 100=01000110 106=1d00",
       "acs",
       Verdict::ok,
       {}},
      {"no bridges in a cloud machine", "cloud_switchless", "", "acs", Verdict::not_applicable, {}},
      {"the IOMMU translates",
       "roce_node",
       "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:04.0/0000:44:00.0/iommu_group/type: DMA",
       "iommu",
       Verdict::warn,
       {"0000:44:00.0", "iommu=pt"}},
  });
}

}  // namespace
}  // namespace halyard::test
