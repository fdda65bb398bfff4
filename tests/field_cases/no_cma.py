"""Field case I04: cross-memory attach is not permitted. 1 MiB must still arrive over shared and over ucx."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

NOBODY = 65534
SKIPPED = 77


def as_nobody(folder):
    """What makes a command run without root's rights; nothing when they are not there to begin with."""
    if os.geteuid() != 0:
        return []
    os.chown(folder, NOBODY, NOBODY)
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all"]


def run(arguments, folder, how, path):
    command = as_nobody(folder) + [arguments.mpirun, "--oversubscribe", "--bind-to", "none", "-np", "2",
                                   arguments.program, how, path]
    environment = dict(os.environ, HOME=folder, TMPDIR=folder)
    return subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=80)


def can_read(program, folder):
    return subprocess.run(as_nobody(folder) + ["test", "-x", program], check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--without-ucx", action="store_true")
    arguments = parser.parse_args()
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        print("skipped: no setpriv to give up root's rights with")
        sys.exit(SKIPPED)
    failed = False
    with tempfile.TemporaryDirectory(prefix="halyard-i04-", dir="/tmp") as folder:
        if not can_read(arguments.program, folder):
            print(f"skipped: an unprivileged user may not run {arguments.program}")
            sys.exit(SKIPPED)
        for how in ("seccomp", "dumpable"):
            for path in ("shared", "ucx"):
                if path == "ucx" and arguments.without_ucx:
                    continue
                result = run(arguments, folder, how, path)
                if result.returncode == SKIPPED:
                    print(f"{how}: {result.stdout}")
                    continue
                if result.returncode != 0 or result.stdout.count(f"right over {path}") != 2:
                    print(f"{how}, {path}: exit code {result.returncode}\n{result.stdout}")
                    failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
