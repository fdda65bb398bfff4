// detours: real settings that take data off the direct path.
#include "diagnose/environment/harmful.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halyard::diagnose {
namespace {

using testing::IsEmpty;

struct Row {
  Variable variable;
  Harm harm;
};

TEST(Detours, EachSettingThatTurnsADirectPathOffIsNamedWithARemedy) {
  constexpr Harm kOff = Harm::direct_path_off;
  constexpr Harm kGpu = Harm::gpu_path_off;
  constexpr Harm kSlow = Harm::slower;
  for (const Row& row : std::vector<Row>{{{"NCCL_P2P_DISABLE", "1"}, kGpu},
                                         {{"NCCL_P2P_LEVEL", "LOC"}, kGpu},
                                         {{"NCCL_NET_GDR_LEVEL", "LOC"}, kGpu},
                                         {{"NCCL_IB_DISABLE", "1"}, kOff},
                                         {{"NCCL_NET", "Socket"}, kOff},
                                         {{"UCX_TLS", "tcp,cuda_copy,self"}, kOff},
                                         {{"UCX_TLS", "rc,sm,self"}, kGpu},
                                         {{"UCX_TLS", "^ib"}, kOff},
                                         {{"UCX_TLS", "^cuda"}, kGpu},
                                         {{"UCX_IB_GPU_DIRECT_RDMA", "n"}, kGpu},
                                         {{"UCX_NET_DEVICES", "eth0"}, kOff},
                                         {{"UCX_MEMTYPE_CACHE", "n"}, kSlow},
                                         {{"UCX_RNDV_THRESH", "inf"}, kOff},
                                         {{"OMPI_MCA_pml", "ob1"}, kOff},
                                         {{"OMPI_MCA_pml", "^ucx"}, kOff},
                                         {{"OMPI_MCA_btl", "tcp,self"}, kOff},
                                         {{"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}, kSlow},
                                         {{"HALYARD_PATH", "mpi,peer"}, kOff},
                                         {{"HALYARD_PATH", "^peer"}, kGpu},
                                         {{"HALYARD_DEVICE", "none"}, kGpu}}) {
    const auto found = detours({row.variable});
    ASSERT_EQ(found.size(), 1u) << row.variable.name << "=" << row.variable.value;
    EXPECT_EQ(found[0].harm, row.harm) << row.variable.name;
    EXPECT_EQ(found[0].setting, row.variable.name + "=" + row.variable.value);
    EXPECT_NE(found[0].remedy, "");
  }
}

TEST(Detours, SettingsThatLeaveTheDirectPathOnAreSilent) {
  EXPECT_THAT(detours({{"NCCL_P2P_DISABLE", "0"},
                       {"NCCL_NET_GDR_LEVEL", "SYS"},
                       {"UCX_TLS", "rc,cuda,sm,self"},
                       {"UCX_TLS", "all"},
                       {"UCX_TLS", "^tcp"},
                       {"UCX_TLS", ""},
                       {"UCX_NET_DEVICES", "mlx5_0:1,mlx5_1:1"},
                       {"UCX_NET_DEVICES", "all"},
                       {"OMPI_MCA_pml", "ucx"},
                       {"OMPI_MCA_btl", "tcp,self"},
                       {"HALYARD_PATH", ""},
                       {"HALYARD_PATH", "^mpi"}}),
              IsEmpty());
}

TEST(Detours, ATcpListOfOpenMpiMattersOnlyWhereUcxIsNotChosen) {
  EXPECT_EQ(detours({{"OMPI_MCA_btl", "tcp,self"}}).size(), 1u);
  EXPECT_THAT(detours({{"OMPI_MCA_btl", "tcp,self"}, {"OMPI_MCA_pml", "ucx"}}), IsEmpty());
  EXPECT_THAT(detours({{"OMPI_MCA_btl", "^openib"}}), IsEmpty());
}

}  // namespace
}  // namespace halyard::diagnose
