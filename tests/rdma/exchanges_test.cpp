// Exchanges that cross the wire of the VM: that they really do, several in flight, beside fork (field case T04), and
// bindings made again and again. Which ghosts are right, whatever the decomposition, is asked by mpi_conformance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"
#include "rdma/wire.hpp"

namespace halyard::test {
namespace {

class RdmaExchanges : public OnEveryWay {};

TEST_P(RdmaExchanges, EveryMessageCrossesTheWire) {
  constexpr std::uint64_t kSteps = 200;
  CodedExchange exchange(context(), way(), small_halo(context().size()));
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, exchange.other_way()), "");
  std::string wrong = exchange.run(0);  // connects
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t before = packets_sent();
  MPI_Barrier(MPI_COMM_WORLD);
  for (std::uint64_t step = 1; step <= kSteps && wrong.empty(); ++step) wrong = exchange.run(step);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  EXPECT_GE(packets_sent() - before, kSteps * static_cast<std::uint64_t>(context().size()));
}

TEST_P(RdmaExchanges, SeveralInFlightOnOneBindingEndInOrder) {
  CodedExchange exchange(context(), way(), small_halo(context().size(), 4));
  std::string wrong;
  for (std::uint64_t step = 0; step < 50 && wrong.empty(); ++step) {
    exchange.fields().fill(step);
    std::vector<Transfer> transfers;
    for (int i = 0; i < kMaxInFlight; ++i) transfers.push_back(exchange.binding().forward());
    for (Transfer& transfer : transfers)
      if (const Status status = transfer.wait(); wrong.empty()) wrong = status.text();
    if (wrong.empty()) wrong = exchange.fields().check(step);
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

// A field of doubles cut along its slowest axis: each face is one piece of 8 KiB.
RandomCase slabs(int num_ranks, std::size_t num_fields = 1) {
  RandomCase problem = plain_case(Decomposition::grid(Box::of_extent({32, 32, 3 * num_ranks}), {1, 1, num_ranks}),
                                  {false, false, true}, Width::axes(0, 0, 1));
  problem.fields.assign(num_fields, problem.fields.front());
  return problem;
}

TEST_P(RdmaExchanges, FacesOfSlabsAreRightAndSentInPlaceOverVerbs) {
  const bool is_in_place = way().path == Path::verbs;
  for (const std::size_t num_fields : {1U, 5U, 16U}) {
    CodedExchange exchange(context(), way(), slabs(context().size(), num_fields));
    std::string wrong;
    for (std::uint64_t step = 0; step < 20 && wrong.empty(); ++step) wrong = exchange.run(step);
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << num_fields << " fields";
    const std::string table = exchange.binding().explain();
    EXPECT_EQ(table.find("sent in place") != std::string::npos, is_in_place && num_fields <= 5) << table;
  }
}

class ShortMessages : public OnEveryWay {
 protected:
  // Two ranks send both faces in one message.
  static int face_bytes() { return 8192 * (size_of(MPI_COMM_WORLD) == 2 ? 2 : 1); }
  Options options() const override {
    Options options = options_of(way());
    options.verbs.in_place_bytes = face_bytes() + 1;
    return options;
  }
};

TEST_P(ShortMessages, ThanTheOptionSaysArePackedAndExplainSaysSo) {
  for (const std::size_t num_fields : {1U, 2U}) {
    const bool is_packed = num_fields == 1;
    CodedExchange exchange(context(), way(), slabs(context().size(), num_fields));
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, exchange.run(1)), "");
    const std::string table = exchange.binding().explain();
    const std::string reason = "packed: less than " + std::to_string(face_bytes() + 1) + " bytes";
    EXPECT_EQ(table.find(reason) != std::string::npos, is_packed) << table;
    EXPECT_EQ(table.find("sent in place") == std::string::npos, is_packed) << table;
  }
}

TEST_P(RdmaExchanges, SeveralInFlightFromTheFieldsEndInOrder) {
  CodedExchange exchange(context(), way(), slabs(context().size(), 2));
  std::string wrong;
  for (std::uint64_t step = 0; step < 20 && wrong.empty(); ++step) {
    exchange.fields().fill(step);
    std::vector<Transfer> transfers;
    for (int i = 0; i < kMaxInFlight; ++i) transfers.push_back(exchange.binding().forward());
    for (Transfer& transfer : transfers)
      if (const Status status = transfer.wait(); wrong.empty()) wrong = status.text();
    if (wrong.empty()) wrong = exchange.fields().check(step);
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(RdmaExchanges, MessagesOfMegabytesArriveWhole) {
  CodedExchange exchange(
      context(), way(),
      plain_case(Decomposition::grid(Box::of_extent({512 * context().size(), 256, 1}), {context().size(), 1, 1}),
                 {true, false, false}, Width::axes(512, 0, 0)));
  std::string wrong;
  for (std::uint64_t step = 0; step < 2 && wrong.empty(); ++step) wrong = exchange.run(step);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

std::ptrdiff_t num_mappings() {
  std::ifstream maps("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

// Registered memory is not copied to a child or kept from it; a child that runs on must not change what arrives.
TEST_P(RdmaExchanges, T04ProgramThatForksEachStepKeepsRightDataAndItsMappings) {
  CodedExchange exchange(context(), way(), small_halo(context().size(), 4));
  std::string wrong;
  std::ptrdiff_t early = 0;
  for (std::uint64_t step = 0; step < 100 && wrong.empty(); ++step) {
    exchange.fields().fill(step);
    Transfer transfer = exchange.binding().forward();
    if (std::system("true") != 0) wrong = "system(\"true\") failed";
    if (const Status status = transfer.wait(); wrong.empty()) wrong = status.text();
    if (wrong.empty()) wrong = exchange.fields().check(step);
    if (step == 10) early = num_mappings();
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  EXPECT_LE(num_mappings(), early + 4);
}

TEST_P(RdmaExchanges, BindingsMadeAgainAndAgainLeaveNoMappingsBehind) {
  std::string wrong;
  std::ptrdiff_t early = 0;
  for (std::uint64_t step = 0; step < 40 && wrong.empty(); ++step) {
    wrong = CodedExchange(context(), way(), small_halo(context().size(), 2 + static_cast<std::int64_t>(step) % 3))
                .run(step);
    if (step == 10) early = num_mappings();
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  EXPECT_LE(num_mappings(), early + 8);
}

INSTANTIATE_TEST_SUITE_P(Ways, ShortMessages, testing::Values(kVerbs), name_of_way);
INSTANTIATE_TEST_SUITE_P(Ways, RdmaExchanges, testing::ValuesIn(kWireWays), name_of_way);

}  // namespace
}  // namespace halyard::test
