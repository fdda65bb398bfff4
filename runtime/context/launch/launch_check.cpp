// See launch_check.hpp.
#include "context/launch/launch_check.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "halyard/status.hpp"

namespace halyard::context {
namespace {

struct Launcher {
  const char* num_tasks;  // variable with the number of tasks
  const char* task;       // variable that each task has; says that this process is one of them
  const char* remedy;
};

constexpr std::array kLaunchers{
    Launcher{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
             "start it with 'srun --mpi=pmix' (or set SLURM_MPI_TYPE=pmix), or with mpirun inside the allocation"},
    Launcher{"SLURM_NTASKS", "SLURM_PROCID",
             "start it with 'srun --mpi=pmix' (or set SLURM_MPI_TYPE=pmix), or with mpirun inside the allocation"},
    Launcher{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
             "the program's MPI is not the mpirun's: use the mpirun of its MPI"},
    Launcher{"PMI_SIZE", "PMI_RANK", "the program's MPI is not the launcher's: use the mpiexec of its MPI"},
};

int number_of(const char* text) {
  if (text == nullptr) return 0;
  int value = 0;
  const std::string_view view(text);
  std::from_chars(view.data(), view.data() + view.size(), value);
  return value;
}

}  // namespace

const char* process_environment(const char* name) { return std::getenv(name); }

void check_launch(int world_size, const Environment& environment, const std::function<std::string()>& list_pmi_types) {
  if (world_size != 1) return;
  for (const Launcher& launcher : kLaunchers) {
    const int num_tasks = number_of(environment(launcher.num_tasks));
    if (num_tasks <= 1 || environment(launcher.task) == nullptr) continue;
    throw Error(
        StatusCode::invalid_argument,
        fmt::format(
            "start: the launcher announces {} tasks ({}={}, this is task {}), but MPI_COMM_WORLD has 1 rank, so "
            "{} separate copies of this program run; {}. PMI types of srun: {}. If one rank is meant, set "
            "HALYARD_SINGLETON=1",
            num_tasks, launcher.num_tasks, num_tasks, environment(launcher.task), num_tasks, launcher.remedy,
            list_pmi_types()));
  }
}

std::string pmi_types_of_srun() {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen("srun --mpi=list 2>&1", "r"), pclose);
  if (pipe == nullptr) return "unknown (srun could not be asked)";
  std::string types;
  std::array<char, 256> line{};
  while (fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr) {
    std::string_view word(line.data());
    while (!word.empty() && (word.back() == '\n' || word.back() == ' ')) word.remove_suffix(1);
    while (!word.empty() && (word.front() == '\t' || word.front() == ' ')) word.remove_prefix(1);
    if (word.find("not found") != std::string_view::npos) return "unknown (no srun on this machine)";
    if (!word.empty() && word.find("MPI") == std::string_view::npos)
      types += fmt::format("{}{}", types.empty() ? "" : ", ", word);
  }
  return types.empty() ? "unknown (srun --mpi=list said nothing)" : types;
}

}  // namespace halyard::context
