"""Runs a libFuzzer program for some seconds: run_fuzz.py PROGRAM SECONDS CORPUS...

All of the corpora, which are kept as they are, are run first. An input that breaks the program is printed.
"""
import os
import subprocess
import sys
import tempfile


def main(program, seconds, corpora):
    with tempfile.TemporaryDirectory(prefix="halyard-md-fuzz-") as folder:
        found, broken = os.path.join(folder, "found"), os.path.join(folder, "broken-")
        os.mkdir(found)
        done = subprocess.run([program, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=1024",
                               "-max_len=4096", "-print_final_stats=1", f"-artifact_prefix={broken}", found, *corpora],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=100)
        print("\n".join(done.stdout.splitlines()[-40:]))
        for name in sorted(os.listdir(folder)):
            if name.startswith("broken-"):
                with open(os.path.join(folder, name), "rb") as file:
                    print(f"{name}: {file.read()!r}")
        kept = sum(len(files) for corpus in corpora for _, _, files in os.walk(corpus))
        if done.returncode == 0 and kept == 0:
            print("there is no corpus; a run from nothing proves little")
            return 1
        return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
