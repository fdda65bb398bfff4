# shellcheck shell=bash
# Sourced in both VMs of tests/rdma/pair: what the two need to act together. All goes through the folder $VM_PAIR.

# Returns when both have come here; a name serves once.
pair_barrier() { # <name>
  : >"$VM_PAIR/barrier.$1.$VM_RANK"
  until [ -e "$VM_PAIR/barrier.$1.$((1 - VM_RANK))" ]; do sleep 0.1; done
}

# mpirun over both hosts, called in both: vm0 runs it, vm1 starts what it asks for. Returns vm0's exit status on both.
pair_mpirun() { # <mpirun option>... <program> [<arg>...]
  pair_barrier mpirun
  if [ "$VM_RANK" -ne 0 ]; then
    serve_commands
    return "$(cat "$VM_PAIR/mpirun.status")"
  fi
  local status=0
  mpirun --mca plm_rsh_agent "$VM_PAIR/remote_shell" --mca oob_tcp_if_include eth0 "$@" || status=$?
  echo $status >"$VM_PAIR/mpirun.status.part"
  mv "$VM_PAIR/mpirun.status.part" "$VM_PAIR/mpirun.status"
  return $status
}

serve_commands() {
  local request
  until [ -e "$VM_PAIR/mpirun.status" ]; do
    for request in "$VM_PAIR/$(hostname)".*.command; do
      [ -e "$request" ] || continue
      mv "$request" "${request%.command}.taken"
      serve_one "${request%.command}" &
    done
    sleep 0.2
  done
}

serve_one() { # <file without its ending>
  local status=0
  bash -c "$(cat "$1.taken")" >"$1.output" 2>&1 </dev/null || status=$?
  echo $status >"$1.status.part"
  mv "$1.status.part" "$1.status"
}
