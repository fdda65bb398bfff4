// env-names, env-values, env-detours on machines written as text; the environment's part of field case F01.
#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;

constexpr const char* kTree = "one_gpu_one_nic";
constexpr const char* kNoGpu = "/sys/bus/pci/devices/0000:01:00.0 -\n";

TEST(CheckEnvironment, NamesWhatNobodyReads) {
  for (const Expected& row : {
           Expected{"nothing of ours is set", kTree, "", "env-names", Verdict::not_applicable, {"no variable"}},
           Expected{
               "real names are ok", kTree, "env NCCL_DEBUG=INFO\nenv UCX_TLS=all", "env-names", Verdict::ok, {"all 2"}},
           Expected{"folklore is named with what does what it promises",
                    kTree,
                    "env NCCL_GPUDIRECT=1",
                    "env-names",
                    Verdict::warn,
                    {"nobody reads NCCL_GPUDIRECT", "NCCL_NET_GDR_LEVEL", "unset NCCL_GPUDIRECT"}},
           Expected{"a typo gets the nearest name",
                    kTree,
                    "env UCX_NET_DEVICE=mlx5_0:1",
                    "env-names",
                    Verdict::warn,
                    {"UCX_NET_DEVICES"}},
           Expected{"the installed UCX has the last word",
                    kTree,
                    "env UCX_CUDA_IPC_CACHE=y\nrun ucx_info -c -f -a: UCX_TLS=all\\nUCX_NET_DEVICES=all",
                    "env-names",
                    Verdict::warn,
                    {"the installed one does not"}},
           Expected{"Open MPI is asked for the framework of what is set",
                    kTree,
                    "env OMPI_MCA_btl_tcp_lnks=2\nrun ompi_info --param btl all --level 9 --parsable: "
                    "mca:btl:tcp:param:btl_tcp_links:value:1",
                    "env-names",
                    Verdict::warn,
                    {"OMPI_MCA_btl_tcp_links"}},
           Expected{"without ompi_info its parameters are not judged",
                    kTree,
                    "env OMPI_MCA_btl_tcp_lnks=2",
                    "env-names",
                    Verdict::unknown,
                    {"ompi_info"}},
           Expected{"Halyard's own are judged too",
                    kTree,
                    "env HALYARD_PATHS=mpi",
                    "env-names",
                    Verdict::warn,
                    {"HALYARD_PATH", "refuses to start"}},
           Expected{"an environment that may not be read is unknown",
                    kTree,
                    "/proc/self/environ !",
                    "env-names",
                    Verdict::unknown,
                    {"permission denied"}},
       })
    expect(row);
}

TEST(CheckEnvironment, NamesValuesThatALibraryDoesNotTake) {
  for (const Expected& row : {
           Expected{"names that NCCL takes are ok", kTree, "env NCCL_ALGO=Ring", "env-values", Verdict::ok, {}},
           Expected{"a numeric algorithm is refused by NCCL",
                    kTree,
                    "env NCCL_ALGO=1",
                    "env-values",
                    Verdict::warn,
                    {"NCCL_ALGO=1", "Tree Ring"}},
           Expected{"a numeric protocol too", kTree, "env NCCL_PROTO=2", "env-values", Verdict::warn, {"LL128"}},
           Expected{"a transport that UCX has not is named with the nearest",
                    kTree,
                    "env UCX_TLS=rc,gdrcopy",
                    "env-values",
                    Verdict::warn,
                    {"UCX_TLS=gdr_copy"}},
           Expected{"an environment that is not there is unknown",
                    kTree,
                    "/proc/self/environ -",
                    "env-values",
                    Verdict::unknown,
                    {"missing"}},
       })
    expect(row);
}

TEST(FieldCaseF01, SettingsThatTakeDataOffTheDirectPathAreNamedWithARemedy) {
  const std::string no_gpu_and_gpu_setting = std::string(kNoGpu) + "env UCX_IB_GPU_DIRECT_RDMA=n";
  for (const Expected& row : {
           Expected{"nothing harmful is ok", kTree, "env UCX_TLS=rc,cuda,sm", "env-detours", Verdict::ok, {}},
           Expected{"staging of GPU memory",
                    kTree,
                    "env UCX_IB_GPU_DIRECT_RDMA=n",
                    "env-detours",
                    Verdict::fail,
                    {"UCX_IB_GPU_DIRECT_RDMA=n", "staged", "unset UCX_IB_GPU_DIRECT_RDMA"}},
           Expected{"the public Ethernet instead of RDMA",
                    kTree,
                    "env UCX_NET_DEVICES=eth0",
                    "env-detours",
                    Verdict::fail,
                    {"TCP", "mlx5_0:1"}},
           Expected{
               "NCCL without peer access", kTree, "env NCCL_P2P_DISABLE=1", "env-detours", Verdict::fail, {"NVLink"}},
           Expected{"Open MPI without UCX",
                    kTree,
                    "env OMPI_MCA_pml=ob1",
                    "env-detours",
                    Verdict::fail,
                    {"OMPI_MCA_pml=ucx"}},
           Expected{
               "what only costs time is a warning", kTree, "env UCX_MEMTYPE_CACHE=n", "env-detours", Verdict::warn, {}},
           Expected{"what only concerns GPUs is silent without one",
                    kTree,
                    no_gpu_and_gpu_setting.c_str(),
                    "env-detours",
                    Verdict::ok,
                    {}},
           Expected{"an environment that may not be read is unknown",
                    kTree,
                    "/proc/self/environ !",
                    "env-detours",
                    Verdict::unknown,
                    {}},
       })
    expect(row);
}

}  // namespace
}  // namespace halyard::test
