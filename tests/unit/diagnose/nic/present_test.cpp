// nic: an adapter, a driver, an RDMA device: what is missing of them.
#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;

const Expected kRows[] = {
    {"a working adapter is ok", "one_gpu_one_nic", "", "nic", Verdict::ok, {"mlx5_0", "0000:02:00.0", "20.31.1014"}},
    {"an adapter without driver names the module to load",
     "one_gpu_one_nic",
     "/sys/class/infiniband -\n/sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/driver -",
     "nic",
     Verdict::fail,
     {"0000:02:00.0", "has no driver", "modprobe mlx5_core"}},
    {"an adapter with a driver and no RDMA device names the other module",
     "one_gpu_one_nic",
     "/sys/class/infiniband -",
     "nic",
     Verdict::fail,
     {"driver mlx5_core", "modprobe mlx5_ib"}},
    {"no adapter is nothing to talk about",
     "one_gpu_one_nic",
     "/sys/class/infiniband -\n/sys/bus/pci/devices/0000:02:00.0 -",
     "nic",
     Verdict::not_applicable,
     {"no RDMA adapter"}},
    {"a list of devices that may not be read is unknown",
     "one_gpu_one_nic",
     "/sys/class/infiniband -\n/sys/bus/pci/devices !",
     "nic",
     Verdict::unknown,
     {"/sys/bus/pci/devices: permission denied"}},
};

TEST(CheckNic, TellsWhichPieceIsMissing) {
  for (const Expected& row : kRows) expect(row);
}

}  // namespace
}  // namespace halyard::test
