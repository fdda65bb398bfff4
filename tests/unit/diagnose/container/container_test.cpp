// rdma-nodes, namespaces, cross-memory on machines written as text.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diagnose/container/cross_memory_trial.hpp"
#include "halyard/status.hpp"
#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;

constexpr const char* kNode = "compute_node";
constexpr const char* kSeccomp = "/proc/self/status: Uid:\\t1000\\t1000\\t1000\\t1000\\nCapEff:\\t0\\nSeccomp:\\t2";

TEST(CheckRdmaNodes, TellsAMissingNodeFromAForbiddenOne) {
  for (const Expected& row : {
           Expected{"everybody may open it",
                    kNode,
                    "",
                    "rdma-nodes",
                    Verdict::ok,
                    {"/dev/infiniband/uverbs0 may be opened"}},
           Expected{"a container without /dev/infiniband",
                    kNode,
                    "/dev/infiniband -",
                    "rdma-nodes",
                    Verdict::fail,
                    {"is missing", "docker run --device=/dev/infiniband"}},
           Expected{"a node for root only",
                    kNode,
                    "/dev/infiniband/uverbs0 device 0600",
                    "rdma-nodes",
                    Verdict::fail,
                    {"may not be opened", "chmod 0666", "mode 0600"}},
           Expected{
               "root opens everything", "rxe_vm", "/dev/infiniband/uverbs0 device 0000", "rdma-nodes", Verdict::ok, {}},
           Expected{"a file in its place is no node",
                    kNode,
                    "/dev/infiniband/uverbs0: text",
                    "rdma-nodes",
                    Verdict::fail,
                    {}},
           Expected{"a device without verbs module",
                    kNode,
                    "/sys/class/infiniband_verbs -",
                    "rdma-nodes",
                    Verdict::fail,
                    {"modprobe ib_uverbs"}},
           Expected{"who we are is not known", kNode, "/proc/self/status !", "rdma-nodes", Verdict::unknown, {}},
           Expected{
               "no RDMA device, no node", kNode, "/sys/class/infiniband -", "rdma-nodes", Verdict::not_applicable, {}},
       })
    expect(row);
}

TEST(FieldCaseI03, NamespacesOfTheirOwnAreNamedWithWhatToShare) {
  for (const Expected& row : {
           Expected{"on the node itself", kNode, "", "namespaces", Verdict::ok, {}},
           Expected{"another PID namespace",
                    kNode,
                    "/proc/self/ns/pid -> pid:[4026532281]",
                    "namespaces",
                    Verdict::warn,
                    {"pid", "CUDA IPC", "--pid=host"}},
           Expected{"another IPC namespace",
                    kNode,
                    "/proc/self/ns/ipc -> ipc:[4026532280]",
                    "namespaces",
                    Verdict::warn,
                    {"/dev/shm", "--ipc=host"}},
           Expected{"another user namespace",
                    kNode,
                    "/proc/self/ns/user -> user:[4026532279]",
                    "namespaces",
                    Verdict::warn,
                    {"cross-memory"}},
           Expected{"namespaces that cannot be read are unknown",
                    kNode,
                    "/proc/self/ns -",
                    "namespaces",
                    Verdict::unknown,
                    {}},
           Expected{"a link that names something else is unknown",
                    kNode,
                    "/proc/self/ns/pid -> nonsense",
                    "namespaces",
                    Verdict::unknown,
                    {}},
       })
    expect(row);
}

TEST(FieldCaseI04, WhatForbidsToReadOtherRanksMemoryIsNamed) {
  for (const Expected& row : {
           Expected{"nothing forbids it", kNode, "", "cross-memory", Verdict::ok, {"ptrace_scope: \"0\""}},
           Expected{"Yama's scope 1",
                    kNode,
                    "/proc/sys/kernel/yama/ptrace_scope: 1",
                    "cross-memory",
                    Verdict::warn,
                    {"kernel.yama.ptrace_scope=0", "Halyard's shared path does not need it"}},
           Expected{
               "a kernel without Yama", kNode, "/proc/sys/kernel/yama -", "cross-memory", Verdict::ok, {"missing"}},
           Expected{"a seccomp filter may or may not",
                    kNode,
                    kSeccomp,
                    "cross-memory",
                    Verdict::unknown,
                    {"seccomp filter"}},
           Expected{"root may in spite of the scope",
                    "rxe_vm",
                    "/proc/sys/kernel/yama/ptrace_scope: 2",
                    "cross-memory",
                    Verdict::ok,
                    {}},
           Expected{"a trial that worked is ok whatever else",
                    kNode,
                    "/proc/sys/kernel/yama/ptrace_scope: 1\nrun trial cross-memory: 4096 bytes were read",
                    "cross-memory",
                    Verdict::ok,
                    {"tried"}},
           Expected{"a scope that is no number is unknown",
                    kNode,
                    "/proc/sys/kernel/yama/ptrace_scope: ?",
                    "cross-memory",
                    Verdict::unknown,
                    {}},
           Expected{"who we are is not known", kNode, "/proc/self/status -", "cross-memory", Verdict::unknown, {}},
       })
    expect(row);
}

// What happened to the trial in a process of its own: 0 it read, 1 refused with the call's name, 2 anything else.
int trial_in_child(bool is_forbidden) {
  const pid_t child = fork();
  if (child == 0) {
    if (is_forbidden && (setgid(65534) != 0 || setuid(65534) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)) _exit(2);
    try {
      _exit(diagnose::container::try_cross_memory() == "4096 bytes of a brother were read" ? 0 : 2);
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("process_vm_readv: Operation not permitted") != std::string::npos ? 1 : 2);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

TEST(CrossMemoryTrial, ReadsABrotherWhereItMayAndSaysWhatTheSystemSaidWhereItMayNot) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become a user whose processes may not be read";
  EXPECT_EQ(trial_in_child(false), 0);
  EXPECT_EQ(trial_in_child(true), 1);
}

}  // namespace
}  // namespace halyard::test
