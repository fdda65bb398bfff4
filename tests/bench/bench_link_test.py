#!/usr/bin/env python3
"""Smoke tests of `halyard bench link`: every path that is open is right, JSON lines whole, bad options refused. Times are
not judged. Run by ctest as bench.link, and in the VM of tests/rdma, with --expect verbs,ucx, over soft-RoCE."""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest

import json_lines

KEYS = {"bench", "commit", "machine", "mpi", "ranks", "bytes", "method", "path", "median_us", "p10_us", "p99_us", "stream",
        "verified", "rounds", "ratios"}
SIZES = [8, 4096, 262144]  # inline, eager and rendezvous of every transport
SMALL = ["--bytes", ",".join(map(str, SIZES)), "--rounds", "3", "--seconds", "1"]

command = []  # what starts two ranks of halyard, set by main
expected = set()


def run_bench(*options, ranks="2"):
    return subprocess.run([*(ranks if word == "RANKS" else word for word in command), "bench", "link", *options],
                          capture_output=True, text=True, timeout=140, check=False)


class BenchLink(unittest.TestCase):
    def test_every_open_path_is_verified_at_every_size_and_every_line_has_all_keys(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lines.jsonl")
            json_lines.begin(path)
            done = run_bench(*SMALL, "--json", path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            lines = json_lines.added(path)
        for line in lines:
            self.assertLessEqual(KEYS, set(line))
            self.assertIs(line["verified"], True, line)
            self.assertGreater(line["p10_us"], 0)
            self.assertGreater(line["stream"]["messages_s"], 0)
            self.assertIn("mpi", line["ratios"])
        for size in SIZES:
            self.assertLessEqual(expected, {line["method"] for line in lines if line["bytes"] == size})

    def test_what_is_not_open_says_why(self):
        done = run_bench("--bytes", "8", "--rounds", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in {"verbs", "ucx", "shared", "mpi-channel", "mpi"} - expected:
            self.assertRegex(done.stdout, rf"\n{name} +(not run: \S.*|.* yes)\n")

    def test_bad_options_are_refused_once_and_with_exit_code_2(self):
        for options, word in ((["--bytes", "0"], "--bytes 0"), (["--bytes", "12"], "--bytes 12"),
                              (["--bytes", "134217728"], "--bytes 134217728"), (["--only", "nonesuch"], "nonesuch"),
                              (["--rounds", "0"], "--rounds 0"), (["--seconds", "0"], "--seconds 0"),
                              (["--json", "/nonexistent/lines.jsonl"], "/nonexistent/lines.jsonl"),
                              (["--nonesuch"], "--nonesuch")):
            with self.subTest(options=options):
                self.is_refused(run_bench(*options), word)
        self.is_refused(run_bench(ranks="3"), "between 2 ranks, and here are 3")

    def is_refused(self, done, word):
        self.assertEqual(done.returncode, 2, done.stderr)
        said = [line for line in done.stderr.splitlines() if line.startswith("halyard: ")]
        self.assertEqual(len(said), 1, done.stderr)
        self.assertIn(word, said[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--halyard", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--ranks", help="tests/rdma/ranks, which gives each rank an RDMA device, in place of mpirun")
    parser.add_argument("--expect", default="mpi-channel,mpi", help="methods that must be there (list)")
    arguments, rest = parser.parse_known_args()
    expected.update(arguments.expect.split(","))
    if arguments.ranks:
        if not os.path.isdir("/dev/infiniband"):
            print("SKIP: no RDMA device here; run it in the VM: tests/rdma/vm -n wire -- ctest --preset rdma -R bench_link")
            sys.exit(77)
        command.extend(["bash", arguments.ranks, "RANKS", "ucx", "--", arguments.halyard])
    else:
        command.extend([arguments.mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", "RANKS",
                        arguments.halyard])
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
