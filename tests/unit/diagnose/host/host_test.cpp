// memlock, shm, huge-pages, cpu-governor, c-states, aspm on machines written as text.
#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;

constexpr const char* kNode = "compute_node";

TEST(FieldCaseN03, TheLimitOfLockedMemoryIsReadAndTheThreePlacesToSetItAreNamed) {
  for (const Expected& row : {
           Expected{"no limit is ok", kNode, "", "memlock", Verdict::ok, {"not limited"}},
           Expected{"64 KiB closes RDMA",
                    kNode,
                    "/proc/self/limits: Max locked memory         65536                65536                bytes",
                    "memlock",
                    Verdict::fail,
                    {"65536 bytes", "ulimit -l unlimited", "LimitMEMLOCK=infinity", "/etc/security/limits.conf"}},
           Expected{"a hard limit that is none says that ulimit is enough",
                    kNode,
                    "/proc/self/limits: Max locked memory         65536                unlimited            bytes",
                    "memlock",
                    Verdict::fail,
                    {"the hard limit is unlimited"}},
           Expected{"a gigabyte is a warning",
                    kNode,
                    "/proc/self/limits: Max locked memory         1073741824           1073741824           bytes",
                    "memlock",
                    Verdict::warn,
                    {"1073741824 bytes"}},
           Expected{"who has CAP_IPC_LOCK is not limited", "rxe_vm", "", "memlock", Verdict::ok, {"CAP_IPC_LOCK"}},
           Expected{"another capability lifts no limit",
                    kNode,
                    "/proc/self/status: Uid:\\t1000\\t1000\\nCapEff:\\t0000000000080000\n"
                    "/proc/self/limits: Max locked memory         65536                65536                bytes",
                    "memlock",
                    Verdict::fail,
                    {"65536 bytes"}},
           Expected{"silent without RDMA",
                    kNode,
                    "/sys/class/infiniband -\n/sys/bus/pci/devices/0000:04:00.0 -\n"
                    "/proc/self/limits: Max locked memory         65536                65536                bytes",
                    "memlock",
                    Verdict::not_applicable,
                    {}},
           Expected{"limits that may not be read are unknown",
                    kNode,
                    "/proc/self/limits !",
                    "memlock",
                    Verdict::unknown,
                    {"permission denied"}},
           Expected{"limits without the row are unknown",
                    kNode,
                    "/proc/self/limits: nonsense",
                    "memlock",
                    Verdict::unknown,
                    {}},
           Expected{"a row without a number is unknown",
                    kNode,
                    "/proc/self/limits: Max locked memory  many",
                    "memlock",
                    Verdict::unknown,
                    {}},
       })
    expect(row);
}

TEST(CheckShm, LooksForARoomySharedMemory) {
  for (const Expected& row : {
           Expected{"half the memory is the kernel's default", kNode, "", "shm", Verdict::ok, {"257812 MiB"}},
           Expected{"Docker's 64 MiB are too little",
                    kNode,
                    "/proc/mounts: shm /dev/shm tmpfs rw,nosuid,nodev,noexec,relatime,size=65536k 0 0",
                    "shm",
                    Verdict::fail,
                    {"64 MiB", "--shm-size"}},
           Expected{"half a GiB is scarce",
                    kNode,
                    "/proc/mounts: shm /dev/shm tmpfs rw,size=512m 0 0",
                    "shm",
                    Verdict::warn,
                    {"512 MiB"}},
           Expected{"the last mount counts",
                    kNode,
                    "/proc/mounts: shm /dev/shm tmpfs rw,size=64m 0 0\\ntmpfs /dev/shm tmpfs rw,size=8g 0 0",
                    "shm",
                    Verdict::ok,
                    {"8192 MiB"}},
           Expected{"a share of the memory", "rxe_vm", "", "shm", Verdict::ok, {"2000 MiB"}},
           Expected{"no /dev/shm at all",
                    kNode,
                    "/proc/mounts: proc /proc proc rw 0 0\n/dev/shm -",
                    "shm",
                    Verdict::fail,
                    {"mount -t tmpfs"}},
           Expected{"a size that makes no sense is unknown",
                    kNode,
                    "/proc/mounts: shm /dev/shm tmpfs rw,size=lots 0 0",
                    "shm",
                    Verdict::unknown,
                    {"size=lots"}},
           Expected{"a size beyond all numbers is unknown",
                    kNode,
                    "/proc/mounts: shm /dev/shm tmpfs rw,size=9999999999999t 0 0",
                    "shm",
                    Verdict::unknown,
                    {}},
           Expected{"mounts that may not be read are unknown", kNode, "/proc/mounts !", "shm", Verdict::unknown, {}},
       })
    expect(row);
}

