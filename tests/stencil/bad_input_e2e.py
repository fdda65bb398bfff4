# Bad input: exit code 2, one clear message from rank 0, nothing written.
import os
import unittest

import numpy as np

from launch import StencilTest, stencil


class BadInput(StencilTest):
    def refused(self, ranks, *args, env=None):
        """The message of a run that must end with code 2 and leave the folder as it was."""
        before = sorted(os.listdir(self.folder))
        done = stencil(ranks, *args, env=env)
        lines = [line for line in done.stderr.splitlines() if line.startswith("halyard-stencil: ")]
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertNotIn("MPI_ABORT", done.stderr)
        return lines[0]

    def npy(self, name, content):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_a_process_grid_that_does_not_match_the_ranks(self):
        text = self.refused(3, "--ranks", "2,2,1", "--output", self.path("out"))
        self.assertIn("--ranks 2,2,1", text)
        self.assertIn("3 ranks", text)

    def test_zero_and_negative_extents(self):
        self.assertIn("--cells 0", self.refused(2, "--cells", "8,0,8"))
        self.assertIn("--cells -4", self.refused(2, "--cells=-4"))
        self.assertIn("--ranks -2", self.refused(2, "--ranks=-2,-1,1"))

    def test_more_cells_than_any_machine_holds(self):
        self.assertIn("fewer --cells", self.refused(2, "--cells", "100000"))
        self.assertIn("64 bits", self.refused(2, "--cells", "2147483647"))

    def test_an_unknown_option(self):
        self.assertIn("--celsl", self.refused(2, "--celsl", "8"))
        self.assertIn("--kokkos-bogus", self.refused(2, "--kokkos-bogus"))

    # A Kokkos without CUDA says what to build, one with CUDA that there is no GPU: each names a way out.
    def test_a_gpu_where_there_is_none_for_this_program(self):
        text = self.refused(2, "--device", "cuda", "--output", self.path("out"), env={"CUDA_VISIBLE_DEVICES": ""})
        self.assertIn("--device cuda: ", text)
        self.assertRegex(text, "Kokkos_ENABLE_CUDA=ON|nvidia-smi")
        self.assertIn("use --device host", text)

    def test_a_device_that_is_unknown(self):
        self.assertIn("--device", self.refused(2, "--device", "emulated"))

    def test_an_unknown_variable_names_the_nearest_known_one(self):
        text = self.refused(2, "--json", self.path("r.json"), env={"HALYARD_DEADLIN": "3"})
        self.assertIn("HALYARD_DEADLIN", text)
        self.assertIn("HALYARD_DEADLINE", text)

    def test_a_path_that_does_not_exist(self):
        self.assertIn("pigeon", self.refused(2, "--path", "pigeon", "--output", self.path("out")))

    def test_an_input_that_is_missing_a_folder_or_not_numpy(self):
        self.assertIn("No such file", self.refused(2, "--input", self.path("none.npy")))
        self.assertIn("regular file", self.refused(2, "--input", self.folder))
        self.assertIn("does not begin", self.refused(2, "--input", self.npy("text.npy", b"hello")))

    def test_an_input_that_is_cut_off(self):
        np.save(self.path("whole.npy"), np.zeros((4, 4, 4)))
        with open(self.path("whole.npy"), "rb") as file:
            whole = file.read()
        for size in (7, 9, 60, len(whole) - 1):
            with self.subTest(size=size):
                self.refused(2, "--input", self.npy("cut.npy", whole[:size]))

    def test_an_input_of_other_elements_or_dimensions(self):
        np.save(self.path("i.npy"), np.zeros((4, 4, 4), dtype="i4"))
        self.assertIn("neither f4 nor f8", self.refused(2, "--input", self.path("i.npy")))
        np.save(self.path("2d.npy"), np.zeros((4, 4)))
        self.assertIn("2 dimensions", self.refused(2, "--input", self.path("2d.npy")))

    def test_an_input_of_another_shape_than_cells(self):
        np.save(self.path("a.npy"), np.zeros((4, 5, 6)))
        text = self.refused(2, "--input", self.path("a.npy"), "--cells", "4,5,7")
        self.assertIn("4,5,6", text)
        self.assertIn("4,5,7", text)

    def test_outputs_that_cannot_be_written(self):
        self.assertIn("No such file", self.refused(2, "--output", self.path("no/folder/out")))
        self.assertIn("No such file", self.refused(2, "--json", self.path("no/folder/r.json")))
        self.assertIn("it is a folder", self.refused(2, "--json", self.folder))

    def test_an_output_that_only_one_rank_cannot_write_leaves_nothing_of_the_others(self):
        os.mkdir(self.path("out_1.vti"))
        self.assertIn("rank 1: ", self.refused(2, "--cells", "8", "--output", self.path("out")))

    def test_verify_with_what_it_knows_no_answer_for(self):
        self.assertIn("--periodic all", self.refused(2, "--verify", "--periodic", "x,y"))
        self.assertIn("stable up to", self.refused(2, "--verify", "--coefficient", "0.2"))
        self.assertIn("tenth", self.refused(2, "--verify", "--coefficient", "0.1", "--cells", "8", "--steps", "500"))

    def test_output_of_a_run_that_is_refused_keeps_the_former_file(self):
        self.npy("out.npy", b"former")
        self.refused(2, "--output", self.path("out"), "--path", "pigeon")
        with open(self.path("out.npy"), "rb") as file:
            self.assertEqual(file.read(), b"former")


if __name__ == "__main__":
    unittest.main()
