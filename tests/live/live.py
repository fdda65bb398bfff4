"""`halyard doctor --live` as users call it: between two ranks on host memory, as JSON, alone, and with options that make no
sense. Times are not judged."""

import argparse
import json
import os
import subprocess
import sys
import unittest

HALYARD = []  # the program
MPIRUN = []
QUICK = ["--seconds", "0.02", "--faces", "3,40", "--device", "none"]


def live(*options, ranks=2, **more):
    environment = dict(os.environ, **more)
    return subprocess.run([*MPIRUN, "-np", str(ranks), *HALYARD, "doctor", "--live", *options], capture_output=True,
                          text=True, timeout=100, env=environment)


class Live(unittest.TestCase):
    def test_every_way_is_right_or_says_why_it_is_not_open(self):
        done = live(*QUICK, "--json", HALYARD_PATH="mpi")
        self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: a busy machine made the faster way the slower one
        report = json.loads(done.stdout)
        self.assertEqual((report["ranks"], report["gpu"], report["reference"]), (2, False, "mpi"))
        ways = {way["name"]: way for way in report["ways"]}
        self.assertEqual(set(ways), {"shared", "verbs", "ucx", "mpi"})
        for name, way in ways.items():
            if "not_run" in way:
                self.assertNotEqual(way["not_run"], "")
                continue
            self.assertEqual((way["path"], way["num_wrong"]), (name, 0))
            self.assertEqual([m["face_bytes"] for m in way["measurements"]], [72, 12800])
            self.assertTrue(all(m["median_us"] > 0 for m in way["measurements"]))
            self.assertEqual("speed_up" in way, name != "mpi")
        self.assertNotIn("not_run", ways["shared"])
        self.assertIn("HALYARD_PATH=mpi is ignored for this comparison", report["remarks"])
        self.assertIn("nic", {finding["check"] for finding in report["findings"]})

    def test_the_text_has_the_verdict_first_and_fits_a_screen(self):
        done = live(*QUICK)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^(ok|warn|not applicable): ")
        self.assertLess(len(lines), 24, done.stdout)
        self.assertRegex(done.stdout, r"\n  shared +shared .* yes\n")

    def test_what_makes_no_sense_is_refused_once_with_exit_code_2(self):
        for options, ranks, words in ((QUICK, 1, "mpirun -np 2 halyard doctor --live"), (["--faces", "0"], 2, "face 0"),
                                      (["--device", "emulated"], 2, "emulated"), (["--check", "nic"], 2, "--check")):
            with self.subTest(options=options, ranks=ranks):
                done = live(*options, ranks=ranks)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertEqual(sum(words in line for line in done.stderr.splitlines()), 1, done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--halyard", required=True)
    parser.add_argument("--mpirun", required=True)
    arguments, rest = parser.parse_known_args()
    HALYARD.append(arguments.halyard)
    MPIRUN.extend([arguments.mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"])
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
