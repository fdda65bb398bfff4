// See known_names.hpp. Each family has a function; the tables are in name_tables.hpp.
#include "diagnose/environment/known_names.hpp"

#include <algorithm>
#include <array>

#include "base/nearest_name.hpp"
#include "base/option_names.hpp"
#include "diagnose/environment/name_tables.hpp"
#include "diagnose/environment/variables.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose {
namespace {

using Words = std::vector<std::string_view>;

bool contains(const auto& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

NameJudgement known() { return {Knowledge::known, "", ""}; }

NameJudgement unknown(std::string_view prefix, std::string_view name, const Words& real) {
  return {Knowledge::unknown, std::string(prefix) + std::string(base::nearest_name(name, real)), ""};
}

// Where software is installed, as modules and images say it. No library reads these, and nobody means it to.
bool is_location(std::string_view name) {
  static const Words names =
      facts::split("HOME ROOT DIR PATH PREFIX VERSION LIB LIBRARY LIB_DIR LIBDIR INCLUDE INCLUDE_DIR");
  return contains(names, name);
}

// --- NCCL ---

// Names that articles recommend and no NCCL has read, with what does what they promise.
struct Folklore {
  std::string_view name;
  std::string_view instead;
};

constexpr std::array kFolklore{
    Folklore{"GPUDIRECT", "GPUDirect needs no switch; NCCL_NET_GDR_LEVEL says up to which distance it is used"},
    Folklore{"MATH", "there is no such setting"},
    Folklore{"DEVICE_ID", "the program chooses its GPU with cudaSetDevice; CUDA_VISIBLE_DEVICES hides others"},
    Folklore{"SOCKET_TIMEOUT",
             "NCCL_SOCKET_RETRY_CNT and NCCL_SOCKET_RETRY_SLEEP_MSEC say how long a connect is tried"},
    Folklore{"TIMEOUT", "collectives have no timeout in NCCL; NCCL_IB_TIMEOUT is that of a packet"},
    Folklore{"IB_CUDA_SUPPORT", "NCCL 2.4 replaced it by NCCL_NET_GDR_LEVEL"},
    Folklore{"BLOCKING_WAIT", "it is a setting of PyTorch, TORCH_NCCL_BLOCKING_WAIT"},
    Folklore{"ASYNC_ERROR_HANDLING", "it is a setting of PyTorch, TORCH_NCCL_ASYNC_ERROR_HANDLING"}};

bool is_plugin_name(std::string_view name) {
  static const Words prefixes = facts::split("INSPECTOR_ PROFILE_ PROFILER_ TUNER_CONFIG_ TESTS_ OFI_");
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto prefix) { return name.starts_with(prefix); });
}

NameJudgement judge_nccl(std::string_view name) {
  static const Words names = facts::split(kNcclNames);
  static const Words older = facts::split(kNcclOlderNames);
  static const Words newer = facts::split(kNcclNewerNames);
  if (contains(names, name) || is_location(name) || is_plugin_name(name)) return known();
  if (contains(older, name)) return {Knowledge::other_version, "", "NCCL stopped reading it before 2.28"};
  if (contains(newer, name)) return {Knowledge::other_version, "", "NCCL 2.28 does not read it, 2.30 does"};
  NameJudgement judgement = unknown("NCCL_", name, names);
  for (const Folklore& folklore : kFolklore)
    if (folklore.name == name) judgement.note = folklore.instead;
  return judgement;
}

// --- UCX ---

// UCX_RC_VERBS_TIMEOUT may also be said as UCX_RC_TIMEOUT, for all of a group.
bool is_name_of_group(std::string_view name, std::string_view transports, auto&& is_suffix) {
  for (const auto transport : facts::split(transports))
    if (name.starts_with(transport) && name.size() > transport.size() + 1 && name[transport.size()] == '_' &&
        is_suffix(name.substr(transport.size() + 1)))
      return true;
  return false;
}

bool is_in_ucx_tables(std::string_view name) {
  static const Words names = facts::split(kUcxNames);
  static const Words suffixes = facts::split(kUcxTransportNames);
  return contains(names, name) ||
         is_name_of_group(name, kUcxTransports, [](auto suffix) { return contains(suffixes, suffix); });
}

