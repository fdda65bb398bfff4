"""Field case L01: srun without the right PMI starts N copies of a one-rank program. Halyard refuses each of them."""

import argparse
import os
import subprocess
import sys

TASKS = 3


def start(program, task, extra):
    environment = dict(os.environ, SLURM_NTASKS=str(TASKS), SLURM_PROCID=str(task), **extra)
    return subprocess.Popen([program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run_three(program, **extra):
    processes = [start(program, task, extra) for task in range(TASKS)]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    return [(process.returncode, output) for process, output in zip(processes, outputs)]


def complaints(program):
    for task, (code, output) in enumerate(run_three(program)):
        if code != 3:
            yield f"task {task} ended with {code}, not 3\n{output}"
        for word in ("announces 3 tasks", f"this is task {task}", "--mpi=pmix", "PMI types", "HALYARD_SINGLETON=1"):
            if word not in output:
                yield f"task {task} does not say '{word}'\n{output}"
    for task, (code, output) in enumerate(run_three(program, HALYARD_SINGLETON="1")):
        if code != 0:
            yield f"HALYARD_SINGLETON=1: task {task} ended with {code}\n{output}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    found = list(complaints(parser.parse_args().program))
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
