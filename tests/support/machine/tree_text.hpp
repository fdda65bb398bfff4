// A machine as text: what tests write instead of thousands of small files. Lines are applied in order, so a variant is
// a base tree and a few lines more. A line that makes no sense throws std::invalid_argument with its number.
//
//   # a comment                        (also empty lines)
//   /sys/a/b: 42                       a file; \n \t \0 \\ and \xNN in the content; a line break is added at its end
//   /sys/a/b -> ../c                   a link
//   /sys/a/                            an empty folder
//   /sys/a/b !                         there, and permission denied (content and entries alike)
//   /sys/a -                           taken away, with all below it
//   /dev/infiniband/uverbs0 device 0666     a device node with its permission bits
//   run ucx_info -v: text              what a program, or a trial ("run trial register-gpu-page: dma-buf"), answers
//   env NAME=value                     a variable of the environment
//   pci 0000:41:00.0 below=pci0000:40/0000:40:01.1 class=030200 id=10de:20b5 numa=3 driver=nvidia link=16x16/16x16
//                                      a PCI device with its links; below= names host bridge and bridges; link= is
//                                      speed in GT/s, width, and after the slash what both could be. vf=1: a virtual
//                                      function; iommu=identity: its group's type; bar1=65536: MiB of BAR1
//   config 0000:40:01.1 100=0d000100 106=1d00     bytes of its configuration space (4096 bytes, the rest 0)
//   rdma mlx5_0 pci=0000:4b:00.0 fw=20.31.1014 board=MT_0000000594 layer=InfiniBand rate=200 node=uverbs0
//                                      an RDMA device with an active port 1 (state=DOWN: not); without pci= a virtual
//                                      one; netdev= its network interface with mtu= (default 4096 and 9000)
//   gid mlx5_0 3 00..:ffff:0a4d:0001 v2 eth2      a row of port 1: ib, v1 or v2, and the interface
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "facts/tree_root.hpp"

namespace halyard::test {

void apply(facts::TreeRoot& tree, std::string_view text);
std::unique_ptr<facts::TreeRoot> tree_of(std::string_view text, std::string name = "a test's tree");

/// tests/fixtures/machines/<name>.tree, and lines that change it.
std::unique_ptr<facts::TreeRoot> fixture(const std::string& name, std::string_view changes = {});

}  // namespace halyard::test
