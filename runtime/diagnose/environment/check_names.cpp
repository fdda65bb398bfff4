// env-names: variables of NCCL, UCX, Open MPI and Halyard that nobody reads, with the nearest real one. The installed
// UCX and Open MPI are asked for what they read, but only when such a variable is set.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnose/environment/checks.hpp"
#include "diagnose/environment/known_names.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::environment {
namespace {

constexpr std::string_view kUcx = "UCX_";
constexpr std::string_view kOpenMpi = "OMPI_MCA_";

std::string what_says(const facts::Root& root, const std::string& question) {
  const facts::Reading reading = root.output(question);
  return reading.ok() && !reading.is_cut ? reading.text : std::string();  // half a list would call real names unknown
}

InstalledNames ask_installed(const Machine& machine) {
  bool is_ucx_set = false;
  std::set<std::string> frameworks;
  for (const Variable& variable : machine.variables()) {
    is_ucx_set |= variable.name.starts_with(kUcx);
    if (!variable.name.starts_with(kOpenMpi)) continue;
    const std::string name = variable.name.substr(kOpenMpi.size());
    frameworks.insert(name.substr(0, name.find('_')));
  }
  InstalledNames names;
  if (is_ucx_set) names.ucx = installed_ucx_names(what_says(machine.root(), "ucx_info -c -f -a"));
  for (const std::string& framework : frameworks)
    if (is_open_mpi_framework(framework)) {
      const auto text = what_says(machine.root(), "ompi_info --param " + framework + " all --level 9 --parsable");
      for (std::string& name : installed_open_mpi_names(text)) names.open_mpi.push_back(std::move(name));
    }
  return names;
}

Finding unknown_name(const Variable& variable, const NameJudgement& judgement) {
  const std::string better =
      judgement.note.empty() ? fmt::format("if you meant {}, set that", judgement.nearest) : judgement.note;
  return {"",
          variable.name,
          Verdict::warn,
          fmt::format("nobody reads {}; the nearest real name is {}", variable.name, judgement.nearest),
          {fmt::format("{}={}", variable.name, facts::quoted_text(variable.value))},
          fmt::format("unset {}; {}", variable.name, better)};
}

Finding of_other_version(const Variable& variable, const NameJudgement& judgement) {
  return {"",
          variable.name,
          Verdict::warn,
          fmt::format("{} has no effect here: {}", variable.name, judgement.note),
          {fmt::format("{}={}", variable.name, facts::quoted_text(variable.value))},
          fmt::format("unset {}, or look up what replaced it", variable.name)};
}

}  // namespace

Findings without_environment(const Machine& machine) {
  if (machine.variables_access() == facts::Access::ok) return {};
  return {{"",
           "",
           Verdict::unknown,
           "there is no environment to look at",
           {facts::evidence_of("/proc/self/environ", {machine.variables_access(), "", false, ""})},
           ""}};
}

Findings check_names(const Machine& machine) {
  Findings findings = without_environment(machine);
  if (!findings.empty()) return findings;
  const InstalledNames installed = ask_installed(machine);
  int num_known = 0;
  for (const Variable& variable : machine.variables()) {
    const NameJudgement judgement = judge_name(variable.name, installed);
    if (judgement.knowledge == Knowledge::unknown) findings.push_back(unknown_name(variable, judgement));
    if (judgement.knowledge == Knowledge::other_version) findings.push_back(of_other_version(variable, judgement));
    if (judgement.knowledge == Knowledge::cannot_tell)
      findings.push_back(
          {"",
           variable.name,
           Verdict::unknown,
           fmt::format("cannot tell whether Open MPI reads {}: its ompi_info was not there to be asked", variable.name),
           {fmt::format("{}={}", variable.name, facts::quoted_text(variable.value))},
           ""});
    num_known += judgement.knowledge == Knowledge::known ? 1 : 0;
  }
  if (findings.empty() && num_known == 0)
    return {{"", "", Verdict::not_applicable, "no variable of NCCL, UCX, Open MPI or Halyard is set", {}, ""}};
  if (findings.empty())
    findings.push_back(
        {"", "", Verdict::ok, fmt::format("all {} variables set are read by their library", num_known), {}, ""});
  return findings;
}

}  // namespace halyard::diagnose::environment
