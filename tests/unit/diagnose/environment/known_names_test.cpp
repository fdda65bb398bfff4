// judge_name: who reads a variable of NCCL, UCX, Open MPI or Halyard.
#include "diagnose/environment/known_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halyard::diagnose {
namespace {

using testing::HasSubstr;

NameJudgement judge(std::string_view name) { return judge_name(name, {}); }

TEST(KnownNames, WhatLibrariesReadIsKnown) {
  for (const std::string_view name :
       {"NCCL_DEBUG", "NCCL_NET_GDR_LEVEL", "NCCL_P2P_DISABLE", "NCCL_IB_HCA", "NCCL_SOCKET_IFNAME", "UCX_TLS",
        "UCX_NET_DEVICES", "UCX_RC_VERBS_TIMEOUT", "UCX_RC_TIMEOUT", "UCX_IB_GPU_DIRECT_RDMA", "UCX_CUDA_IPC_CACHE",
        "UCX_MM_SEG_SIZE", "UCX_RNDV_THRESH", "OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_pml_ucx_tls", "HALYARD_PATH",
        "HALYARD_SINGLETON"})
    EXPECT_EQ(judge(name).knowledge, Knowledge::known) << name;
}

TEST(KnownNames, WhatArticlesRecommendAndNobodyReadsIsUnknownAndSaysWhatDoesIt) {
  for (const std::string_view name : {"NCCL_GPUDIRECT", "NCCL_MATH", "NCCL_DEVICE_ID", "NCCL_SOCKET_TIMEOUT"}) {
    EXPECT_EQ(judge(name).knowledge, Knowledge::unknown) << name;
    EXPECT_NE(judge(name).note, "") << name;
  }
  EXPECT_THAT(judge("NCCL_GPUDIRECT").note, HasSubstr("NCCL_NET_GDR_LEVEL"));
}

struct Typo {
  std::string_view written;
  std::string_view meant;
};

TEST(KnownNames, AMistypedNameIsUnknownAndTheNearestRealOneIsNamed) {
  for (const Typo& typo :
       {Typo{"NCCL_P2P_DISABLED", "NCCL_P2P_DISABLE"}, Typo{"NCCL_SOCKET_IFNAMES", "NCCL_SOCKET_IFNAME"},
        Typo{"UCX_NET_DEVICE", "UCX_NET_DEVICES"}, Typo{"UCX_TSL", "UCX_TLS"}, Typo{"OMPI_MCA_plm_rsh_agents", ""},
        Typo{"OMPI_MCA_bt1", "OMPI_MCA_btl"}, Typo{"HALYARD_PATHS", "HALYARD_PATH"}}) {
    const auto judgement = judge(typo.written);
    if (typo.meant.empty()) {
      EXPECT_EQ(judgement.knowledge, Knowledge::cannot_tell) << typo.written;
      continue;
    }
    EXPECT_EQ(judgement.knowledge, Knowledge::unknown) << typo.written;
    EXPECT_EQ(judgement.nearest, typo.meant);
  }
}

TEST(KnownNames, WhatOnlyOtherVersionsReadIsNeitherKnownNorUnknown) {
  EXPECT_EQ(judge("NCCL_WORK_FIFO_DEPTH").knowledge, Knowledge::other_version);
  EXPECT_EQ(judge("NCCL_SYM_TMA_ENABLE").knowledge, Knowledge::other_version);
}

TEST(KnownNames, WhereSoftwareLiesIsNobodysSetting) {
  for (const std::string_view name : {"NCCL_VERSION", "NCCL_HOME", "UCX_ROOT", "UCX_DIR"})
    EXPECT_EQ(judge(name).knowledge, Knowledge::known) << name;
  EXPECT_EQ(judge("PATH").knowledge, Knowledge::other_family);
  EXPECT_EQ(judge("OMPI_COMM_WORLD_RANK").knowledge, Knowledge::other_family);
}

TEST(KnownNames, TheInstalledLibraryHasTheLastWord) {
  const InstalledNames installed{
      installed_ucx_names("# UCX\nUCX_TLS=all\nUCX_RC_VERBS_TIMEOUT=1s\nUCX_NEW_SETTING=y\n"),
      installed_open_mpi_names("mca:pml:ucx:param:pml_ucx_tls:value:any\nmca:btl:tcp:param:btl:value:\n")};
  EXPECT_EQ(judge_name("UCX_NEW_SETTING", installed).knowledge, Knowledge::known);
  EXPECT_EQ(judge_name("UCX_RC_TIMEOUT", installed).knowledge, Knowledge::known);
  EXPECT_EQ(judge_name("UCX_CUDA_IPC_CACHE", installed).knowledge, Knowledge::other_version);
  EXPECT_EQ(judge_name("UCX_TSL", installed).nearest, "UCX_TLS");
  EXPECT_EQ(judge_name("OMPI_MCA_pml_ucx_tls", installed).knowledge, Knowledge::known);
  EXPECT_EQ(judge_name("OMPI_MCA_pml_ucx_tsl", installed).nearest, "OMPI_MCA_pml_ucx_tls");
  EXPECT_EQ(judge_name("OMPI_MCA_btl_uct_memory_domains", installed).knowledge, Knowledge::other_version);
  EXPECT_EQ(judge_name("OMPI_MCA_coll_rare", installed).knowledge, Knowledge::cannot_tell) << "coll was not asked";
}

TEST(KnownNames, WithoutOmpiInfoAnUnusualParameterOfARealFrameworkIsNotJudged) {
  EXPECT_EQ(judge("OMPI_MCA_coll_tuned_something_rare").knowledge, Knowledge::cannot_tell);
  EXPECT_EQ(judge("OMPI_MCA_cuda_on").knowledge, Knowledge::unknown);
}

}  // namespace
}  // namespace halyard::diagnose
