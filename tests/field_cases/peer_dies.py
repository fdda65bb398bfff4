"""Field case T01: a rank is killed with SIGKILL; the survivors learn who it was, in time, and nothing is left over."""

import argparse
import os
import pathlib
import re
import subprocess
import sys

DEADLINE = 2.0
SLACK = 5.0
LINE = re.compile(r"survivor (\d+) (\w+) ([\d.]+) ([\d.]+) (.*)")

# path, whose memory, shape, ranks; then what the survivors may say
CASES = [
    ("shared", "halyard", "ring", 3, {"peer_failed"}),
    ("shared", "user", "ring", 3, {"peer_failed"}),
    ("shared", "user", "row", 4, {"peer_failed"}),
    ("ucx", "user", "ring", 3, {"peer_failed", "timeout"}),
    ("verbs", "user", "ring", 3, {"peer_failed", "timeout", "transport_failed"}),
    ("mpi", "user", "ring", 3, {"timeout", "transport_failed", "peer_failed"}),
]


def run(arguments, path, memory, shape, ranks):
    program = [arguments.program, path, memory, str(DEADLINE), shape]
    command = [arguments.mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--enable-recovery",
               "-np", str(ranks), *program]
    if arguments.ranks:
        command = ["bash", arguments.ranks, str(ranks), path, "--enable-recovery", "--", *program]
    environment = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1")
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=90)


def complaints(case, output, segments_left):
    path, _, shape, ranks, codes = case
    found = {int(m.group(1)): m for m in map(LINE.search, output.splitlines()) if m}
    if set(found) != set(range(ranks)) - {1}:
        yield f"survivors that reported: {sorted(found)}"
    for rank, match in found.items():
        code, known, again, text = match.group(2), float(match.group(3)), float(match.group(4)), match.group(5)
        if code not in codes:
            yield f"rank {rank}: code {code}: {text}"
        if known > DEADLINE + SLACK:
            yield f"rank {rank} knew after {known} s"
        if again > 0.5:
            yield f"rank {rank}: the next exchange took {again} s to fail"
        if not re.search(r"rank 1\b", text):
            yield f"rank {rank} does not name rank 1: {text}"
        if path == "shared" and shape == "ring" and not re.search(r"of rank 1 is gone|because of rank 1", text):
            yield f"rank {rank} does not say that rank 1 is gone: {text}"
    if segments_left:
        yield f"segments left: {segments_left}"


def segments():
    return {entry.name for entry in pathlib.Path("/dev/shm").glob("halyard.*")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--paths", default="shared,ucx,mpi", help="the paths to try (list)")
    parser.add_argument("--ranks", help="what starts ranks on RDMA devices (tests/rdma/ranks), in place of mpirun")
    arguments = parser.parse_args()
    failed = False
    for case in CASES:
        if case[0] not in arguments.paths.split(","):
            continue
        before = segments()
        output = run(arguments, *case[:4]).stdout
        # Other programs' segments come and go; one of a process that is gone stays.
        left = [name for name in segments() - before if not pathlib.Path("/proc", name.split(".")[2]).exists()]
        for complaint in complaints(case, output, left):
            print(f"{case[:4]}: {complaint}\n{output}")
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
