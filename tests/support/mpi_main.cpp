// main() of the tests that run under mpirun. Only rank 0 prints results; a failure on any rank fails the run, and a
// run in which every rank skipped everything says so with exit code 77.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>

namespace {

// Another rank's failures, in the words of a test result.
class PrintFailures final : public testing::EmptyTestEventListener {
 public:
  explicit PrintFailures(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, result.file_name() == nullptr ? "?" : result.file_name(),
                 result.line_number(), result.message());
  }

 private:
  int rank_;
};

void quiet_all_but_first(int rank) {
  if (rank == 0) return;
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new PrintFailures(rank));
}

int exit_code(int mine) {
  const auto& unit = *testing::UnitTest::GetInstance();
  int worst = mine;
  MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  int ran = unit.test_to_run_count() - unit.skipped_test_count();
  MPI_Allreduce(MPI_IN_PLACE, &ran, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (unit.test_to_run_count() == 0) return 1;  // an empty run proves nothing
  return worst == 0 && ran == 0 ? 77 : worst;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  quiet_all_but_first(rank);
  const int code = exit_code(RUN_ALL_TESTS());
  MPI_Finalize();
  return code;
}
