# Energies, pressure and forces equal LAMMPS's, on any number of ranks and in every way of computing them; what must be
# conserved is.
import math
import os
import unittest

from launch import RANKS, DATA, MdTest, frames, largest_difference, reference, rows_of

LJ4000 = ["--data", os.path.join(DATA, "lj4000.data"), "--thermo", 10, "--total", "--steps", 200]
MELT = ["--melt", 20, "--steps", 100, "--thermo", 20]


class PhysicsTest(MdTest):
    def expect_reference(self, result, name, limit):
        rows = rows_of(name)
        steps = [step for step in rows if step <= result["steps"]]
        self.assertEqual([line["step"] for line in result["thermo"]], steps)
        self.assertLessEqual(largest_difference(result["thermo"], rows), limit)

    def expect_forces(self, ranks, *extra):
        dump = self.path("start.dump")
        self.run_well(ranks, *LJ4000[:2], "--steps", 0, "--dump", dump, *extra)
        atoms = frames(dump)[0]
        expected = reference("lj4000_forces_step0.csv")
        self.assertEqual(len(atoms), len(expected))
        for row in expected:
            force = [row["fx"], row["fy"], row["fz"]]
            self.assertLessEqual(math.dist(atoms[int(row["id"])][7:], force), 1e-10 * math.hypot(*force))

    def expect_equal_bits(self, ranks, steps, *extra):
        runs = []
        for name in ("first.dump", "second.dump"):
            result = self.run_to_json(ranks, *LJ4000[:-1], steps, "--fixed-order", "--dump", self.path(name),
                                      "--dump-every", steps, *extra)
            with open(self.path(name), encoding="utf-8") as file:
                runs.append((result["thermo"], file.read()))
        self.assertEqual(runs[0], runs[1])


class Physics(PhysicsTest):
    def test_4000_atoms_have_the_energies_of_lammps_on_1_to_8_ranks(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                self.expect_reference(self.run_to_json(ranks, *LJ4000), "lj4000_thermo.csv", 1e-9)

    def test_overlap_newton_off_checks_and_a_flat_grid_make_no_difference(self):
        for extra in (["--overlap"], ["--newton", "off"], ["--newton", "off", "--overlap"], ["--checks"],
                      ["--ranks", "1,1,2"], ["--path", "mpi", "--overlap"], ["--fixed-order"]):
            with self.subTest(extra=extra):
                result = self.run_to_json(2, *LJ4000[:-1], 60, *extra)
                self.expect_reference(result, "lj4000_thermo.csv", 1e-9)

    def test_mixed_precision_is_close_for_some_steps(self):
        result = self.run_to_json(2, *LJ4000[:2], "--steps", 20, "--thermo", 10, "--total", "--precision", "mixed")
        rows = rows_of("lj4000_thermo.csv")
        worst = largest_difference(result["thermo"], rows)
        self.assertLess(worst, 1e-4)
        self.assertGreater(worst, 1e-10, "pairs were not computed in float")

    def test_a_melt_of_32000_atoms_has_the_energies_of_lammps(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                self.expect_reference(self.run_to_json(ranks, *MELT), "melt_n20_thermo.csv", 1e-9)

    def test_forces_at_the_start_are_those_of_lammps(self):
        for extra in ([], ["--newton", "off"]):
            with self.subTest(extra=extra):
                self.expect_forces(2, *extra)

    def test_fixed_order_gives_equal_bits_in_each_run_on_as_many_ranks(self):
        for ranks in sorted({2, 4} & set(RANKS)):
            with self.subTest(ranks=ranks):
                self.expect_equal_bits(ranks, 100)

    def test_momentum_stays_zero_for_10000_steps(self):
        result = self.run_to_json(2, "--melt", 5, "--steps", 10000, "--thermo", 1000, "--total")
        for line in result["thermo"]:
            self.assertLessEqual(max(map(abs, line["momentum"])), 1e-10, line)

    def test_energy_is_conserved_when_it_is_shifted(self):
        result = self.run_to_json(2, "--melt", 5, "--steps", 1000, "--thermo", 50, "--dt", "0.002", "--shift")
        energies = [line["etot"] for line in result["thermo"][1:]]
        self.assertLess(max(energies) - min(energies), 2e-3)

    def test_thermostats_bring_the_temperature_they_are_given(self):
        for kind in (["rescale", "--thermostat-every", 1], ["langevin", "--damp", "0.1"]):
            with self.subTest(kind=kind):
                result = self.run_to_json(2, "--melt", 4, "--steps", 800, "--thermo", 10, "--temperature", "0.9",
                                          "--thermostat", *kind)
                late = [line["temp"] for line in result["thermo"][20:]]
                self.assertAlmostEqual(sum(late) / len(late), 0.9, delta=0.03)
                if kind[0] == "rescale":
                    self.assertAlmostEqual(late[-1], 0.9, places=12)

    def test_random_forces_do_not_depend_on_who_owns_an_atom(self):
        args = ["--melt", 6, "--steps", 30, "--thermo", 10, "--thermostat", "langevin", "--temperature", "1.2"]
        one, three = self.run_to_json(1, *args), self.run_to_json(3, *args)
        for a, b in zip(one["thermo"], three["thermo"]):
            self.assertAlmostEqual(a["temp"], b["temp"], places=10)
        other = self.run_to_json(1, *args, "--seed", 2)
        self.assertNotAlmostEqual(one["thermo"][-1]["temp"], other["thermo"][-1]["temp"], places=4)


if __name__ == "__main__":
    unittest.main()
