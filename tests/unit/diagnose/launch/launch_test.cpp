// launch: field case L01 on environments written as text.
#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;

constexpr const char* kNode = "compute_node";  // srun with PMIx, task 2 of 4
constexpr const char* kBare = "one_gpu_one_nic";

TEST(FieldCaseL01, TasksThatCannotFindEachOtherAreNoticedAndThePmiTypesAreListed) {
  for (const Expected& row : {
           Expected{"srun with PMIx", kNode, "", "launch", Verdict::ok, {"PMIX_RANK=2", "4 tasks"}},
           Expected{"srun without PMI",
                    kBare,
                    "env SLURM_STEP_NUM_TASKS=3\nenv SLURM_PROCID=0\nrun srun --mpi=list: MPI plugin types "
                    "are...\\n\\tnone\\n\\tpmix",
                    "launch",
                    Verdict::fail,
                    {"3 tasks", "runs 3 times with 1 rank", "srun --mpi=pmix", "none, pmix"}},
           Expected{"the type that was asked for is shown",
                    kBare,
                    "env SLURM_NTASKS=3\nenv SLURM_PROCID=0\nenv SLURM_MPI_TYPE=none",
                    "launch",
                    Verdict::fail,
                    {"SLURM_MPI_TYPE=none", "srun --mpi=list: missing"}},
           Expected{
               "one task needs no PMI", kBare, "env SLURM_NTASKS=1\nenv SLURM_PROCID=0", "launch", Verdict::ok, {}},
           Expected{"mpirun",
                    kBare,
                    "env OMPI_COMM_WORLD_SIZE=2\nenv OMPI_COMM_WORLD_RANK=0",
                    "launch",
                    Verdict::ok,
                    {"mpirun"}},
           Expected{"an allocation is not a step", kBare, "env SLURM_NTASKS=8", "launch", Verdict::not_applicable, {}},
           Expected{"by hand", kBare, "", "launch", Verdict::not_applicable, {}},
           Expected{"a number of tasks that is none",
                    kBare,
                    "env SLURM_NTASKS=many\nenv SLURM_PROCID=0",
                    "launch",
                    Verdict::unknown,
                    {"SLURM_NTASKS=many"}},
           Expected{"no environment", kBare, "/proc/self/environ !", "launch", Verdict::unknown, {}},
       })
    expect(row);
}

}  // namespace
}  // namespace halyard::test
