#!/usr/bin/env python3
"""Runs cases of cases.txt: makes a checker of channel.pml with SPIN, runs it, compares what it finds.

check_model.py [--work FOLDER] [--list] [CASE...]: all cases if none is named. Prints one line per case; when a
case finds what it should not, also the steps that lead there. Exits 77 when SPIN or gcc is not installed.
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
CANNOT_RUN = 77
MEMORY_MIB = 1800
# What the text of a violated assertion (see the CHECK macros of channel.pml) says, the first that matches.
ASSERTIONS = ((r"==254", "overwrite"), (r"border", "border"), (r"<=1", "ahead"), (r"slot|ghost", "stale"),
              (r"<\(", "credit"), (r"", "word"))
PROGRESS_KINDS = ("ends", "livelock")


def read_cases():
    """name: (kind, [define...])"""
    lines = (line.split() for line in (HERE / "cases.txt").read_text().splitlines() if line[:1] not in ("#", ""))
    return {name: (kind, defines) for name, kind, *defines in lines}


def run(command, work):
    done = subprocess.run(command, cwd=work, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def must_run(command, work):
    code, output = run(command, work)
    if code != 0:
        sys.exit(f"{' '.join(command)} exited with {code}:\n{output}")


def commands(kind, defines):
    """What makes the checker, compiles it, and runs it."""
    is_progress, is_sound = kind in PROGRESS_KINDS, kind in ("holds", "ends")
    is_large, polls = "LARGE" in defines, "POLLS" in defines
    more = ["PROGRESS"] * is_progress + ["CHECK_WORDS"] * is_sound
    spin = ["spin", "-a", *(f"-D{define}" for define in defines + more), "channel.pml"]
    gcc = ["gcc", "-w", "-O1" if is_large else "-O0", f"-DMEMLIM={MEMORY_MIB}", "-o", "pan", "pan.c"]
    gcc += ["-DNP", "-DNFAIR=4"] if is_progress else ["-DSAFETY"]
    pan = ["./pan", "-m500000", "-w24" if is_large else "-w18"]
    pan += ["-l"] * is_progress + ["-f"] * (is_progress and polls)
    return spin, gcc, pan


def violation_in(output):
    """The kind of the violation that the checker reports, or None."""
    if found := re.search(r"assertion violated (.*) \(at depth", output):
        return next(kind for pattern, kind in ASSERTIONS if re.search(pattern, found.group(1)))
    if "invalid end state (" in output:
        return "deadlock"
    return "livelock" if "non-progress cycle (" in output else None


def incomplete_in(output):
    """Why a search that found nothing proves nothing, or None."""
    unreached = [line.strip() for line in output.splitlines() if re.search(r', state \d+, "(?!-end-)', line)]
    if not re.search(r"errors: 0$", output, re.MULTILINE):
        return "the checker did not end"
    if "max search depth too small" in output or "Search not completed" in output:
        return "the search was cut short"
    return f"never reached: {'; '.join(unreached)}" if unreached else None


def verdict_of(kind, output):
    """(what was found, whether that is right)"""
    found = violation_in(output)
    if found or kind not in ("holds", "ends"):
        return found or "nothing", found == kind
    problem = incomplete_in(output)
    return problem or kind, problem is None


def steps_to_violation(spin, work):
    defines = [word for word in spin if word.startswith("-D")]
    _, output = run(["spin", "-t", "-p", "-g", *defines, "channel.pml"], work)
    return "\n".join(output.splitlines()[-80:])


def run_case(name, kind, defines, work):
    """Prints the line of a case; returns whether it found what it should."""
    start = time.monotonic()
    for model in HERE.glob("*.pml"):
        shutil.copy(model, work)
    spin, gcc, pan = commands(kind, defines)
    must_run(spin, work)
    must_run(gcc, work)
    _, output = run(pan, work)
    found, is_right = verdict_of(kind, output)
    states = re.search(r"(\d+) states, stored", output)
    print(f"{name}: {found if is_right else f'FAILED: found {found}, expected {kind}'}, "
          f"{states.group(1) if states else 'no'} states, {time.monotonic() - start:.1f} s", flush=True)
    if not is_right:
        print(output, steps_to_violation(spin, work) if violation_in(output) else "", sep="\n")
    return is_right


def parse_arguments(cases):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, help="where the checker is built and left (default: a temporary folder)")
    parser.add_argument("--list", action="store_true", help="print the cases")
    parser.add_argument("case", nargs="*")
    arguments = parser.parse_args()
    if unknown := set(arguments.case) - set(cases):
        parser.error(f"cases.txt has no {', '.join(sorted(unknown))}")
    return arguments


def main():
    cases = read_cases()
    arguments = parse_arguments(cases)
    if arguments.list:
        print(*cases, sep="\n")
        return 0
    for program in ("spin", "gcc"):
        if not shutil.which(program):
            print(f"SKIP: {program} is not installed; run dev/setup")
            return CANNOT_RUN
    with tempfile.TemporaryDirectory() as temporary:
        work = arguments.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        results = [run_case(name, *cases[name], work) for name in arguments.case or cases]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
