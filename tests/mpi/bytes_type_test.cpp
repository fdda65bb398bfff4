// Field case S01: a datatype for messages whose bytes an int cannot count.
#include "transport/mpi/bytes_type.hpp"

#include <gtest/gtest.h>

#include <string>

namespace halyard::transport::mpi {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

class BytesType : public testing::TestWithParam<std::int64_t> {};

INSTANTIATE_TEST_SUITE_P(Sizes, BytesType,
                         testing::Values(0, 1, 16, kGiB - 1, kGiB, kGiB + 1, 2 * kGiB - 1, 2 * kGiB, 2 * kGiB + 1,
                                         4 * kGiB, 4 * kGiB + 16, 1024 * kGiB + 7));

TEST_P(BytesType, CoversExactlyThatManyBytes) {
  const Datatype type = type_of_bytes(GetParam());
  MPI_Count size = -1;
  ASSERT_EQ(MPI_Type_size_x(type.get(), &size), MPI_SUCCESS);
  EXPECT_EQ(size, GetParam());
}

TEST_P(BytesType, HasNoGapsAndBeginsAtTheBuffer) {
  const Datatype type = type_of_bytes(GetParam());
  MPI_Count lower = -1;
  MPI_Count extent = -1;
  ASSERT_EQ(MPI_Type_get_true_extent_x(type.get(), &lower, &extent), MPI_SUCCESS);
  EXPECT_EQ(lower, 0);
  EXPECT_EQ(extent, GetParam());
}

TEST(CommittedBytesType, CanBeSent) {
  const Datatype type = type_of_bytes(5);
  const char sent[5] = {'h', 'a', 'l', 'o', 's'};
  char received[5] = {};
  MPI_Sendrecv(sent, 1, type.get(), 0, 0, received, 1, type.get(), 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  EXPECT_EQ(std::string(received, 5), "halos");
}

}  // namespace
}  // namespace halyard::transport::mpi
