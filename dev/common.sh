# Sourced by the scripts in dev/. Leaves the caller in the top folder of the repository.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() {
  warn "$(basename "$0"): $*"
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# Halyard refuses HALYARD_* variables that it does not know; results must not depend on those it does.
forget_halyard_variables() {
  local name
  for name in ${!HALYARD_@}; do unset "$name"; done
}

# Containers run as root, and machines with fewer cores than ranks are welcome.
allow_mpi_here() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
}