TEST(CheckHugePages, TellsPrivateFromSharedMemory) {
  for (const Expected& row : {
           Expected{"both on request", kNode, "", "huge-pages", Verdict::ok, {}},
           Expected{"never for private memory",
                    kNode,
                    "/sys/kernel/mm/transparent_hugepage/enabled: always madvise [never]",
                    "huge-pages",
                    Verdict::warn,
                    {"private memory", "echo madvise"}},
           Expected{"never for shared memory",
                    kNode,
                    "/sys/kernel/mm/transparent_hugepage/shmem_enabled: always within_size advise [never] deny force",
                    "huge-pages",
                    Verdict::warn,
                    {"shared memory", "echo advise"}},
           Expected{"a kernel without them",
                    kNode,
                    "/sys/kernel/mm/transparent_hugepage -",
                    "huge-pages",
                    Verdict::not_applicable,
                    {}},
           Expected{"a text without a choice is unknown",
                    kNode,
                    "/sys/kernel/mm/transparent_hugepage/enabled: always",
                    "huge-pages",
                    Verdict::unknown,
                    {}},
       })
    expect(row);
}

TEST(CheckGovernor, NamesCoresThatSavePower) {
  constexpr const char* kCpu1 = "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
  const std::string one_saves = std::string(kCpu1) + ": powersave";
  const std::string one_is_hidden =
      "/sys/devices/system/cpu/cpu0/cpufreq -\n/sys/devices/system/cpu/cpu2/cpufreq -\n"
      "/sys/devices/system/cpu/cpu3/cpufreq -\n" +
      std::string(kCpu1) + " !";
  for (const Expected& row : {
           Expected{"all for performance", kNode, "", "cpu-governor", Verdict::ok, {"performance on 4 CPUs"}},
           Expected{"one that saves power is enough to be late",
                    kNode,
                    one_saves.c_str(),
                    "cpu-governor",
                    Verdict::warn,
                    {"powersave on 1 CPUs", "cpupower frequency-set"}},
           Expected{"a virtual machine has none", "rxe_vm", "", "cpu-governor", Verdict::not_applicable, {}},
           Expected{"governors that may not be read are unknown",
                    kNode,
                    one_is_hidden.c_str(),
                    "cpu-governor",
                    Verdict::unknown,
                    {}},
           Expected{"a list of CPUs that is none is unknown",
                    kNode,
                    "/sys/devices/system/cpu/online: some",
                    "cpu-governor",
                    Verdict::unknown,
                    {}},
       })
    expect(row);
}

TEST(CheckCStates, NamesTheDeepestStateInUse) {
  for (const Expected& row : {
           Expected{"a deep state that is disabled does not count", kNode, "", "c-states", Verdict::ok, {"C1", "2 µs"}},
           Expected{"a deep state in use is a warning",
                    kNode,
                    "/sys/devices/system/cpu/cpu0/cpuidle/state2/disable: 0",
                    "c-states",
                    Verdict::warn,
                    {"C6", "190 µs", "cpupower idle-set"}},
           Expected{"no idle states from the kernel", "rxe_vm", "", "c-states", Verdict::not_applicable, {}},
           Expected{"idle states that may not be listed are unknown",
                    kNode,
                    "/sys/devices/system/cpu/cpu0/cpuidle !",
                    "c-states",
                    Verdict::unknown,
                    {}},
       })
    expect(row);
}

TEST(CheckAspm, NamesLinksThatMayFallAsleep) {
  for (const Expected& row : {
           Expected{"links awake by policy", kNode, "", "aspm", Verdict::ok, {}},
           Expected{"a policy that saves power",
                    kNode,
                    "/sys/module/pcie_aspm/parameters/policy: default performance [powersave] powersupersave",
                    "aspm",
                    Verdict::warn,
                    {"pcie_aspm.policy=performance"}},
           Expected{"one link that may sleep",
                    kNode,
                    "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0/link/l1_aspm: 1",
                    "aspm",
                    Verdict::warn,
                    {"0000:03:00.0", "l1_aspm"}},
           Expected{
               "nothing to put to sleep", "rxe_vm", "/sys/class/infiniband -", "aspm", Verdict::not_applicable, {}},
           Expected{"a policy that may not be read is unknown",
                    kNode,
                    "/sys/module/pcie_aspm/parameters/policy !",
                    "aspm",
                    Verdict::unknown,
                    {}},
       })
    expect(row);
}

}  // namespace
}  // namespace halyard::test
