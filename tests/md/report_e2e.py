# What the program says: table, JSON keys, explain, version, and progress on a terminal only.
import os
import pty
import subprocess
import unittest

from launch import MdTest, command, environment, md

KEYS = ["app", "version", "commit", "ranks", "grid", "atoms", "types", "steps", "dt", "cutoff", "skin", "shift",
        "precision", "device", "gpu", "newton", "overlap", "fixed_order", "thermostat", "energies", "thermo", "loop_s",
        "atom_steps_per_s", "seconds", "exchange_share", "rebuilds", "late_rebuilds", "steps_looked_at",
        "idle_steps", "listed_pairs", "ghosts"]


class Report(MdTest):
    def test_json_has_every_key(self):
        result = self.run_to_json(2, "--melt", 4, "--steps", 5, "--ranks", "1,2,1", "--thermo", 5)
        self.assertEqual(list(result), KEYS)
        self.assertEqual((result["app"], result["ranks"], result["grid"]), ("halyard-md", 2, [1, 2, 1]))
        self.assertEqual((result["atoms"], result["steps"], result["energies"]), (256, 5, "per atom"))
        self.assertEqual([line["step"] for line in result["thermo"]], [0, 5])
        self.assertEqual(list(result["thermo"][0]), ["step", "temp", "pe", "ke", "etot", "press", "momentum"])
        self.assertGreater(result["loop_s"], 0)
        self.assertTrue(0 < result["exchange_share"] < 1)
        self.assertGreater(result["ghosts"], 0)
        self.assertIsNone(result["thermostat"])
        self.assertEqual(result["steps_looked_at"], 0, "the host waits for itself")

    def test_each_pair_is_listed_once_with_newton_and_twice_without(self):
        args = ["--melt", 5, "--steps", 0]
        once = self.run_to_json(2, *args)
        twice = self.run_to_json(3, *args, "--newton", "off")
        self.assertEqual(2 * once["listed_pairs"], twice["listed_pairs"])
        self.assertLess(once["ghosts"], 0.6 * twice["ghosts"])

    def test_the_table_has_the_columns_of_lammps(self):
        lines = self.run_well(2, "--melt", 4, "--steps", 20, "--thermo", 10).stdout.splitlines()
        self.assertEqual(lines[0].split(), ["Step", "Temp", "PE", "KE", "Etot", "Press"])
        self.assertEqual([line.split()[0] for line in lines[1:4]], ["0", "10", "20"])
        step, temp, pe, ke, etot, press = map(float, lines[3].split())
        self.assertAlmostEqual(pe + ke, etot, places=6)

    def test_explain_is_of_rank_zero_or_of_all_ranks_in_order(self):
        one = self.run_well(2, "--melt", 5, "--steps", 1, "--explain").stdout
        self.assertIn("rank 0 of 2", one)
        self.assertNotIn("rank 1 of 2", one)
        both = self.run_well(2, "--melt", 5, "--steps", 1, "--explain", "all").stdout
        self.assertLess(both.index("rank 0 of 2"), both.index("rank 1 of 2"))

    def test_version_and_help_are_printed_once(self):
        self.assertEqual(self.run_well(2, "--version").stdout.count("halyard-md "), 1)
        self.assertEqual(self.run_well(2, "--help").stdout.count("Usage:"), 1)

    def test_no_progress_is_shown_when_standard_error_is_no_terminal(self):
        done = md(1, "--melt", 6, "--steps", 300)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_progress_with_the_remaining_time_is_shown_on_a_terminal(self):
        ours, theirs = pty.openpty()
        program = command(1, ["--melt", "8", "--steps", "1000"])[-5:]
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
