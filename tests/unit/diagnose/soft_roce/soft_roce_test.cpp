// soft-roce: field case N06 on a virtual machine written as text, one piece taken away at a time. The same on a real
// kernel: tests/rdma/doctor.py.
#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;

constexpr const char* kVm = "rxe_vm";
constexpr const char* kNoDevice = "/sys/class/infiniband -";

TEST(FieldCaseN06, EachMissingPieceIsADifferentFinding) {
  const std::string no_module = std::string(kNoDevice) + "\n/sys/module/rdma_rxe -";
  const std::string no_address = "rdma rxe1 layer=Ethernet netdev=eth1 rate=2.5 node=uverbs1";
  for (const Expected& row : {
           Expected{"complete", kVm, "", "soft-roce", Verdict::ok, {"rxe0"}},
           Expected{"no module",
                    kVm,
                    no_module.c_str(),
                    "soft-roce",
                    Verdict::not_applicable,
                    {"rdma_rxe is not loaded", "modprobe rdma_rxe"}},
           Expected{"a module and no device",
                    kVm,
                    kNoDevice,
                    "soft-roce",
                    Verdict::fail,
                    {"no device uses it", "rdma link add"}},
           Expected{"no provider",
                    kVm,
                    "/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so -",
                    "soft-roce",
                    Verdict::fail,
                    {"no provider", "ibverbs-providers"}},
           Expected{
               "a provider that nobody names", kVm, "/etc/libibverbs.d -", "soft-roce", Verdict::fail, {"no provider"}},
           Expected{"port down",
                    kVm,
                    "rdma rxe0 layer=Ethernet netdev=eth0 rate=2.5 node=uverbs0 state=DOWN",
                    "soft-roce",
                    Verdict::fail,
                    {"rxe0:1", "DOWN", "ip link set eth0 up"}},
           Expected{
               "no address", kVm, no_address.c_str(), "soft-roce", Verdict::fail, {"no address (GID)", "ip addr add"}},
           Expected{"link-local addresses only",
                    kVm,
                    "rdma rxe1 layer=Ethernet netdev=eth1 rate=2.5 node=uverbs1\n"
                    "gid rxe1 0 fe80:0000:0000:0000:5054:00ff:fe12:3457 v2 eth1",
                    "soft-roce",
                    Verdict::fail,
                    {"link-local"}},
           Expected{"RoCE v1 only",
                    kVm,
                    "rdma rxe1 layer=Ethernet netdev=eth1 rate=2.5 node=uverbs1\n"
                    "gid rxe1 0 0000:0000:0000:0000:0000:ffff:0a4d:0002 v1 eth1",
                    "soft-roce",
                    Verdict::fail,
                    {"no RoCE v2"}},
           Expected{"UCX does not list it",
                    kVm,
                    "run ucx_info -d: #      Transport: tcp",
                    "soft-roce",
                    Verdict::warn,
                    {"UCX does not list it", "IBV"}},
           Expected{"adapters are not software", "compute_node", "", "soft-roce", Verdict::not_applicable, {}},
       })
    expect(row);
  expect({"no device node", kVm, "/dev/infiniband -", "rdma-nodes", Verdict::fail, {"is missing"}});
}

}  // namespace
}  // namespace halyard::test
