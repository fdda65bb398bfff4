// Field case I04, the program: what a container may forbid is forbidden before MPI starts, then 1 MiB goes both ways
// over the path in argv[2]. argv[1]: "seccomp" (process_vm_readv and its kin answer EPERM, all ranks) or "dumpable"
// (rank 1 clears PR_SET_DUMPABLE). Run by no_cma.py as an unprivileged user, since root passes every check.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "halyard/halyard.hpp"

namespace {

constexpr std::int64_t kCells = 131'072;  // 1 MiB of doubles

bool deny_cross_memory_attach() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool is_denied() {
  char from = 1;
  char to = 0;
  const iovec remote{&from, 1};
  const iovec local{&to, 1};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0 && errno == EPERM;
}

bool forbid(const std::string& how) {
  if (how == "seccomp") return deny_cross_memory_attach() && is_denied();
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr || std::string(rank) != "1" || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

// Both ranks send all their cells to each other; returns what is wrong.
std::string exchange_once(halyard::Context& context) {
  const halyard::BoxHalo halo{halyard::Decomposition::grid(halyard::Box::of_extent({2 * kCells, 1, 1}), {2, 1, 1}),
                              {false, false, false},
                              halyard::Width::axes(kCells, 0, 0)};
  std::vector<double> field(static_cast<std::size_t>(3 * kCells), -1);
  halyard::HaloExchange exchange(context, halyard::box_halo(halo, context.rank()),
                                 {halyard::FieldView::grid(field.data(), {kCells, 1, 1}, halo.width)});
  double* own = field.data() + kCells;
  const double* ghosts = context.rank() == 0 ? own + kCells : own - kCells;
  for (int step = 0; step < 3; ++step) {
    for (std::int64_t i = 0; i < kCells; ++i) own[i] = static_cast<double>(2 * i + context.rank() + step);
    if (const auto status = exchange.forward().wait(); !status.ok()) return status.text();
    for (std::int64_t i = 0; i < kCells; ++i)
      if (ghosts[i] != static_cast<double>(2 * i + 1 - context.rank() + step))
        return "ghost " + std::to_string(i) + " is wrong";
  }
  std::printf("rank %d right over %s\n", context.rank(),
              std::string(name_of(exchange.plan().neighbors().at(0).path)).c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || !forbid(argv[1])) {
    std::printf("cannot forbid it here\n");
    return 77;
  }
  MPI_Init(&argc, &argv);
  std::string wrong;
  try {
    halyard::Options options;
    options.path = argv[2];
    options.deadline_s = 20;
    halyard::Context context(MPI_COMM_WORLD, options);
    wrong = exchange_once(context);
  } catch (const halyard::Error& error) {
    wrong = error.what();
  }
  if (!wrong.empty()) std::printf("wrong: %s\n", wrong.c_str());
  std::fflush(stdout);
  if (!wrong.empty()) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
