# What the program says: JSON keys, explain, summary, version, and progress on a terminal only.
import os
import pty
import subprocess
import unittest

from launch import StencilTest, command, environment, stencil

KEYS = ["app", "version", "commit", "ranks", "grid", "cells", "periodic", "steps", "device", "gpu", "stencil", "radius",
        "coefficient", "memory", "overlap", "time_per_step_us", "exchange_us", "exposed_us", "compute_us", "bytes_per_step", "paths",
        "error", "verified"]


class Report(StencilTest):
    def test_json_has_every_key_and_paths_of_every_rank(self):
        result, _ = self.run_to_json(2, "--verify", "--cells", "8,8,8", "--steps", 5, "--ranks", "2,1,1")
        self.assertEqual(list(result), KEYS)
        self.assertEqual((result["app"], result["device"], result["ranks"]), ("halyard-stencil", "host", 2))
        self.assertEqual((result["grid"], result["cells"], result["steps"]), ([2, 1, 1], [8, 8, 8], 5))
        for key in ("time_per_step_us", "exchange_us", "exposed_us"):
            spread = result[key]
            self.assertEqual(list(spread), ["min", "median", "p99"])
            self.assertTrue(0 < spread["min"] <= spread["median"] <= spread["p99"], spread)
        links = {(line["rank"], line["neighbor"]) for line in result["paths"]}
        self.assertEqual(links, {(0, 0), (0, 1), (1, 0), (1, 1)})
        for line in result["paths"]:
            self.assertEqual(line["path"] == "self", line["rank"] == line["neighbor"])
            self.assertTrue(line["reason"])
        self.assertEqual(result["bytes_per_step"], sum(line["bytes"] for line in result["paths"]))
        ghosts = 2 * (2 * 64 + 4 * 32) * 8  # of both ranks; sections of a message are aligned, so it may be more
        self.assertGreaterEqual(result["bytes_per_step"], ghosts)

    def test_what_was_not_asked_is_null(self):
        result, done = self.run_to_json(1, "--cells", "6", "--steps", 1)
        self.assertIsNone(result["verified"])
        self.assertIsNone(result["error"])
        self.assertIn("not asked for", done.stdout)

    def test_what_only_a_gpu_has_is_null_on_the_host(self):
        result, done = self.run_to_json(2, "--cells", "6", "--steps", 1, "--device", "host")
        self.assertEqual((result["device"], result["gpu"], result["compute_us"]), ("host", None, None))
        self.assertNotIn("compute", done.stdout)

    def test_without_overlap_the_whole_exchange_is_exposed(self):
        result, _ = self.run_to_json(2, "--cells", "8", "--steps", 5, "--no-overlap")
        self.assertEqual(result["exchange_us"], result["exposed_us"])

    def test_explain_is_of_rank_zero_or_of_all_ranks_in_order(self):
        one = self.run_well(2, "--cells", "8", "--steps", 1, "--explain").stdout
        self.assertIn("rank 0 of 2", one)
        self.assertNotIn("rank 1 of 2", one)
        both = self.run_well(2, "--cells", "8", "--steps", 1, "--explain", "all").stdout
        self.assertLess(both.index("rank 0 of 2"), both.index("rank 1 of 2"))

    def test_version_and_help_are_printed_once(self):
        self.assertEqual(self.run_well(2, "--version").stdout.count("halyard-stencil "), 1)
        self.assertEqual(self.run_well(2, "--help").stdout.count("--cells"), 1)

    def test_arguments_for_kokkos_are_left_to_kokkos(self):
        self.assertIn("--kokkos-", self.run_well(1, "--cells", "6", "--steps", 1, "--kokkos-help").stdout)

    def test_no_progress_is_shown_when_standard_error_is_no_terminal(self):
        done = stencil(1, "--cells", "24", "--steps", 2000)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_progress_with_the_remaining_time_is_shown_on_a_terminal(self):
        ours, theirs = pty.openpty()
        program = command(1, ["--cells", "64", "--steps", "1000"])[-5:]
        with subprocess.Popen(program, env=environment(1), stdout=subprocess.DEVNULL, stderr=theirs) as run:
            os.close(theirs)
            seen = b""
            try:
                while chunk := os.read(ours, 4096):
                    seen += chunk
            except OSError:
                pass  # the terminal is closed
        os.close(ours)
        self.assertEqual(run.returncode, 0, seen)
        self.assertRegex(seen, rb"step \d+ of 1000, \d+ %, .+ left")


if __name__ == "__main__":
    unittest.main()
