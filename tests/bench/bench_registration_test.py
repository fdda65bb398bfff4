#!/usr/bin/env python3
"""Smoke tests of `halyard bench registration`: every way verified, JSON lines whole, bad options refused.

Run by ctest as bench.registration; times are not judged here.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest

import json_lines

KEYS = {"bench", "commit", "machine", "case", "method", "registrar", "path", "median_us", "p10_us", "p99_us",
        "verified", "rounds"}
METHODS = ["deregister", "hit", "miss", "register"]

arguments = None


def run_bench(ranks, *options, **environment):
    return subprocess.run(
        [arguments.mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(ranks),
         arguments.halyard, "bench", "registration", *options],
        capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **environment})


def lines_of(*options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lines.jsonl")
        json_lines.begin(path)
        done = run_bench(1, *options, "--json", path)
        return done, json_lines.added(path)


class BenchRegistration(unittest.TestCase):
    def test_every_registrar_size_and_way_is_there_and_verified(self):
        done, lines = lines_of("--sizes", "4kb,64kb", "--rounds", "3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for line in lines:
            self.assertLessEqual(KEYS, set(line))
            self.assertIs(line["verified"], True, line)
            self.assertGreater(line["p10_us"], 0)
            self.assertGreaterEqual(line["p99_us"], line["p10_us"])
        registrars = {"mlock"} if arguments.without_ucx else {"mlock", "ucx"}
        self.assertEqual({line["registrar"] for line in lines}, registrars)
        for registrar in registrars:
            found = [line["method"] for line in lines
                     if line["registrar"] == registrar and line["case"]["bytes"] == 64 * 1024]
            self.assertEqual(sorted(found), METHODS)

    def test_the_registrar_that_is_named_is_the_only_one(self):
        done, lines = lines_of("--sizes", "4096", "--rounds", "2", "--registrar", "mlock")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({line["path"] for line in lines}, {"mlock"})
        self.assertEqual(len(lines), 5, "the four ways, and buffer")

    def test_one_rank_speaks(self):
        done = run_bench(2, "--sizes", "4kb", "--rounds", "2", "--registrar", "mlock")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(" register "), 1, done.stdout)

    def test_what_cannot_be_opened_is_an_error_only_when_it_was_named(self):
        if arguments.without_ucx:
            self.skipTest("built without UCX")
        options = ("--sizes", "4kb", "--rounds", "2")
        done = run_bench(1, *options, "--registrar", "ucx", UCX_TLS="nonesuch")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, "ucx +not run: .*look at UCX_TLS")
        self.assertEqual(run_bench(1, *options, UCX_TLS="nonesuch").returncode, 0)

    def test_bad_options_are_refused_once_and_with_exit_code_2(self):
        for options, word in ((["--sizes", "0"], "--sizes 0"),
                              (["--sizes", "17gb"], "--sizes 18253611008"),
                              (["--sizes", "big"], "big"),
                              (["--registrar", "nonesuch"], "known are mlock, ucx"),
                              (["--rounds", "0"], "--rounds 0"),
                              (["--json", "/nonexistent/lines.jsonl"], "/nonexistent/lines.jsonl"),
                              (["--nonesuch"], "--nonesuch")):
            with self.subTest(options=options):
                done = run_bench(2, *options)
                self.assertEqual(done.returncode, 2, done.stderr)
                said = [line for line in done.stderr.splitlines() if line.startswith("halyard: ")]
                self.assertEqual(len(said), 1, done.stderr)
                self.assertIn(word, said[0])


def main():
    global arguments
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--halyard", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--without-ucx", action="store_true")
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