bool is_read_by_installed_ucx(std::string_view name, const std::vector<std::string>& installed) {
  const auto ends_one = [&](std::string_view suffix) {
    const std::string ending = "_" + std::string(suffix);
    return std::any_of(installed.begin(), installed.end(), [&](const auto& whole) { return whole.ends_with(ending); });
  };
  return contains(installed, name) || is_name_of_group(name, "RC UD DC IB MM SM SCOPY", ends_one);
}

NameJudgement judge_ucx(std::string_view name, const std::vector<std::string>& installed) {
  if (is_location(name)) return known();
  const bool is_known_somewhere = is_in_ucx_tables(name);
  if (installed.empty() ? is_known_somewhere : is_read_by_installed_ucx(name, installed)) return known();
  if (is_known_somewhere)
    return {Knowledge::other_version, "", "other versions or builds of UCX read it, the installed one does not"};
  Words real = facts::split(kUcxNames);
  if (!installed.empty()) real.assign(installed.begin(), installed.end());
  return unknown("UCX_", name, real);
}

// --- Open MPI ---

// The installed names count for the frameworks that were asked.
bool is_asked(std::string_view framework, const std::vector<std::string>& installed) {
  return std::any_of(installed.begin(), installed.end(), [&](std::string_view name) {
    return name.starts_with(framework) && (name.size() == framework.size() || name[framework.size()] == '_');
  });
}

NameJudgement judge_open_mpi(std::string_view name, const std::vector<std::string>& installed) {
  Words real = facts::split(kOpenMpiNames);
  const bool is_common = contains(real, name);
  const auto framework = name.substr(0, name.find('_'));
  if (is_asked(framework, installed)) {
    if (contains(installed, name)) return known();
    if (is_common)
      return {Knowledge::other_version, "", "other versions or builds of Open MPI read it, the installed one does not"};
    real.assign(installed.begin(), installed.end());
    return unknown("OMPI_MCA_", name, real);
  }
  if (is_common) return known();
  if (is_open_mpi_framework(framework)) return {Knowledge::cannot_tell, "", "ompi_info was not asked"};
  return unknown("OMPI_MCA_", name, real);
}

// --- Halyard ---

NameJudgement judge_halyard(std::string_view variable) {
  const auto names = base::option_names();
  if (contains(names, variable)) return known();
  return {Knowledge::unknown, std::string(base::nearest_name(variable, names)), "Halyard refuses to start with it"};
}

std::string_view after(std::string_view text, std::string_view prefix) { return text.substr(prefix.size()); }

void add_ucx_name(std::vector<std::string>& names, std::string_view line) {
  if (!line.starts_with("UCX_")) return;
  if (const auto equals = line.find('='); equals != std::string_view::npos)
    names.emplace_back(line.substr(4, equals - 4));
}

// mca:btl:tcp:param:btl_tcp_links:value:1
void add_open_mpi_name(std::vector<std::string>& names, std::string_view line) {
  if (!line.starts_with("mca:")) return;
  const auto words = facts::split(line, ":");
  if (words.size() > 4 && words[3] == "param" && (names.empty() || names.back() != words[4]))
    names.emplace_back(words[4]);
}

}  // namespace

std::vector<std::string> installed_ucx_names(std::string_view ucx_info) {
  std::vector<std::string> names;
  for (const auto line : facts::lines_of(ucx_info)) add_ucx_name(names, line);
  return names;
}

std::vector<std::string> installed_open_mpi_names(std::string_view ompi_info) {
  std::vector<std::string> names;
  for (const auto line : facts::lines_of(ompi_info)) add_open_mpi_name(names, line);
  return names;
}

bool is_open_mpi_framework(std::string_view word) {
  static const Words frameworks = facts::split(kOpenMpiFrameworks);
  return contains(frameworks, word);
}

NameJudgement judge_name(std::string_view variable, const InstalledNames& installed) {
  if (variable.starts_with("NCCL_")) return judge_nccl(after(variable, "NCCL_"));
  if (variable.starts_with("UCX_")) return judge_ucx(after(variable, "UCX_"), installed.ucx);
  if (variable.starts_with("OMPI_MCA_")) return judge_open_mpi(after(variable, "OMPI_MCA_"), installed.open_mpi);
  if (variable.starts_with("HALYARD_")) return judge_halyard(variable);
  return {};
}

}  // namespace halyard::diagnose
