// See locked_memory.hpp.
#include "memory/locked_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

namespace halyard::memory {

std::string locked_memory_text() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return "locked memory is not limited (ulimit -l), so the NIC or the machine has no more; use less at once or lower "
           "HALYARD_REGISTRATION_LIMIT";
  const std::string hard = limit.rlim_max == RLIM_INFINITY ? "none" : fmt::format("{} bytes", limit.rlim_max);
  return fmt::format(
      "locked memory is limited to {} bytes (ulimit -l; hard limit {}): raise it with 'ulimit -l unlimited' in the job "
      "script, for all jobs with LimitMEMLOCK=infinity in slurmd.service, for all logins in /etc/security/limits.conf; "
      "'halyard doctor --check memlock' shows what holds",
      limit.rlim_cur, hard);
}

}  // namespace halyard::memory
