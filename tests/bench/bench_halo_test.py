#!/usr/bin/env python3
"""Smoke tests of `halyard bench halo`: every method right, JSON lines whole, bad options refused.

Run by ctest as bench.halo; times are not judged here (tests/speed does that).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

import json_lines

KEYS = {"bench", "commit", "machine", "mpi", "ranks", "case", "method", "path", "median_us",
        "p10_us", "p99_us", "bytes", "c2c_ns", "verified"}
CASE_KEYS = {"cells", "width", "fields", "neighbors", "memory", "cache"}
METHODS = {"b", "best-mpi", "derived", "neighbor-alltoallw", "f", "g2", "halyard", "halyard-user",
           "halyard-index"}
SMALL = ["--cells", "16", "--width", "1,3", "--fields", "2", "--rounds", "3"]

command = []  # mpirun and halyard, set by main


def run_bench(ranks, *options):
    mpirun, halyard = command
    return subprocess.run(
        [mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(ranks),
         halyard, "bench", "halo", *options],
        capture_output=True, text=True, timeout=240, check=False)


class BenchHalo(unittest.TestCase):
    def test_every_method_is_verified_and_every_line_has_all_keys(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lines.jsonl")
            json_lines.begin(path)
            done = run_bench(2, *SMALL, "--json", path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            lines = json_lines.added(path)
        for line in lines:
            self.assertLessEqual(KEYS, set(line))
            self.assertLessEqual(CASE_KEYS, set(line["case"]))
            self.assertIs(line["verified"], True, line)
            self.assertGreater(line["p10_us"], 0)
            self.assertGreaterEqual(line["p99_us"], line["p10_us"])
            self.assertEqual(line["case"]["neighbors"], 26)
        for cache in ("warm", "cold"):
            for width in (1, 3):
                found = [line["method"] for line in lines
                         if line["case"]["cache"] == cache and line["case"]["width"] == width]
                self.assertEqual(sorted(found), sorted(METHODS))

    def test_the_table_fits_100_columns(self):
        done = run_bench(2, *SMALL, "--cache", "warm")
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_halo_bytes_are_those_of_all_ghosts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lines.jsonl")
            run_bench(1, "--cells", "8", "--width", "2", "--fields", "3", "--rounds", "2",
                      "--only", "g2", "--cache", "warm", "--json", path)
            with open(path, encoding="utf-8") as file:
                line = json.loads(file.readline())
        self.assertEqual(line["bytes"], (12**3 - 8**3) * 3 * 8)

    def test_more_ranks_than_cores_are_right_too(self):
        done = run_bench(4, "--cells", "8", "--width", "1", "--fields", "1", "--rounds", "2",
                         "--cache", "warm")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_faces_of_one_axis_are_right_by_every_method(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lines.jsonl")
            json_lines.begin(path)
            done = run_bench(2, "--cells", "8", "--width", "2", "--fields", "2", "--axis", "x,z", "--rounds", "2",
                             "--cache", "warm", "--json", path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            lines = json_lines.added(path)
        for axis in "xz":
            found = [line for line in lines if line["axis"] == axis]
            self.assertEqual(sorted(line["method"] for line in found), sorted(METHODS))
            self.assertEqual({line["bytes"] for line in found}, {2 * 2 * 8 * 8 * 2 * 8})

    def test_a_method_that_is_skipped_is_not_there(self):
        done = run_bench(2, *SMALL, "--cache", "warm", "--only", "b,g2", "--skip", "g2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("\ng2 ", done.stdout)

    def test_without_cuda_or_a_gpu_the_device_is_refused_clearly(self):
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("there is a GPU here; dev/gpu runs the bench on it")
        done = run_bench(2, "--device", "cuda")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "halyard: --device cuda: (no GPU here|this halyard was built without CUDA)")

    def test_bad_options_are_refused_once_and_with_exit_code_2(self):
        for options, word in ((["--cells", "0"], "--cells 0"),
                              (["--cells", "4", "--width", "5"], "--width 5"),
                              (["--only", "nonesuch"], "nonesuch"),
                              (["--ranks", "3,1,1"], "--ranks 3"),
                              (["--rounds", "-1"], "--rounds -1"),
                              (["--cache", "tepid"], "tepid"),
                              (["--json", "/nonexistent/lines.jsonl"], "/nonexistent/lines.jsonl"),
                              (["--skip", "nonesuch"], "nonesuch"),
                              (["--axis", "w"], "w"),
                              (["--reach", "full"], "--reach"),
                              (["--device", "tpu"], "tpu"),
                              (["--device", "cuda", "--axis", "w"], "w"),
                              (["--device", "cuda", "--axis", "x", "--reach", "full"], "--reach"),
                              (["--device", "cuda", "--fields", "2"], "--fields 2"),
                              (["--nonesuch"], "--nonesuch")):
            with self.subTest(options=options):
                done = run_bench(2, *options)
                self.assertEqual(done.returncode, 2, done.stderr)
                said = [line for line in done.stderr.splitlines() if line.startswith("halyard: ")]
                self.assertEqual(len(said), 1, done.stderr)
                self.assertIn(word, said[0])
                self.assertEqual(done.stdout.count("c2c"), 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--halyard", required=True)
    parser.add_argument("--mpirun", required=True)
    arguments, rest = parser.parse_known_args()
    command.extend((arguments.mpirun, arguments.halyard))
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
