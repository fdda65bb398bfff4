// Which ports are taken from what there is.
#include "transport/verbs/device/ports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halyard/status.hpp"

namespace halyard::transport::verbs {
namespace {

PortFacts port(const char* device, int number, int numa_node, double gbit_s) {
  return {device, number, true, "", numa_node, gbit_s};
}

PortFacts down(const char* device, int number) { return {device, number, false, "the port is PORT_DOWN", 0, 400}; }

std::string chosen(const std::vector<PortFacts>& ports, const PortWish& wish) {
  std::string names;
  for (const PortFacts& facts : choose_ports(ports, wish)) names += (names.empty() ? "" : " ") + name_of(facts);
  return names;
}

std::string refusal(const std::vector<PortFacts>& ports, const PortWish& wish, StatusCode code) {
  try {
    (void)choose_ports(ports, wish);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "not refused";
}

TEST(Ports, TheNearestIsTakenBeforeTheFastest) {
  const std::vector ports{port("mlx5_0", 1, 1, 400), port("mlx5_1", 1, 0, 100), port("mlx5_2", 1, 0, 200)};
  EXPECT_EQ(chosen(ports, {"", 0, 0}), "mlx5_2:1");
  EXPECT_EQ(chosen(ports, {"", 1, 0}), "mlx5_0:1");
}

TEST(Ports, WhereNodesAreUnknownTheFastestIsTaken) {
  EXPECT_EQ(chosen({port("a", 1, -1, 25), port("b", 1, 1, 100)}, {"", 0, 0}), "a:1");
  EXPECT_EQ(chosen({port("a", 1, -1, 25), port("b", 1, 1, 100)}, {"", -1, 0}), "b:1");
}

TEST(Ports, EqualsAreDealtToTheRanksOfANodeInTurn) {
  const std::vector ports{port("a", 1, 0, 100), port("far", 1, 1, 100), port("b", 1, 0, 100), port("b", 2, 0, 100)};
  EXPECT_EQ(chosen(ports, {"", 0, 0}), "a:1");
  EXPECT_EQ(chosen(ports, {"", 0, 1}), "b:1");
  EXPECT_EQ(chosen(ports, {"", 0, 2}), "b:2");
  EXPECT_EQ(chosen(ports, {"", 0, 3}), "a:1");
}

TEST(Ports, APortThatIsDownIsNeverTaken) {
  EXPECT_EQ(chosen({down("fast", 1), port("slow", 1, 1, 10)}, {"", 0, 0}), "slow:1");
  EXPECT_THAT(refusal({down("fast", 1)}, {"", 0, 0}, StatusCode::not_supported),
              testing::HasSubstr("no usable RDMA port: fast:1: the port is PORT_DOWN"));
}

TEST(Ports, WhereThereIsNothingItIsSaidHowToGetOne) {
  EXPECT_THAT(refusal({}, {"", 0, 0}, StatusCode::not_supported),
              testing::AllOf(testing::HasSubstr("no RDMA device"), testing::HasSubstr("rdma_rxe"),
                             testing::HasSubstr("doctor --check nic")));
}

TEST(Ports, WhatIsNamedIsTakenInThatOrder) {
  const std::vector ports{port("a", 1, 0, 100), port("b", 1, 1, 10), port("b", 2, 1, 10)};
  EXPECT_EQ(chosen(ports, {"b", 0, 0}), "b:1");
  EXPECT_EQ(chosen(ports, {"b:2", 0, 0}), "b:2");
  EXPECT_EQ(chosen(ports, {"b:2,a", 0, 5}), "b:2 a:1");
}

TEST(Ports, ANameThatIsNotThereIsRefusedWithTheNearest) {
  const std::vector ports{port("mlx5_0", 1, 0, 100), port("mlx5_1", 1, 0, 100)};
  EXPECT_THAT(refusal(ports, {"mlx4_0", 0, 0}, StatusCode::invalid_argument),
              testing::AllOf(testing::HasSubstr("mlx4_0 (HALYARD_VERBS_DEVICE)"), testing::HasSubstr("mean mlx5_0?"),
                             testing::HasSubstr("mlx5_0:1, mlx5_1:1")));
  EXPECT_THAT(refusal(ports, {"mlx5_0:3", 0, 0}, StatusCode::invalid_argument), testing::HasSubstr("mlx5_0:3"));
  EXPECT_THAT(refusal({}, {"mlx5_0", 0, 0}, StatusCode::invalid_argument), testing::HasSubstr("is the driver loaded?"));
}

TEST(Ports, APortNumberThatIsNoneIsRefused) {
  const std::vector ports{port("a", 1, 0, 100)};
  for (const char* text : {"a:", "a:x", "a:0", "a:-1", "a:1x"})
    EXPECT_THAT(refusal(ports, {text, 0, 0}, StatusCode::invalid_argument), testing::HasSubstr("device:port")) << text;
}

TEST(Ports, ANamedPortThatIsDownIsRefusedWithItsState) {
  EXPECT_THAT(refusal({down("a", 1), port("b", 1, 0, 1)}, {"a", 0, 0}, StatusCode::not_supported),
              testing::HasSubstr("a:1 (HALYARD_VERBS_DEVICE): the port is PORT_DOWN"));
}

}  // namespace
}  // namespace halyard::transport::verbs
