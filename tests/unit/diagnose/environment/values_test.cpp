// bad_value: values that a library refuses or quietly ignores.
#include "diagnose/environment/values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halyard::diagnose {
namespace {

using testing::HasSubstr;

TEST(EnvironmentValues, WhatIsTakenIsNotBad) {
  for (const Variable& variable : std::vector<Variable>{{"NCCL_ALGO", "Ring"},
                                                        {"NCCL_ALGO", "^tree,ring;allreduce:NVLS"},
                                                        {"NCCL_PROTO", "LL128,simple"},
                                                        {"NCCL_P2P_LEVEL", "NVL"},
                                                        {"NCCL_NET_GDR_LEVEL", "3"},
                                                        {"NCCL_DEBUG", "info"},
                                                        {"NCCL_IB_GID_INDEX", "-1"},
                                                        {"NCCL_IB_HCA", "=mlx5_0:1"},
                                                        {"UCX_TLS", "rc,cuda_copy,cuda_ipc"},
                                                        {"UCX_TLS", "^tcp"},
                                                        {"UCX_TLS", "\\rc,ud:aux"},
                                                        {"UCX_MEMTYPE_CACHE", "try"},
                                                        {"OMPI_MCA_btl", "^openib,tcp"},
                                                        {"HOME", "anything"}})
    EXPECT_FALSE(bad_value(variable)) << variable.name << "=" << variable.value;
}

struct Row {
  Variable variable;
  std::string what;
  std::string instead;
};

TEST(EnvironmentValues, WhatIsNotTakenIsNamedWithWhatTheLibraryDoesAndTheNearestValue) {
  for (const Row& row : std::vector<Row>{{{"NCCL_ALGO", "1"}, "refuses", ""},
                                         {{"NCCL_PROTO", "2"}, "LL LL128 Simple", ""},
                                         {{"NCCL_ALGO", "Ringg"}, "'Ringg'", "NCCL_ALGO=Ring"},
                                         {{"NCCL_P2P_LEVEL", "pix"}, "without a word", ""},
                                         {{"NCCL_IB_DISABLE", "true"}, "no number", "NCCL_IB_DISABLE=1"},
                                         {{"UCX_TLS", "rc,gdrcopy"}, "'gdrcopy'", "UCX_TLS=gdr_copy"},
                                         {{"UCX_IB_GPU_DIRECT_RDMA", "auto"}, "refuses", ""},
                                         {{"OMPI_MCA_btl", "self,vaderr"}, "'vaderr'", "OMPI_MCA_btl=vader"}}) {
    const auto bad = bad_value(row.variable);
    ASSERT_TRUE(bad) << row.variable.name << "=" << row.variable.value;
    EXPECT_THAT(bad->what, HasSubstr(row.what));
    if (!row.instead.empty()) {
      EXPECT_EQ(bad->instead, row.instead);
    }
  }
}

TEST(EnvironmentValues, ANumberHasNoNearestName) {
  EXPECT_EQ(bad_value({"NCCL_ALGO", "0"})->instead, "");
  EXPECT_EQ(bad_value({"NCCL_PROTO", "2"})->instead, "");
}

}  // namespace
}  // namespace halyard::diagnose
