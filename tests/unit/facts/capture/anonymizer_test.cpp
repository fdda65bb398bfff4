// Anonymizer: nothing personal stays, and what checks look at does.
#include "facts/capture/anonymizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts/capture/recording_root.hpp"
#include "support/machine/expect.hpp"

namespace halyard::facts {
namespace {

struct Row {
  const char* original;
  const char* expected;
};

TEST(Anonymizer, ReplacesWhatIsPersonalAndNothingElse) {
  const Row rows[] = {
      {"link/ether 0c:42:a1:9c:00:11 brd ff:ff:ff:ff:ff:ff", "link/ether 02:00:00:00:00:01 brd 02:00:00:00:00:02"},
      {"fe80:0000:0000:0000:0e42:a1ff:fe9c:0011", "fe80:0000:0000:0000:0000:0000:0000:0001"},
      {"fe80::e42:a1ff:fe9c:11", "fe80::1"},
      {"0000:0000:0000:0000:0000:ffff:c0a8:0107", "0000:0000:0000:0000:0000:ffff:0a00:0002"},
      {"0000:0000:0000:0000:0000:ffff:a9fe:0107", "0000:0000:0000:0000:0000:ffff:a9fe:0002"},
      {"fe80:0000:0000:0000:0000:0000:0000:0000", "fe80:0000:0000:0000:0000:0000:0000:0000"},
      {"2a01:4f8::17", "2001:db8::1"},
      {"506b:4b03:0028:4ddc", "0200:0000:0000:0001"},
      {"node GUID: 0x506b4b0300284ddc", "node GUID: 0x0200000000000001"},
      {"GPU-8a7b6c5d-1234-5678-9abc-def012345678", "GPU-00000000-0000-0000-0000-000000000001"},
      {"addr 192.168.1.7:22, 127.0.0.1", "addr 10.0.0.2:22, 127.0.0.1"},
      {"node017.cluster.example and node017, not node0171", "host1 and host2, not node0171"},
      {"/home/mueller/lib:/home/mueller/x", "/home/user/lib:/home/user/x"},
      {"0000:41:00.0 pci0000:40 00000000:07:00.0", "0000:41:00.0 pci0000:40 00000000:07:00.0"},
      {"20.31.1014 550.90.07 5.15.0-1042-generic 16.0 GT/s", "20.31.1014 550.90.07 5.15.0-1042-generic 16.0 GT/s"},
      {"../libibverbs.so.1.14.44.0 Version 1.2.3.", "../libibverbs.so.1.14.44.0 Version 1.2.3."},
      {"0-3,8 a.b.c.d 12:34 deadbeef", "0-3,8 a.b.c.d 12:34 deadbeef"},
      {"0000:0000:0000:0000:0000:0000:0000:0000", "0000:0000:0000:0000:0000:0000:0000:0000"},
  };
  for (const Row& row : rows) {
    Anonymizer anonymizer;
    anonymizer.add_host("node017.cluster.example\n");
    EXPECT_EQ(anonymizer.text(row.original), row.expected);
  }
}

TEST(Anonymizer, GivesTheSameOriginalTheSameReplacement) {
  Anonymizer anonymizer;
  EXPECT_EQ(anonymizer.text("10.1.2.3 10.1.2.4 10.1.2.3"), "10.0.0.2 10.0.0.3 10.0.0.2");
  EXPECT_EQ(anonymizer.text("fe80::e42 fe80:0000:0000:0000:0000:0000:0000:0e42"),
            "fe80::1 fe80:0000:0000:0000:0000:0000:0000:0001");
}

TEST(Anonymizer, LeavesInnocentWordsInPathsAlone) {
  Anonymizer anonymizer;
  anonymizer.add_host("node0");
  EXPECT_EQ(anonymizer.path("/sys/devices/system/node/node0"), "/sys/devices/system/node/node0");
  EXPECT_EQ(anonymizer.text("on node0"), "on host1");
}

TEST(Anonymize, KeepsOfTheEnvironmentAndTheCommandLineWhatChecksNeed) {
  const auto tree = test::tree_of(
      "/proc/sys/kernel/hostname: vm\nenv UCX_TLS=rc\nenv SLURM_NTASKS=4\nenv SLURM_JOB_USER=mueller\nenv "
      "PASSWORD=x\nenv NCCL_SOCKET_IFNAME=eth0\n"
      "/proc/cmdline: BOOT_IMAGE=/vmlinuz root=UUID=1 ip=10.1.1.1 iommu=pt quiet");
  TreeRoot clean("clean");
  anonymize(*tree, clean);
  EXPECT_EQ(clean.read("/proc/cmdline").text, "iommu=pt quiet\n");
  const std::string environment = clean.read("/proc/self/environ").text;
  EXPECT_EQ(environment, std::string("UCX_TLS=rc\0SLURM_NTASKS=4\0NCCL_SOCKET_IFNAME=eth0\0", 50));
  EXPECT_EQ(clean.read("/proc/sys/kernel/hostname").text, "host1\n") << "too short to be looked for elsewhere";
}

TEST(Anonymize, ForgetsSerialNumbersOfDevices) {
  const auto tree = test::fixture("roce_node", "config 0000:44:00.0 100=03000100 104=1122334455667788");
  TreeRoot clean("clean");
  anonymize(*tree, clean);
  const std::string config = clean.read("/sys/bus/pci/devices/0000:44:00.0/config").text;
  EXPECT_EQ(config.substr(0x104, 8), std::string(8, '\0'));
  EXPECT_EQ(config.substr(0x60, 12), tree->read("/sys/bus/pci/devices/0000:44:00.0/config").text.substr(0x60, 12));
}

TEST(RecordingRoot, ABundleOfWhatWasAskedGivesTheSameFindings) {
  for (const char* name : {"dgx", "roce_node", "soft_roce_vm", "far_nic", "power_domains", "cpu_node"}) {
    const auto tree = test::fixture(name, "/proc/driver/nvidia/version !\nrun trial register-gpu-page: dma-buf");
    const RecordingRoot recording(*tree);
    const diagnose::Machine machine(recording);
    const auto findings = diagnose::run_all(machine);
    TreeRoot clean("clean");
    anonymize(recording.kept(), clean);
    const auto again = diagnose::run_all(diagnose::Machine(clean));
    ASSERT_EQ(findings.size(), again.size()) << name;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      EXPECT_EQ(name_of(findings[i].verdict), name_of(again[i].verdict))
          << name << ' ' << findings[i].check << ' ' << test::whole_text(again[i]);
      EXPECT_EQ(findings[i].subject, again[i].subject);
    }
  }
}

}  // namespace
}  // namespace halyard::facts
