"""Field case I03: ranks in PID namespaces of their own, also with equal pids, exchange fields on a GPU by the same paths."""

import argparse
import shutil
import subprocess
import sys

SKIPPED = 77
UNSHARE = ["unshare", "--pid", "--fork", "--mount-proc"]


def wrapper(own_namespace):
    """A shell command that gives the ranks named a PID namespace of their own; the program and its arguments follow it."""
    cases = "|".join(str(rank) for rank in own_namespace)
    return ["sh", "-c", f'case $OMPI_COMM_WORLD_RANK in {cases}) exec {" ".join(UNSHARE)} "$@";; esac; exec "$@"', "sh"]


def run(arguments, own_namespace):
    # Open MPI's own shared memory takes equal pids for one process and crashes.
    command = [arguments.mpirun, "--mca", "btl", "tcp,self", "--oversubscribe", "--bind-to", "none", "-np", "2", *wrapper(own_namespace),
               arguments.program, "--gtest_filter=Gpu/GpuRanks.*"]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100, check=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    if shutil.which("unshare") is None or subprocess.run(UNSHARE + ["true"], check=False, stderr=subprocess.DEVNULL).returncode:
        print("skipped: this user may not make a PID namespace with unshare")
        sys.exit(SKIPPED)
    failed = False
    for own_namespace in ([1], [0, 1]):
        result = run(arguments, own_namespace)
        if result.returncode != 0 or "[  PASSED  ]" not in result.stdout:
            print(f"ranks {own_namespace} in namespaces of their own: exit code {result.returncode}\n{result.stdout}")
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
