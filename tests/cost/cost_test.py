#!/usr/bin/env python3
"""Counting costs a host exchange at most 1 % of its instructions, tracing at most 5 % (26 neighbors, 32 cells cubed).

Runs cost_main under callgrind, which collects only inside the functions start_<watch>_<form> and wait_<watch>_<form>,
and compares what they cost together with their callees.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

LIMITS = {"counted": 0.01, "traced": 0.05}
FORMS = ("packed", "in_place")


def collect(program, work):
    profile = work / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", "--collect-atstart=no"]
    command += [f"--toggle-collect={part}_{watch}_{form}*" for part in ("*start", "*wait")
                for watch in ("nobody", "counted", "traced") for form in FORMS]
    subprocess.run(command + [program], check=True, stderr=subprocess.PIPE, text=True)
    return subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(profile)], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def instructions(listing):
    """Instructions by (watch, form)."""
    total = {}
    pattern = re.compile(r"^\s*([\d,]+) .*::(start|wait)_(nobody|counted|traced)_(packed|in_place)\(", re.M)
    for count, _, watch, form in pattern.findall(listing):
        total[watch, form] = total.get((watch, form), 0) + int(count.replace(",", ""))
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if not shutil.which("valgrind") or not shutil.which("callgrind_annotate"):
        print("skipped: valgrind with callgrind is not installed")
        return 77
    found = instructions(collect(arguments.program, arguments.work))
    if len(found) != 6:
        sys.exit(f"expected 6 measurements in callgrind's listing, found {sorted(found)}")
    is_good = True
    for form in FORMS:
        base = found["nobody", form]
        for watch, limit in LIMITS.items():
            more = found[watch, form] / base - 1
            is_good = is_good and more <= limit
            print(f"{form}, {watch}: {base} instructions and {100 * more:.2f} % more; limit {100 * limit:.0f} %"
                  f"{'' if more <= limit else ': TOO MUCH'}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
