# What goes in and comes out: results against NumPy's own arithmetic, bit for bit independent of ranks; NumPy files in
# every order and type; ParaView files.
import base64
import os
import unittest
import xml.etree.ElementTree as xml

import numpy as np

from launch import STENCILS, StencilTest

SECOND_DIFFERENCES = {1: [-2, 1], 2: [-5 / 2, 4 / 3, -1 / 12], 3: [-49 / 18, 3 / 2, -3 / 20, 1 / 90],
                      4: [-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]}


def moved(u, by, periodic):
    """u at the cell that lies `by` away; 0 beyond an edge that is not periodic."""
    for axis, (k, wraps) in enumerate(zip(by, periodic)):
        if k == 0:
            continue
        v = np.roll(u, -k, axis)
        if not wraps:
            edge = [slice(None)] * 3
            edge[axis] = slice(max(u.shape[axis] - k, 0), None) if k > 0 else slice(0, -k)
            v[tuple(edge)] = 0
        u = v
    return u


def laplacian(u, stencil, periodic):
    if stencil == "27-point":
        weight = {0: -128 / 30, 1: 14 / 30, 2: 3 / 30, 3: 1 / 30}
        offsets = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]
        return sum(weight[sum(map(abs, by))] * moved(u, by, periodic) for by in offsets)
    c = SECOND_DIFFERENCES[(int(stencil.split("-")[0]) - 1) // 6]
    total = 3 * c[0] * u
    for axis in range(3):
        for k in range(1, len(c)):
            by = [k if a == axis else 0 for a in range(3)]
            total = total + c[k] * (moved(u, by, periodic) + moved(u, [-b for b in by], periodic))
    return total


class Fields(StencilTest):
    shape = (9, 8, 7)

    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(7).standard_normal(self.shape)

    def computed(self, ranks, array, *args, steps=3):
        np.save(self.path("in.npy"), array)
        self.run_well(ranks, "--input", self.path("in.npy"), "--output", self.path("out"), "--steps", steps, *args)
        return np.load(self.path("out.npy"))

    def test_steps_are_those_of_numpy_for_every_stencil_and_boundary(self):
        for name, options in STENCILS.items():
            for periodic in ("all", "none", "y"):
                with self.subTest(stencil=name, periodic=periodic):
                    wraps = [periodic == "all" or axis in periodic.replace("none", "") for axis in "xyz"]
                    exact = self.random
                    for _ in range(3):
                        exact = exact + 0.05 * laplacian(exact, name, wraps)
                    u = self.computed(2, self.random, "--coefficient", 0.05, "--periodic", periodic, *options)
                    np.testing.assert_allclose(u, exact, rtol=0, atol=1e-13)

    def test_results_do_not_depend_on_ranks_overlap_or_memory_in_any_bit(self):
        for name, options in STENCILS.items():
            with self.subTest(stencil=name):
                first = self.computed(1, self.random, "--no-overlap", "--memory", "user", *options, steps=12)
                for ranks in (2, 4):
                    again = self.computed(ranks, self.random, *options, steps=12)
                    self.assertEqual(first.tobytes(), again.tobytes(), f"{ranks} ranks")

    def test_arrays_come_back_from_any_order_type_and_version(self):
        for order in "CF":
            for kind in ("<f4", "<f8", ">f4", ">f8"):
                for ranks in (1, 3):
                    with self.subTest(order=order, kind=kind, ranks=ranks):
                        array = np.asarray(self.random, dtype=kind, order=order)
                        back = self.computed(ranks, array, steps=0)
                        self.assertEqual(back.dtype, np.dtype("<f8"))
                        np.testing.assert_array_equal(back, array.astype("f8"))

    def test_format_versions_two_and_three_are_read(self):
        for version in ((2, 0), (3, 0)):
            with open(self.path("v.npy"), "wb") as file:
                np.lib.format.write_array(file, self.random, version=version)
            self.run_well(2, "--input", self.path("v.npy"), "--output", self.path("v_out"), "--steps", 0)
            np.testing.assert_array_equal(np.load(self.path("v_out.npy")), self.random)

    def test_vtk_pieces_are_xml_and_make_up_the_array(self):
        u = self.computed(3, self.random, "--ranks", "1,3,1")
        index = xml.parse(self.path("out.pvti")).getroot().find("PImageData")
        self.assertEqual(index.get("WholeExtent"), "0 9 0 8 0 7")
        joined = np.full(self.shape, np.nan)
        for piece in index.findall("Piece"):
            x0, x1, y0, y1, z0, z1 = map(int, piece.get("Extent").split())
            root = xml.parse(self.path(piece.get("Source"))).getroot()
            self.assertEqual(root.find("ImageData").get("WholeExtent"), "0 9 0 8 0 7")
            self.assertEqual(root.find("ImageData/Piece").get("Extent"), piece.get("Extent"))
            data = base64.b64decode(root.find("AppendedData").text.strip()[1:], validate=True)
            self.assertEqual(int.from_bytes(data[:8], "little"), len(data) - 8)
            cells = np.frombuffer(data[8:]).reshape((x1 - x0, y1 - y0, z1 - z0), order="F")
            joined[x0:x1, y0:y1, z0:z1] = cells
        self.assertEqual(joined.tobytes(), np.ascontiguousarray(u).tobytes())

    def test_a_rank_without_cells_writes_no_piece(self):
        self.run_well(3, "--cells", "2,4,4", "--ranks", "3,1,1", "--output", self.path("few"), "--steps", 1)
        self.assertEqual(sorted(os.listdir(self.folder)), ["few.npy", "few.pvti", "few_1.vti", "few_2.vti"])
        self.assertEqual(np.load(self.path("few.npy")).shape, (2, 4, 4))


if __name__ == "__main__":
    unittest.main()
