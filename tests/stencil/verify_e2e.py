# Every stencil gives the exact discrete solution, on 1 to 4 ranks, in every mode of memory and overlap.
import unittest

from launch import STENCILS, StencilTest


class Verify(StencilTest):
    def expect_verified(self, ranks, *args):
        result, done = self.run_to_json(ranks, "--verify", "--steps", 20, *args)
        self.assertIs(result["verified"], True, done.stdout)
        self.assertLessEqual(result["error"], 1e-12)
        return result

    def test_each_stencil_is_exact_on_one_to_four_ranks(self):
        for ranks in (1, 2, 3, 4):
            for name, options in STENCILS.items():
                with self.subTest(ranks=ranks, stencil=name):
                    result = self.expect_verified(ranks, "--cells", "13,11,10", *options)
                    self.assertEqual(result["stencil"], name)

    def test_memory_and_overlap_make_no_difference(self):
        for extra in (["--memory", "user"], ["--no-overlap"], ["--memory", "user", "--no-overlap"], ["--path", "mpi"]):
            with self.subTest(extra=extra):
                self.expect_verified(2, "--cells", "12,9,8", "--stencil", "27", *extra)

    def test_each_axis_may_be_the_one_that_is_split(self):
        for grid in ("3,1,1", "1,3,1", "1,1,3"):
            with self.subTest(grid=grid):
                self.expect_verified(3, "--cells", "10,10,10", "--radius", "2", "--ranks", grid)

    def test_a_halo_wider_than_the_neighbor_reaches_the_ranks_behind_it(self):
        self.expect_verified(4, "--cells", "6,8,8", "--radius", "4", "--ranks", "4,1,1")

    def test_fewer_cells_than_ranks_leave_a_rank_without_work(self):
        self.expect_verified(4, "--cells", "3,6,6", "--ranks", "4,1,1")

    def test_one_cell_along_an_axis_is_its_own_neighbor(self):
        self.expect_verified(2, "--cells", "16,16,1", "--stencil", "27")

    def test_long_runs_stay_within_the_tolerance(self):
        result, _ = self.run_to_json(2, "--verify", "--cells", "8", "--steps", "5000")
        self.assertIs(result["verified"], True)


if __name__ == "__main__":
    unittest.main()
