# Bad input: exit code 2, one clear message from rank 0, nothing written, no hang.
import os
import unittest

from launch import DATA, MdTest, md

GOOD = """a gas of four

4 atoms
1 atom types

0 8 xlo xhi
0 8 ylo yhi
0 8 zlo zhi

Atoms # atomic

1 1 1.0 1.0 1.0
2 1 3.0 1.0 1.0
3 1 1.0 3.0 1.0
4 1 1.0 1.0 2.2

Velocities

1 0.1 0 0
2 0 0.1 0
3 0 0 0.1
4 0 0 0
"""


class BadInput(MdTest):
    def refused(self, ranks, *args, env=None):
        """The message of a run that must end with code 2 and leave the folder as it was."""
        before = sorted(os.listdir(self.folder))
        done = md(ranks, *args, env=env)
        lines = [line for line in done.stderr.splitlines() if line.startswith("halyard-md: ")]
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertNotIn("MPI_ABORT", done.stderr)
        return lines[0]

    def refused_data(self, old, new, ranks=1):
        self.assertIn(old, GOOD)
        return self.refused(ranks, "--data", self.write("bad.data", GOOD.replace(old, new, 1)), "--steps", 10,
                            "--dump", self.path("out.dump"))

    def test_the_file_that_the_others_are_made_from_runs(self):
        self.run_well(2, "--data", self.write("good.data", GOOD), "--steps", 10)

    def test_a_file_that_is_garbled_names_line_and_expectation(self):
        text = self.refused_data("3.0 1.0 1.0", "3.0 1.0 l.0", 2)
        self.assertIn("line 13", text)
        self.assertIn("'l.0'", text)
        self.assertIn("bad.data", text)

    def test_a_file_that_is_cut_off_names_where(self):
        text = self.refused(3, "--data", self.write("cut.data", GOOD[:GOOD.index("3 1 1.0")]))
        self.assertIn("ends after line 13", text)

    def test_an_atom_outside_the_box(self):
        self.assertIn("line 12", self.refused_data("1 1 1.0 1.0 1.0", "1 1 1.0 -0.5 1.0", 3))

    def test_ids_that_are_there_twice_or_missing(self):
        self.assertIn("already in line 12", self.refused_data("2 1 3.0", "1 1 3.0"))
        self.assertIn("expected the id of an atom", self.refused_data("4 0 0 0", "5 0 0 0"))

    def test_an_atom_style_that_is_unknown(self):
        self.assertIn("'charge'", self.refused_data("# atomic", "# charge"))

    def test_a_file_without_atoms(self):
        self.assertIn("0 atoms", self.refused_data("4 atoms", "0 atoms"))

    def test_numbers_that_are_not_finite(self):
        self.assertIn("'nan'", self.refused_data("1 1 1.0 1.0 1.0", "1 1 nan 1.0 1.0"))
        self.assertIn("'inf'", self.refused_data("1 0.1 0 0", "1 inf 0 0"))

    def test_a_box_that_is_thinner_than_the_cutoff(self):
        text = self.refused_data("0 8 zlo zhi", "0 2.4 zlo zhi", 3)
        self.assertIn("the box is 2.4 wide in z, thinner than the cut-off of 2.5", text)

    def test_files_that_are_not_there_or_something_else(self):
        self.assertIn("No such file", self.refused(2, "--data", self.path("none.data")))
        self.assertIn("folder", self.refused(1, "--data", self.folder))
        self.assertIn("does not begin", self.refused(1, "--restart", os.path.join(DATA, "lj4000.data")))

    def test_a_restart_that_is_damaged(self):
        saved = self.path("a.restart")
        self.run_well(1, "--melt", 3, "--steps", 5, "--write-restart", saved)
        with open(saved, "rb") as file:
            whole = bytearray(file.read())
        self.assertIn("give it as --restart", self.refused(1, "--data", saved))
        with open(saved, "wb") as file:
            file.write(whole[:-1])
        self.assertIn("ends too early", self.refused(2, "--restart", saved))
        whole[-20] ^= 1  # in a velocity
        with open(saved, "wb") as file:
            file.write(whole)
        self.assertIn("checksum", self.refused(2, "--restart", saved))

    def test_options_that_do_not_go_together_or_are_unknown(self):
        self.assertIn("--stpes", self.refused(2, "--stpes", "8"))
        self.assertIn("--kokkos-bogus", self.refused(1, "--kokkos-bogus"))

    def test_a_process_grid_that_does_not_match_the_ranks(self):
        text = self.refused(3, "--melt", 4, "--ranks", "2,2,1")
        self.assertIn("--ranks 2,2,1", text)
        self.assertIn("3 ranks", text)

    def test_a_melt_that_no_machine_holds(self):
        self.assertIn("use fewer cells", self.refused(2, "--melt", 2000))

    def test_outputs_that_cannot_be_written(self):
        for ranks, option in ((1, "--dump"), (2, "--write-restart")):
            self.assertIn("No such file", self.refused(ranks, "--melt", 4, option, self.path("no/folder/x")))

    def test_a_path_and_a_variable_that_do_not_exist(self):
        self.assertIn("pigeon", self.refused(2, "--melt", 4, "--path", "pigeon"))
        self.assertIn("HALYARD_DEADLINE", self.refused(1, "--melt", 4, env={"HALYARD_DEADLIN": "3"}))


if __name__ == "__main__":
    unittest.main()
