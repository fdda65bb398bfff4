// launch_check: was this job started as one job? srun without the right PMI gives N copies of a one-rank program, each
// of which believes that it is rank 0 of 1 (field case L01).
#pragma once

#include <functional>
#include <string>

namespace halyard::context {

/// Reads an environment variable; null when it is not set.
using Environment = std::function<const char*(const char* name)>;

/// The process's environment.
const char* process_environment(const char* name);

/// Throws Error(invalid_argument) with a hint when the launcher announces more than one task and MPI says `world_size`
/// 1. `list_pmi_types` answers what the launcher offers, in words; it is asked only then.
void check_launch(int world_size, const Environment& environment, const std::function<std::string()>& list_pmi_types);

/// "pmix, pmi2, none" as `srun --mpi=list` prints them, or why that is not known.
std::string pmi_types_of_srun();

}  // namespace halyard::context
