// launch: did the launcher give its tasks a way to find each other? srun without the right PMI starts N copies of a
// one-rank program, and each believes to be rank 0 of 1 (field case L01).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "diagnose/launch/checks.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::launch {
namespace {

struct Launcher {
  std::string_view name;
  std::string_view num_tasks;
  std::string_view task;
};

constexpr std::array kLaunchers{
    Launcher{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}, Launcher{"srun", "SLURM_NTASKS", "SLURM_PROCID"},
    Launcher{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, Launcher{"mpiexec", "PMI_SIZE", "PMI_RANK"}};

// What a task finds the others by; any will do.
constexpr std::array<std::string_view, 4> kMeetingPoints{"PMIX_RANK", "PMIX_NAMESPACE", "PMI_RANK", "PMI_FD"};

std::vector<std::string> meeting_points(const Machine& machine) {
  std::vector<std::string> found;
  for (const auto name : kMeetingPoints)
    if (const auto value = machine.variable(name))
      found.push_back(fmt::format("{}={}", name, facts::quoted_text(*value)));
  return found;
}

// "MPI plugin types are...\n\tnone\n\tpmix" -> none, pmix
std::string pmi_types(const facts::Root& root) {
  const auto list = root.output("srun --mpi=list");
  if (!list.ok()) return "unknown (srun --mpi=list: " + std::string(name_of(list.access)) + ")";
  std::vector<std::string> types;
  for (const auto line : facts::lines_of(list.text))
    if (line.find("MPI") == std::string_view::npos) types.push_back(facts::quoted_text(facts::trimmed(line)));
  return fmt::format("{}", fmt::join(types, ", "));
}

const Launcher* launcher_of(const Machine& machine) {
  for (const Launcher& launcher : kLaunchers)
    if (machine.variable(launcher.num_tasks) && machine.variable(launcher.task)) return &launcher;
  return nullptr;
}

Finding without_meeting_point(const Machine& machine, const Launcher& launcher, std::int64_t num_tasks) {
  const auto type = machine.variable("SLURM_MPI_TYPE");
  return {
      "",
      "",
      Verdict::fail,
      fmt::format("{} started {} tasks and gave them no PMI: an MPI program runs {} times with 1 rank", launcher.name,
                  num_tasks, num_tasks),
      {fmt::format("{}={}", launcher.num_tasks, num_tasks),
       "none of PMIX_RANK, PMIX_NAMESPACE, PMI_RANK, PMI_FD is set",
       type ? fmt::format("SLURM_MPI_TYPE={}", facts::quoted_text(*type)) : "SLURM_MPI_TYPE is not set",
       "PMI types of srun: " + pmi_types(machine.root())},
      "start it with 'srun --mpi=pmix' (MpiDefault=pmix in slurm.conf makes it the default), or with mpirun inside the "
      "allocation"};
}

}  // namespace

Findings check_launch(const Machine& machine) {
  if (machine.variables_access() != facts::Access::ok)
    return {{"",
             "",
             Verdict::unknown,
             "there is no environment to look at",
             {facts::evidence_of("/proc/self/environ", {machine.variables_access(), "", false, ""})},
             ""}};
  const Launcher* launcher = launcher_of(machine);
  if (launcher == nullptr) return {{"", "", Verdict::not_applicable, "not started by srun, mpirun or mpiexec", {}, ""}};
  const auto announced = *machine.variable(launcher->num_tasks);
  const auto num_tasks = facts::number_in(announced);
  const std::string evidence = fmt::format("{}={}", launcher->num_tasks, facts::quoted_text(announced));
  if (!num_tasks) return {{"", "", Verdict::unknown, "cannot read how many tasks there are", {evidence}, ""}};
  if (*num_tasks <= 1) return {{"", "", Verdict::ok, "one task was started", {evidence}, ""}};
  auto found = meeting_points(machine);
  if (found.empty() && launcher->name == "srun") return {without_meeting_point(machine, *launcher, *num_tasks)};
  found.insert(found.begin(), evidence);
  return {{"", "", Verdict::ok, fmt::format("{} started {} tasks that can find each other", launcher->name, *num_tasks),
           found, ""}};
}

}  // namespace halyard::diagnose::launch
