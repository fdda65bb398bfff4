// gpu, gpu-visible, bar1: what the doctor says of GPUs, on written machines.
#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;

const Expected kPresent[] = {
    {"eight GPUs with a driver", "dgx", "", "gpu", Verdict::ok, {"8 GPUs", "550.90.07"}},
    {"a virtual machine without GPU", "soft_roce_vm", "", "gpu", Verdict::not_applicable, {"no NVIDIA GPU"}},
    {"a display adapter is no GPU", "cpu_node", "", "gpu", Verdict::not_applicable, {"2 PCI devices"}},
    {"no driver at all",
     "one_gpu_one_nic",
     "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/driver -",
     "gpu",
     Verdict::fail,
     {"0000:01:00.0", "has no driver", "modprobe nvidia"}},
    {"held by a virtual machine's driver",
     "one_gpu_one_nic",
     "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/driver -> ../../../../bus/pci/drivers/vfio-pci",
     "gpu",
     Verdict::fail,
     {"held by the driver vfio-pci", "unbind"}},
    {"one of eight is held by nouveau",
     "dgx",
     "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0/0000:04:00.0/0000:08:00.0/driver -> "
     "../bus/pci/drivers/nouveau",
     "gpu",
     Verdict::fail,
     {"0000:08:00.0", "nouveau"}},
    {"a container without the device nodes",
     "dgx",
     "/dev/nvidiactl -",
     "gpu",
     Verdict::fail,
     {"/dev/nvidiactl", "--gpus all"}},
    {"a version that may not be read",
     "dgx",
     "/proc/driver/nvidia/version !",
     "gpu",
     Verdict::unknown,
     {"permission denied"}},
    {"no list of devices", "dgx", "/sys/bus/pci/devices -", "gpu", Verdict::unknown, {"/sys/bus/pci/devices: missing"}},
};

const Expected kVisible[] = {
    {"nothing set", "dgx", "", "gpu-visible", Verdict::ok, {"all 8 GPUs"}},
    {"four of eight", "dgx", "env CUDA_VISIBLE_DEVICES=0,1,2,3", "gpu-visible", Verdict::ok, {"4 of 8"}},
    {"UUIDs", "dgx", "env CUDA_VISIBLE_DEVICES=GPU-1234,GPU-5678", "gpu-visible", Verdict::ok, {"2 of 8"}},
    {"an index too high", "dgx", "env CUDA_VISIBLE_DEVICES=0,8,1", "gpu-visible", Verdict::fail, {"no GPU 8 (of 8)"}},
    {"minus one", "dgx", "env CUDA_VISIBLE_DEVICES=-1", "gpu-visible", Verdict::fail, {"-1 ends the list"}},
    {"empty", "dgx", "env CUDA_VISIBLE_DEVICES=", "gpu-visible", Verdict::fail, {"it is empty"}},
    {"twice the same", "dgx", "env CUDA_VISIBLE_DEVICES=1,1", "gpu-visible", Verdict::fail, {"'1' is named twice"}},
    {"no number", "dgx", "env CUDA_VISIBLE_DEVICES=all", "gpu-visible", Verdict::fail, {"'all' is no index"}},
    {"an environment that may not be read",
     "dgx",
     "/proc/self/environ !",
     "gpu-visible",
     Verdict::unknown,
     {"permission denied"}},
    {"MIG slices",
     "dgx",
     "/proc/driver/nvidia/capabilities/gpu3/mig/gi1/access: 1",
     "gpu-visible",
     Verdict::warn,
     {"1 GPUs", "gpu3/mig/gi1", "-mig 0"}},
    {"no GPU", "cpu_node", "env CUDA_VISIBLE_DEVICES=9", "gpu-visible", Verdict::not_applicable, {}},
};

constexpr const char* kAsk = "run nvidia-smi --query-gpu=pci.bus_id,memory.total --format=csv,noheader,nounits: ";

TEST(CheckGpu, TellsWhatIsMissingBetweenTheBusAndThisProcess) {
  for (const Expected& row : kPresent) expect(row);
}

TEST(CheckGpuVisible, ReadsTheListAsCudaDoes) {
  for (const Expected& row : kVisible) expect(row);
}

TEST(CheckBar1, ComparesItWithTheMemoryWhereTheDriverTells) {
  const std::string same = std::string(kAsk) + "00000000:43:00.0, 81559";
  const std::string more = std::string(kAsk) + "00000000:43:00.0, 183359";
  const Expected rows[] = {
      {"all of it", "roce_node", same.c_str(), "bar1", Verdict::ok, {"131072 MiB for 81559 MiB"}},
      {"part of it", "roce_node", more.c_str(), "bar1", Verdict::warn, {"131072 MiB for 183359 MiB", "Above 4G"}},
      {"not asked", "roce_node", "", "bar1", Verdict::ok, {"BAR1 is 131072 MiB"}},
      {"no resource file", "one_gpu_one_nic", "", "bar1", Verdict::unknown, {"resource: missing"}},
      {"a damaged resource file",
       "roce_node",
       "/sys/bus/pci/devices/0000:43:00.0/resource -\n"
       "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:00.0/0000:43:00.0/resource: 0xf0 0xff 0x0\\nzz zz",
       "bar1",
       Verdict::unknown,
       {"cannot be read"}},
      {"no GPU", "cpu_node", "", "bar1", Verdict::not_applicable, {}},
  };
  for (const Expected& row : rows) expect(row);
}

}  // namespace
}  // namespace halyard::test
