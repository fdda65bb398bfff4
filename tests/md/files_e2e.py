# Files: data files, dumps, restarts, and what is in them.
import os
import unittest

from launch import DATA, MdTest, frames, largest_difference, rows_of

TWO_TYPES = """two kinds of atoms, far enough apart to know all by hand

3 atoms
2 atom types
0 10 xlo xhi
-5 5 ylo yhi
0 10 zlo zhi

Masses # by type

1 1.0
2 4.0   # heavy

Pair Coeffs # lj/cut

1 1.0 1.0
2 4.0 1.44 3.0

Atoms # atomic

7 2 1.0 0.0 5.0
3 1 2.5 0.0 5.0 1 0 -2   # image flags
5 1 9.5 0.0 5.0

Velocities

3 0 1 0
5 0 0 0
7 0 -0.25 0
"""


def pair(epsilon, sigma, r):
    """Force towards larger r, and energy."""
    s6 = (sigma / r) ** 6
    return 24 * epsilon * (2 * s6 * s6 - s6) / r, 4 * epsilon * (s6 * s6 - s6)


def with_two_types(text):
    """lj4000.data with every third atom smaller and heavier."""
    text = text.replace("1 atom types", "2 atom types").replace("1 1\n", "1 1\n2 2.5\n\nPair Coeffs # lj/cut\n\n"
                                                                "1 1.0 1.0\n2 0.8 0.9 2.2\n", 1)
    head, rest = text.split("Atoms # atomic\n\n")
    atoms, velocities = rest.split("\n\nVelocities")
    words = [line.split() for line in atoms.split("\n")]
    lines = [" ".join([w[0], "2" if int(w[0]) % 3 == 0 else "1", *w[2:]]) for w in words]
    return head + "Atoms # atomic\n\n" + "\n".join(lines) + "\n\nVelocities" + velocities


class Files(MdTest):
    def test_two_types_with_mixed_and_shifted_terms_have_the_energies_of_lammps(self):
        with open(os.path.join(DATA, "lj4000.data"), encoding="utf-8") as file:
            path = self.write("two.data", with_two_types(file.read()))
        for extra in ([], ["--newton", "off"]):
            with self.subTest(extra=extra):
                result = self.run_to_json(2, "--data", path, "--steps", 100, "--thermo", 20, "--total", "--shift",
                                          *extra)
                rows = rows_of("two_types_thermo.csv")
                self.assertEqual([line["step"] for line in result["thermo"]], list(rows))
                self.assertLessEqual(largest_difference(result["thermo"], rows), 1e-9)

    def test_types_masses_and_terms_of_a_data_file_are_used(self):
        path = self.write("two.data", TWO_TYPES)
        dump = self.path("two.dump")
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                result = self.run_to_json(ranks, "--data", path, "--steps", 0, "--total", "--dump", dump)
                self.assertEqual((result["atoms"], result["types"]), (3, 2))
                near, e_near = pair(2.0, 1.2, 1.5)      # 7 and 3: geometric means
                across, e_across = pair(2.0, 1.2, 1.5)  # 7 and 5, across the edge of the box
                atoms = frames(dump)[0]
                self.assertAlmostEqual(atoms[3][7], near, places=12)
                self.assertAlmostEqual(atoms[5][7], -across, places=12)
                self.assertAlmostEqual(atoms[7][7], across - near, places=12)
                line = result["thermo"][0]
                self.assertAlmostEqual(line["pe"], e_near + e_across, places=12)  # 3 and 5 are 3 apart: beyond 2.5
                self.assertAlmostEqual(line["ke"], 0.5 * (1 + 4 * 0.0625), places=14)
                self.assertEqual(line["momentum"], [0, 0, 0])

    def test_the_shift_is_the_energy_at_the_cutoff(self):
        path = self.write("two.data", TWO_TYPES)
        plain = self.run_to_json(1, "--data", path, "--steps", 0, "--total")
        shifted = self.run_to_json(1, "--data", path, "--steps", 0, "--total", "--shift")
        at_cutoff = pair(2.0, 1.2, (2.5 * 3.0) ** 0.5)[1]
        self.assertAlmostEqual(plain["thermo"][0]["pe"] - shifted["thermo"][0]["pe"], 2 * at_cutoff, places=12)
        self.assertEqual(plain["thermo"][0]["press"], shifted["thermo"][0]["press"])

    def test_a_run_in_two_parts_is_the_run_in_one(self):
        data = ["--data", os.path.join(DATA, "lj4000.data"), "--thermo", 50, "--total"]
        whole = self.run_to_json(2, *data, "--steps", 100)
        saved = self.path("half.restart")
        self.run_well(3, *data, "--steps", 50, "--write-restart", saved)
        rest = self.run_to_json(2, "--restart", saved, "--steps", 50, "--thermo", 50, "--total")
        self.assertEqual([line["step"] for line in rest["thermo"]], [50, 100])
        for a, b in zip(whole["thermo"][1:], rest["thermo"]):
            for key in ("temp", "pe", "ke", "etot", "press"):
                self.assertAlmostEqual(a[key] / b[key], 1, delta=1e-10)

    def test_a_dump_has_a_frame_for_each_multiple_and_the_last_step(self):
        dump = self.path("some.dump")
        self.run_well(2, "--melt", 4, "--steps", 25, "--dump", dump, "--dump-every", 10)
        found = frames(dump)
        self.assertEqual(list(found), [0, 10, 20, 25])
        for atoms in found.values():
            self.assertEqual(list(atoms), list(range(1, 257)))
        self.assertEqual(os.listdir(self.folder), ["some.dump"])

    def test_a_restart_keeps_every_bit(self):
        first, second = self.path("first.restart"), self.path("second.restart")
        self.run_well(2, "--melt", 4, "--steps", 30, "--write-restart", first)
        self.run_well(3, "--restart", first, "--steps", 0, "--write-restart", second)
        with open(first, "rb") as a, open(second, "rb") as b:
            self.assertEqual(a.read(), b.read())


if __name__ == "__main__":
    unittest.main()
