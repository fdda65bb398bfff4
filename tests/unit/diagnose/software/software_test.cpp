// versions and cuda-aware on machines written as text.
#include "diagnose/software/installed.hpp"
#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;
using diagnose::software::Version;
using diagnose::software::version_in;

constexpr const char* kNode = "compute_node";
constexpr const char* kNoPeermem = "/sys/module/nvidia_peermem -\n/proc/modules: nvidia 54300672 0 - Live 0x0\n";

TEST(Versions, AreFoundInWhatProgramsAndFilesSay) {
  EXPECT_EQ(version_in("# Version 1.13.1\n"), (Version{{1, 13, 1}}));
  EXPECT_EQ(version_in("Open MPI v4.1.4"), (Version{{4, 1, 4}}));
  EXPECT_EQ(version_in("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri"), (Version{{550, 90, 7}}));
  EXPECT_EQ(version_in("6.1.0-18-amd64"), (Version{{6, 1, 0}}));
  EXPECT_FALSE(version_in("no number 7 with a dot.").is_known());
  EXPECT_FALSE(version_in("99999999999.1").is_known() && version_in("99999999999.1").numbers[0] < 0);
  EXPECT_TRUE((Version{{1, 9}}).is_before(Version{{1, 13}}));
  EXPECT_FALSE((Version{{1, 14}}).is_before(Version{{1, 14}}));
  EXPECT_FALSE(Version{}.is_before(Version{{1, 14}})) << "what is not known is before nothing";
}

TEST(CheckVersions, NamesPairsThatDoNotWorkTogether) {
  const std::string old_ucx = std::string(kNoPeermem) + "run ucx_info -v: # Version 1.13.1";
  const std::string old_rdma_core =
      std::string(kNoPeermem) + "/usr/lib/x86_64-linux-gnu/libibverbs.so.1 -> libibverbs.so.1.11.32.0";
  const std::string old_kernel = std::string(kNoPeermem) + "/proc/sys/kernel/osrelease: 4.18.0-553.el8.x86_64";
  for (const Expected& row : {
           Expected{"all is named",
                    kNode,
                    "",
                    "versions",
                    Verdict::ok,
                    {"NVIDIA driver 550.90.7", "CUDA 12.4.1", "rdma-core 44.0", "UCX 1.16.0", "Open MPI 4.1.6",
                     "Linux 6.1.0"}},
           Expected{"kernel module and libcuda differ",
                    kNode,
                    "/usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.535.183.01",
                    "versions",
                    Verdict::fail,
                    {"different versions", "reload the modules"}},
           Expected{"UCX 1.13 and no peermem",
                    kNode,
                    old_ucx.c_str(),
                    "versions",
                    Verdict::fail,
                    {"UCX before 1.14", "modprobe nvidia_peermem"}},
           Expected{"UCX 1.13 with peermem works, but was not made for CUDA 12",
                    kNode,
                    "run ucx_info -v: # Version 1.13.1",
                    "versions",
                    Verdict::warn,
                    {"cudaMallocAsync"}},
           Expected{"UCX 1.13 without GPU is nothing to say", "rxe_vm", "", "versions", Verdict::ok, {"UCX 1.13.1"}},
           Expected{"rdma-core 32 and no peermem",
                    kNode,
                    old_rdma_core.c_str(),
                    "versions",
                    Verdict::fail,
                    {"rdma-core before 34"}},
           Expected{"an old kernel and no peermem",
                    kNode,
                    old_kernel.c_str(),
                    "versions",
                    Verdict::fail,
                    {"Linux before 5.12"}},
           Expected{"CUDA 13 and UCX 1.16",
                    kNode,
                    "/usr/local/cuda/version.json: {\"cuda\": {\"version\": \"13.0.1\"}}",
                    "versions",
                    Verdict::warn,
                    {"CUDA 13"}},
       })
    expect(row);
  EXPECT_EQ(worst_of(diagnose::find_check("versions")->run(diagnose::Machine(*tree_of("")))), Verdict::unknown);
}

TEST(CheckVersions, NamesUcxVersionsOfKnownTroubleAndNotThoseAfterThem) {
  for (const Expected& row : {
           Expected{"UCX 1.21 and a GPU",
                    kNode,
                    "run ucx_info -v: # Version 1.21.0",
                    "versions",
                    Verdict::warn,
                    {"openucx/ucx#11854", "UCX 1.22"}},
           Expected{
               "UCX 1.22 and a GPU", kNode, "run ucx_info -v: # Version 1.22.0", "versions", Verdict::ok, {"UCX 1.22"}},
           Expected{
               "UCX 1.9 and CUDA 11.1",
               kNode,
               "run ucx_info -v: # Version 1.9.0\n/usr/local/cuda/version.json: {\"cuda\": {\"version\": \"11.1.0\"}}",
               "versions",
               Verdict::warn,
               {"openucx/ucx#3192"}},
           Expected{
               "UCX 1.9 and CUDA 11.2",
               kNode,
               "run ucx_info -v: # Version 1.9.0\n/usr/local/cuda/version.json: {\"cuda\": {\"version\": \"11.2.0\"}}",
               "versions",
               Verdict::ok,
               {"UCX 1.9"}},
       })
    expect(row);
}

TEST(FieldCaseL07, AFlagIsNotTakenForATrial) {
  constexpr const char* kMpi =
      "run ompi_info --param mpi all --level 9 --parsable: mca:mpi:base:param:mpi_built_with_cuda_support:value:";
  const std::string built_without = std::string(kMpi) + "false";
  for (const Expected& row : {
           Expected{"built with CUDA is unknown until it is tried",
                    kNode,
                    "",
                    "cuda-aware",
                    Verdict::unknown,
                    {"MPI", "--live"}},
           Expected{"a trial that worked is ok",
                    kNode,
                    "run trial mpi-gpu-memory: 4096 bytes came back right",
                    "cuda-aware",
                    Verdict::ok,
                    {"tried"}},
           Expected{"built without CUDA is a warning",
                    kNode,
                    built_without.c_str(),
                    "cuda-aware",
                    Verdict::warn,
                    {"built without CUDA", "never gives MPI a device pointer"}},
           Expected{"UCX without CUDA transports",
                    kNode,
                    "run trial mpi-gpu-memory: right\nrun ucx_info -d: #      Transport: rc_mlx5\\n#         Device: "
                    "mlx5_0:1",
                    "cuda-aware",
                    Verdict::warn,
                    {"UCX opens no CUDA transport"}},
           Expected{"no GPU, nothing to take", "rxe_vm", "", "cuda-aware", Verdict::not_applicable, {}},
           Expected{"a bus that may not be read may hold one",
                    "rxe_vm",
                    "/sys/bus/pci/devices !",
                    "cuda-aware",
                    Verdict::unknown,
                    {}},
       })
    expect(row);
}

}  // namespace
}  // namespace halyard::test
