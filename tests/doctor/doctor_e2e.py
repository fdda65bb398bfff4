"""halyard doctor as users call it: on a captured machine, as a bundle, in a prolog, with wrong arguments; that it writes
nothing but what it was told to, and needs neither MPI nor rights."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

HALYARD = None
SOURCE = None

# A small machine: one adapter whose only port is down.
TREE = {
    "sys/devices/system/cpu/online": "0-3\n",
    "sys/devices/pci0000:00/0000:00:02.0/class": "0x020700\n",
    "sys/devices/pci0000:00/0000:00:02.0/vendor": "0x15b3\n",
    "sys/devices/pci0000:00/0000:00:02.0/device": "0x101b\n",
    "sys/devices/pci0000:00/0000:00:02.0/infiniband/mlx5_0/fw_ver": "20.31.1014\n",
    "sys/devices/pci0000:00/0000:00:02.0/infiniband/mlx5_0/node_guid": "506b:4b03:0028:4ddc\n",
    "sys/devices/pci0000:00/0000:00:02.0/infiniband/mlx5_0/ports/1/state": "1: DOWN\n",
    "sys/devices/pci0000:00/0000:00:02.0/infiniband/mlx5_0/ports/1/phys_state": "3: Disabled\n",
    "sys/devices/pci0000:00/0000:00:02.0/infiniband/mlx5_0/ports/1/link_layer": "InfiniBand\n",
    "sys/devices/pci0000:00/0000:00:02.0/infiniband/mlx5_0/ports/1/gids/0": "fe80:0000:0000:0000:506b:4b03:0028:4ddc\n",
    "proc/sys/kernel/hostname": "node017\n",
    "proc/self/environ": "UCX_NET_DEVICES=mlx5_0:1\0SECRET=node017\0",
}
LINKS = {
    "sys/bus/pci/devices/0000:00:02.0": "../../../devices/pci0000:00/0000:00:02.0",
    "sys/class/infiniband/mlx5_0": "../../devices/pci0000:00/0000:00:02.0/infiniband/mlx5_0",
    "sys/devices/pci0000:00/0000:00:02.0/infiniband/mlx5_0/device": "../..",
}


def doctor(*arguments, **how):
    return subprocess.run([HALYARD, "doctor", *arguments], capture_output=True, text=True, timeout=60, **how)


class Doctor(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="halyard-doctor-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.root = self.folder / "root"
        for name, text in TREE.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        for name, target in LINKS.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).symlink_to(target)

    def test_the_verdict_comes_first_and_the_remedy_with_it(self):
        ran = doctor("--root", str(self.root))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stdout.splitlines()[0], r"root: a direct path is closed \(\d+ fail")
        self.assertIn("port: mlx5_0:1: the port is DOWN (Disabled), and no other is up", ran.stdout)
        self.assertIn("     do: ", ran.stdout)
        self.assertNotIn("\x1b", ran.stdout)
        self.assertLessEqual(len(ran.stdout.splitlines()), 24)

    def test_a_prolog_gets_one_line_and_an_exit_code(self):
        ran = doctor("--root", str(self.root), "--for-prolog")
        self.assertEqual((ran.returncode, ran.stdout.count("\n")), (2, 1), ran.stdout)
        self.assertRegex(ran.stdout, r"^halyard doctor: fail: port mlx5_0:1: ")
        (self.root / "sys/devices/pci0000:00/0000:00:02.0/infiniband/mlx5_0/ports/1/state").write_text("4: ACTIVE\n")
        ran = doctor("--root", str(self.root), "--for-prolog", "--check", "port")
        self.assertEqual(ran.returncode, 0, ran.stdout)

    def test_a_bundle_of_a_bundle_says_the_same_and_nothing_personal(self):
        first, second = self.folder / "first.tar", self.folder / "second.tar"
        whole = json.loads(doctor("--root", str(self.root), "--json").stdout)
        self.assertEqual(doctor("--root", str(self.root), "--capture", str(first)).returncode, 0)
        self.assertEqual(doctor("--root", str(first), "--capture", str(second)).returncode, 0)
        again = json.loads(doctor("--root", str(second), "--json").stdout)
        verdicts = [[(f["check"], f["subject"], f["verdict"]) for f in found["findings"]] for found in (whole, again)]
        self.assertEqual(*verdicts)
        for text in (b"node017", b"506b:4b03", b"SECRET"):
            self.assertNotIn(text, first.read_bytes())
        with tarfile.open(first) as bundle:
            self.assertIn("sys/class/infiniband/mlx5_0", bundle.getnames())
        ran = doctor("--root", str(self.root), "--capture", str(first))
        self.assertEqual(ran.returncode, 2)
        self.assertIn("File exists", ran.stderr)

    def test_a_bundle_that_points_outside_is_refused_by_name(self):
        evil = self.folder / "evil.tar"
        with tarfile.open(evil, "w") as bundle:
            member = tarfile.TarInfo("sys/class/infiniband")
            member.type, member.linkname = tarfile.SYMTYPE, "../../../etc"
            bundle.addfile(member)
        ran = doctor("--root", str(evil))
        self.assertEqual(ran.returncode, 2)
        self.assertIn("member '/sys/class/infiniband': a link to '../../../etc', outside", ran.stderr)

    def test_a_folder_whose_links_point_outside_is_not_left(self):
        link = self.root / "sys/class/infiniband/mlx5_1"
        link.symlink_to("/etc")
        ran = doctor("--root", str(self.root), "--details")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("passwd", ran.stdout)

    def test_drift_since_a_baseline(self):
        baseline = self.folder / "baseline.json"
        baseline.write_text(doctor("--root", str(self.root), "--json").stdout)
        same = doctor("--root", str(self.root), "--baseline", str(baseline))
        self.assertEqual((same.returncode, same.stdout), (0, "since the baseline nothing has changed\n"))
        (self.root / "sys/class/infiniband/mlx5_0").unlink()
        worse = doctor("--root", str(self.root), "--baseline", str(baseline))
        self.assertEqual(worse.returncode, 1)
        self.assertRegex(worse.stdout, r"WORSE  nic 0000:00:02.0: was not there -> fail, ")

    def test_wrong_arguments_are_named(self):
        for arguments, text in ((["--check", "prot"], "did you mean port?"), (["--root", "/no/such"], "/no/such"),
                                (["--baseline", str(self.root / "sys")], "no regular file"),
                                (["--live", "--details"], "--details"), (["--frobnicate"], "--frobnicate"),
                                (["--capture", "/no/such/folder/x.tar"], "/no/such/folder/x.tar")):
            ran = doctor(*arguments)
            self.assertEqual(ran.returncode, 2, arguments)
            self.assertIn(text, ran.stderr)
            self.assertEqual(ran.stdout, "")

    def test_every_check_that_a_refusal_names_is_there(self):
        known = {finding["check"] for finding in json.loads(doctor("--root", str(self.root), "--json").stdout)["findings"]}
        named = set()
        for file in (SOURCE / "runtime").rglob("*.cpp"):
            text = re.sub(r'"\s*\n\s*"', "", file.read_text())
            named.update(re.findall(r"halyard doctor --check ([a-z0-9-]+)", text))
        self.assertLessEqual(named, known)
        self.assertGreaterEqual(named, {"peermem", "nic", "port", "gid", "memlock", "shm"})

    def test_this_machine_is_looked_at_without_rights_and_without_writing(self):
        as_nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        empty = self.folder / "empty"
        empty.mkdir(mode=0o777)
        ran = doctor("--json", cwd=empty, env={"PATH": os.environ["PATH"], "HOME": str(empty)}, **as_nobody)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertGreater(len(json.loads(ran.stdout)["findings"]), 15)
        self.assertEqual(list(empty.iterdir()), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--halyard", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    options, rest = parser.parse_known_args()
    HALYARD, SOURCE = options.halyard, options.source
    unittest.main(argv=[sys.argv[0], *rest])
