// port, firmware, nic-irq: what the doctor says of RDMA ports and adapters, on written machines.
#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;

const Expected kPorts[] = {
    {"eight active ports", "dgx", "", "port", Verdict::ok, {"mlx5_7:1", "InfiniBand, 200 Gb/sec"}},
    {"no RDMA device", "cpu_node", "", "port", Verdict::not_applicable, {"no RDMA device"}},
    {"the only port is down",
     "one_gpu_one_nic",
     "/sys/class/infiniband -\n/sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/infiniband -\n"
     "rdma mlx5_0 pci=0000:02:00.0 state=DOWN",
     "port",
     Verdict::fail,
     {"mlx5_0:1", "the port is DOWN (Disabled), and no other is up"}},
    {"one of eight is down",
     "dgx",
     "rdma mlx5_3 pci=0000:2d:00.0 state=DOWN",
     "port",
     Verdict::warn,
     {"mlx5_3:1", "DOWN"}},
    {"no subnet manager", "dgx", "rdma mlx5_3 pci=0000:2d:00.0 state=INIT", "port", Verdict::warn, {"opensm"}},
    {"an Ethernet port is down",
     "h100_pairs",
     "rdma mlx5_0 pci=0000:0c:00.0 layer=Ethernet state=DOWN netdev=eth0",
     "port",
     Verdict::warn,
     {"ip link set eth0 up"}},
    {"half of the cable's lanes",
     "one_gpu_one_nic",
     "/sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/infiniband/mlx5_0/ports/1/rate: 100 Gb/sec (2X HDR)",
     "port",
     Verdict::warn,
     {"fewer lanes"}},
    {"slower than its likes",
     "dgx",
     "rdma mlx5_3 pci=0000:2d:00.0 rate=100",
     "port",
     Verdict::warn,
     {"mlx5_3:1", "200 Gb/s of its likes"}},
    {"soft-RoCE over a small MTU", "soft_roce_vm", "", "port", Verdict::warn, {"MTU 1500 of eth0", "mtu 9000"}},
    {"a state that may not be read",
     "one_gpu_one_nic",
     "/sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/infiniband/mlx5_0/ports/1/state !",
     "port",
     Verdict::unknown,
     {"state cannot be read"}},
    {"ports that may not be listed",
     "one_gpu_one_nic",
     "/sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/infiniband/mlx5_0/ports !",
     "port",
     Verdict::unknown,
     {"its ports cannot be read"}},
};

const Expected kFirmware[] = {
    {"all the same", "dgx", "", "firmware", Verdict::ok, {"20.31.1014"}},
    {"one is older than its likes",
     "dgx",
     "rdma mlx5_2 pci=0000:2c:00.0 fw=20.29.0500",
     "firmware",
     Verdict::warn,
     {"mlx5_2", "20.29.0500 is older than 20.31.1014", "mlxfwmanager"}},
    {"known to lack something",
     "one_nic_eight_gpus",
     "rdma mlx5_0 pci=0101:00:02.0 fw=16.23.1020",
     "firmware",
     Verdict::warn,
     {"below 16.27.0000", "openucx/ucx#5376"}},
    {"not known to lack something", "one_nic_eight_gpus", "", "firmware", Verdict::ok, {}},
    {"not three numbers",
     "one_gpu_one_nic",
     "rdma mlx5_0 pci=0000:02:00.0 fw=20.x",
     "firmware",
     Verdict::unknown,
     {"not one of three numbers"}},
    {"not readable",
     "one_gpu_one_nic",
     "/sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/infiniband/mlx5_0/fw_ver !",
     "firmware",
     Verdict::unknown,
     {"cannot be read"}},
    {"soft-RoCE has none", "soft_roce_vm", "", "firmware", Verdict::not_applicable, {}},
};

const Expected kInterrupts[] = {
    {"near CPUs", "far_nic", "", "nic-irq", Verdict::ok, {"2 of 2", "local_cpulist: \"0-15\""}},
    {"one goes to the other socket",
     "far_nic",
     "/proc/irq/65/effective_affinity_list: 20",
     "nic-irq",
     Verdict::warn,
     {"1 of 2", "/proc/irq/65", "smp_affinity_list"}},
    {"effective affinity is empty, as on old kernels",
     "far_nic",
     "/proc/irq/65/effective_affinity_list:\n/proc/irq/65/smp_affinity_list: 31",
     "nic-irq",
     Verdict::warn,
     {"1 of 2"}},
    {"not readable", "far_nic", "/proc/irq !", "nic-irq", Verdict::unknown, {"2 not readable"}},
    {"a list of CPUs that is none",
     "far_nic",
     "/proc/irq/64/effective_affinity_list: 9-3\n/proc/irq/65/effective_affinity_list: x",
     "nic-irq",
     Verdict::unknown,
     {}},
    {"no interrupts listed", "dgx", "", "nic-irq", Verdict::unknown, {"msi_irqs: missing"}},
    {"one NUMA node", "roce_node", "", "nic-irq", Verdict::not_applicable, {"one NUMA node"}},
};

TEST(CheckPort, TellsStateWidthRateAndMtu) {
  for (const Expected& row : kPorts) expect(row);
}

TEST(CheckFirmware, ComparesWithTheTableAndWithItsLikes) {
  for (const Expected& row : kFirmware) expect(row);
}

TEST(CheckInterrupts, ComparesWhereTheyGoWithWhereTheAdapterIs) {
  for (const Expected& row : kInterrupts) expect(row);
}

}  // namespace
}  // namespace halyard::test
