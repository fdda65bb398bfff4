// known_names: does anybody read this variable? For the families NCCL_*, UCX_*, OMPI_MCA_* and HALYARD_*, by what the
// installed library says where it was asked, else by tables. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halyard::diagnose {

/// What installed libraries said they read, without UCX_ and OMPI_MCA_. Of Open MPI all names of the frameworks that it
/// was asked for. Empty: not asked.
struct InstalledNames {
  std::vector<std::string> ucx;
  std::vector<std::string> open_mpi;
};

/// From the output of `ucx_info -c -f -a`.
std::vector<std::string> installed_ucx_names(std::string_view ucx_info);
/// From the output of `ompi_info --param FRAMEWORK all --level 9 --parsable`.
std::vector<std::string> installed_open_mpi_names(std::string_view ompi_info);

/// "btl", "pml", …: may begin the name of an MCA parameter of Open MPI 4.1 or 5.0.
bool is_open_mpi_framework(std::string_view word);

enum class Knowledge {
  other_family,   // not a variable of ours to judge
  known,          // the library reads it
  cannot_tell,    // Open MPI's, and ompi_info was not there to be asked
  other_version,  // read by other versions or builds than the installed one
  unknown,        // nobody reads it
};

struct NameJudgement {
  Knowledge knowledge = Knowledge::other_family;
  std::string nearest;  // a real name, whole, when unknown
  std::string note;     // which version reads it, or what people meant by it
};

NameJudgement judge_name(std::string_view variable, const InstalledNames& installed);

}  // namespace halyard::diagnose
