// cuda-aware: do UCX and MPI take pointers to GPU memory? UCX is asked for the transports that it could open; what MPI
// was built with is a claim that only a trial confirms (field case L07): `halyard doctor --live` makes it.
#include <fmt/format.h>

#include "diagnose/software/checks.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::software {
namespace {

constexpr std::string_view kUcxDevices = "ucx_info -d";
constexpr std::string_view kMpiFacts = "ompi_info --param mpi all --level 9 --parsable";
constexpr std::string_view kMpiTrial = "trial mpi-gpu-memory";

std::string line_with(std::string_view text, std::string_view word) {
  for (const auto line : facts::lines_of(text))
    if (line.find(word) != std::string_view::npos) return facts::quoted_text(line);
  return {};
}

Finding judge_ucx(const facts::Root& root) {
  const auto devices = root.output(kUcxDevices);
  if (!devices.ok())
    return {"",
            "UCX",
            Verdict::unknown,
            "cannot ask UCX which transports it has",
            {facts::evidence_of(kUcxDevices, devices)},
            ""};
  const std::string copy = line_with(devices.text, "cuda_copy");
  const std::string ipc = line_with(devices.text, "cuda_ipc");
  if (copy.empty())
    return {"",
            "UCX",
            Verdict::warn,
            "UCX opens no CUDA transport: a pointer to GPU memory crashes it or is refused",
            {fmt::format("{}: no cuda_copy", kUcxDevices)},
            "install UCX's CUDA module (package ucx-cuda, or a build with --with-cuda); if it is there, "
            "'UCX_LOG_LEVEL=debug ucx_info -d' says why it does not load"};
  return {"",
          "UCX",
          Verdict::ok,
          fmt::format("UCX takes GPU memory ({})", ipc.empty() ? "without CUDA IPC" : "with CUDA IPC"),
          {fmt::format("{}: \"{}\"", kUcxDevices, copy)},
          ""};
}

Finding judge_mpi(const facts::Root& root) {
  const auto trial = root.output(kMpiTrial);
  if (trial.access != facts::Access::missing)
    return {"",
            "MPI",
            trial.ok() ? Verdict::ok : Verdict::warn,
            trial.ok() ? "MPI takes GPU memory, tried" : "MPI does not take GPU memory, tried",
            {facts::evidence_of(kMpiTrial, trial)},
            trial.ok() ? ""
                       : "let Halyard move GPU memory (it never gives MPI a device pointer), or use an Open MPI built "
                         "--with-cuda over UCX"};
  const auto facts_text = root.output(kMpiFacts);
  const std::string built = line_with(facts_text.text, "built_with_cuda_support:value");
  if (!facts_text.ok() || built.empty())
    return {"",
            "MPI",
            Verdict::unknown,
            "cannot tell whether MPI takes GPU memory",
            {facts::evidence_of(kMpiFacts, {facts_text.access, "", false, facts_text.trouble})},
            ""};
  if (built.ends_with(":false"))
    return {"",
            "MPI",
            Verdict::warn,
            "this Open MPI was built without CUDA: a pointer to GPU memory crashes it",
            {fmt::format("{}: \"{}\"", kMpiFacts, built)},
            "let Halyard move GPU memory (it never gives MPI a device pointer), or use an Open MPI built --with-cuda "
            "over UCX"};
  return {"",
          "MPI",
          Verdict::unknown,
          "Open MPI was built with CUDA, which does not say that it works here",
          {fmt::format("{}: \"{}\"", kMpiFacts, built)},
          "try it: mpirun -np 2 halyard doctor --live"};
}

}  // namespace

Findings check_cuda_aware(const Machine& machine) {
  if (!machine.has_gpu()) {
    const bool is_known = machine.pci().access == facts::Access::ok && !machine.pci().is_cut;
    return {{"",
             "",
             is_known ? Verdict::not_applicable : Verdict::unknown,
             is_known ? "no GPU" : "cannot see whether there is a GPU",
             {facts::evidence_of("/sys/bus/pci/devices", {machine.pci().access, "", false, ""})},
             ""}};
  }
  return {judge_ucx(machine.root()), judge_mpi(machine.root())};
}

}  // namespace halyard::diagnose::software
