#!/usr/bin/env python3
"""Smoke tests of `halyard bench particles`: all ways agree, JSON lines whole, bad options refused.

Run by ctest as bench.particles; times are not judged here.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest

import json_lines

KEYS = {"bench", "commit", "machine", "mpi", "ranks", "case", "task", "method", "median_us", "p10_us", "p99_us",
        "ratio_to_mpi_p10", "c2c_ns", "verified", "rounds"}
TASKS = {"ghost refresh", "borders", "migrate 1 %", "migrate 5 %"}
WAYS = {"mpi", "mpi-26", "halyard", "halyard-user"}

command = []  # mpirun and halyard, set by main


def run_bench(ranks, *options):
    mpirun, halyard = command
    return subprocess.run(
        [mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(ranks),
         halyard, "bench", "particles", *options],
        capture_output=True, text=True, timeout=240, check=False)


class BenchParticles(unittest.TestCase):
    def test_all_ways_agree_on_every_task_and_every_line_has_all_keys(self):
        for ranks in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "lines.jsonl")
                json_lines.begin(path)
                done = run_bench(ranks, "--owned", "1500", "--rounds", "2", "--json", path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                lines = json_lines.added(path)
            ways = WAYS | {line["method"] for line in lines if "library" in line}  # Cabana, where it is built in
            self.assertLessEqual(ways - WAYS, {"cabana"})
            self.assertEqual({(line["task"], line["method"]) for line in lines}, {(t, w) for t in TASKS for w in ways})
            for line in lines:
                self.assertLessEqual(KEYS, set(line))
                self.assertIs(line["verified"], True, line)
                self.assertGreater(line["p10_us"], 0)
                self.assertEqual("ratio_to_cabana_p10" in line, "cabana" in ways)
                self.assertGreater(line["case"]["ghost_bytes"], 0)

    def test_nonsense_is_refused_in_words(self):
        for option, value in (("--owned", "0"), ("--leaving", "2"), ("--rounds", "0"), ("--reach", "-1")):
            done = run_bench(1, option, value)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(option, done.stdout + done.stderr)
        done = run_bench(1, "--json", "/nowhere/lines.jsonl")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/lines.jsonl", done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--halyard", required=True)
    parser.add_argument("--mpirun", required=True)
    arguments, rest = parser.parse_known_args()
    command.extend([arguments.mpirun, arguments.halyard])
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
