# The way a run on GPUs goes, on the emulated device: atoms in memory that the host cannot touch, everything in a stream,
# nobody waiting for a step. Energies and forces equal LAMMPS's, as on the host.
import unittest

import physics_e2e
from launch import RANKS, largest_difference
from physics_e2e import LJ4000, MELT

EMULATED = ["--device", "emulated"]


class Emulated(physics_e2e.PhysicsTest):
    def test_4000_atoms_have_the_energies_of_lammps_on_1_to_8_ranks(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                steps = 200 if ranks == 1 else 50
                self.expect_reference(self.run_to_json(ranks, *LJ4000[:-1], steps, *EMULATED), "lj4000_thermo.csv", 1e-9)

    def test_a_melt_of_32000_atoms_has_the_energies_of_lammps(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                result = self.run_to_json(ranks, *MELT[:2], "--steps", 20, *MELT[4:], *EMULATED)
                self.expect_reference(result, "melt_n20_thermo.csv", 1e-9)

    def test_other_ways_of_computing_make_no_difference(self):
        for extra in (["--overlap"], ["--checks"], ["--path", "mpi"], ["--path", "mpi", "--overlap"]):
            with self.subTest(extra=extra):
                result = self.run_to_json(3, *LJ4000[:-1], 30, *EMULATED, *extra)
                self.expect_reference(result, "lj4000_thermo.csv", 1e-9)

    def test_forces_at_the_start_are_those_of_lammps(self):
        self.expect_forces(2, *EMULATED)

    def test_fixed_order_gives_equal_bits_in_each_run_on_as_many_ranks(self):
        self.expect_equal_bits(3, 40, *EMULATED)

    def test_lists_are_made_as_soon_as_the_host_hears_that_they_must_be(self):
        """Steps are enqueued one ahead of what the host knows; none may use a list that is too old."""
        result = self.run_to_json(2, *LJ4000[:-1], 100, *EMULATED)
        self.assertEqual(result["late_rebuilds"], 0)
        self.assertGreater(result["rebuilds"], 5)
        self.assertLess(result["rebuilds"], 30)
        steps_alone = 100 - 100 // 8 - 100 // 10 - result["rebuilds"]  # not timed, no sums, no rebuild
        self.assertGreaterEqual(result["steps_looked_at"], 2 * (steps_alone - 1))
        self.assertLess(result["steps_looked_at"], 2 * (100 - 100 // 8))
        self.assertLess(result["idle_steps"], result["steps_looked_at"], "the host was never ahead")

    def test_thermostats_and_types_give_what_they_give_on_the_host(self):
        types = self.write("two.data", two_types())
        for args in (["--melt", 6, "--thermostat", "langevin", "--temperature", "1.2"],
                     ["--melt", 6, "--thermostat", "rescale", "--temperature", "0.9"],
                     ["--melt", 6, "--precision", "mixed"], ["--data", types]):
            with self.subTest(args=args):
                args = [*args, "--steps", 30, "--thermo", 10]
                host = self.run_to_json(2, *args, "--newton", "off")
                here = self.run_to_json(2, *args, *EMULATED)
                rows = {line["step"]: line for line in host["thermo"]}
                self.assertLess(largest_difference(here["thermo"][1:], rows), 1e-9)  # at the start some are 0
                self.assertEqual(here["device"], "emulated")


def two_types():
    """A simple cubic lattice of two types in turn, a little heated."""
    cells, edge = 6, 1.2
    places = [(x, y, z) for z in range(cells) for y in range(cells) for x in range(cells)]
    head = (f"two types\n\n{len(places)} atoms\n2 atom types\n"
            + "".join(f"0 {cells * edge} {a}lo {a}hi\n" for a in "xyz") + "\nMasses\n\n1 1\n2 2\n\nPair Coeffs\n\n"
            "1 1 1\n2 1 0.9\n\nAtoms\n\n")
    atoms = "".join(f"{i} {1 + sum(p) % 2} " + " ".join(str(edge * (c + 0.25 + 0.03 * ((i * (a + 5)) % 7)))
                                                         for a, c in enumerate(p)) + "\n"
                    for i, p in enumerate(places, 1))
    return head + atoms


if __name__ == "__main__":
    unittest.main()
