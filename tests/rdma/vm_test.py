#!/usr/bin/env python3
"""The virtual machine of tests/rdma keeps its promises: same folder, own exit status, streams apart, nothing left behind, a
limit that holds, and a word about what is missing. Runs on the host; each boot takes some seconds."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
VM = str(FOLDER / "vm")
SKIPPED = 77


def run(*arguments, script=VM, timeout=110, **more):
    return subprocess.run([script, *arguments], capture_output=True, text=True, timeout=timeout, check=False, **more)


def emulators(folder):
    """Processes of QEMU that serve a VM whose scratch folder lies in `folder`."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().decode(errors="replace")
        except OSError:
            continue  # it ended meanwhile
        if words.startswith("qemu-system") and folder in words:
            found.append(entry.parent.name)
    return found


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="rdma vm, test-")  # a space and a comma
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name).resolve()
        (self.path / "tmp").mkdir()
        (self.path / "keep").mkdir()
        self.environment = dict(os.environ, TMPDIR=str(self.path / "tmp"), COLOR="blue and 'green'")

    def nothing_is_left(self):
        self.assertEqual(list((self.path / "tmp").iterdir()), [])
        self.assertEqual(emulators(str(self.path)), [])


class Machine(Scratch):
    def test_a_command_runs_in_the_same_folder_with_its_own_status_streams_and_arguments(self):
        script = ("pwd; printf '%s|' \"$@\"; echo \"$COLOR\"; uname -r; ls /sys/class/infiniband; echo trouble >&2; "
                  "echo kept >keep/file; echo gone >gone; cat; exit 7")
        done = run("-n", "wire", "-t", "90", "-w", "keep", "--", "bash", "-c", script, "bash", "two words", "$HOME", "'",
                   cwd=self.path, env=self.environment)
        self.assertEqual(done.returncode, 7, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:2], [str(self.path), "two words|$HOME|'|blue and 'green'"])
        self.assertNotEqual(lines[2], os.uname().release)
        self.assertEqual(lines[3:], ["rxe0", "rxe1"])
        self.assertEqual(done.stderr, "trouble\n")
        self.assertEqual((self.path / "keep/file").read_text(encoding="ascii"), "kept\n")
        self.assertFalse((self.path / "gone").exists())
        self.nothing_is_left()

    def test_a_command_that_does_not_end_is_ended_with_the_machine_at_the_limit(self):
        done = run("-n", "none", "-t", "15", "--", "sleep", "1000", cwd=self.path, env=self.environment)
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertIn("past the limit of 15 s", done.stderr)
        self.nothing_is_left()

    def test_a_machine_that_dies_is_told_from_a_command_that_fails(self):
        done = run("-n", "none", "-t", "60", "--", "/bin/busybox", "poweroff", "-f", cwd=self.path, env=self.environment)
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("the guest died", done.stderr)
        self.nothing_is_left()

    def test_two_machines_have_a_wire_between_them(self):
        script = ("source \"$VM_PAIR/lib.sh\"; pair_barrier up; busybox ping -c 1 -w 20 10.77.0.$((2 - VM_RANK)) >/dev/null; "
                  "echo $(hostname) $?; pair_barrier end; exit $((3 * VM_RANK))")
        done = run("-t", "100", "--", "bash", "-c", script, script=str(FOLDER / "pair"), cwd=self.path, env=self.environment)
        self.assertEqual(sorted(done.stdout.splitlines()), ["vm0: vm0 0", "vm1: vm1 0"], done.stderr)
        self.assertEqual(done.returncode, 3, "vm0 ended with 0, so vm1's status counts")
        self.nothing_is_left()


class Refusals(Scratch):
    def is_refused(self, arguments, words):
        done = run(*arguments, cwd=self.path, env=self.environment)
        self.assertEqual(done.returncode, 126, done.stderr)
        self.assertIn(words, done.stderr)
        self.nothing_is_left()

    def test_bad_options_are_refused_before_anything_boots(self):
        for arguments, words in ((["-t", "5m", "true"], "'5m'"), (["-n", "mesh", "true"], "-n mesh"), ([], "no command"),
                                 (["-w", "nowhere", "true"], "-w nowhere"), (["-z"], "unknown option"),
                                 (["-k", "/nonexistent", "true"], "no kernel with rdma_rxe under /nonexistent")):
            with self.subTest(arguments=arguments):
                self.is_refused(arguments, words)

    def test_the_first_missing_program_is_named_with_its_package(self):
        tools = self.path / "tools"
        tools.mkdir()
        for name in ("bash", "dirname", "realpath", "uname", "env"):
            (tools / name).symlink_to(subprocess.run(["which", name], capture_output=True, text=True, check=True).stdout.strip())
        done = run("--check", env=dict(self.environment, PATH=str(tools)))
        self.assertEqual((done.returncode, done.stdout),
                         (1, "qemu-system-x86_64 is missing; apt-get install qemu-system-x86\n"), done.stderr)


def main():
    missing = run("--check")
    if missing.returncode != 0:
        print(f"SKIP: {missing.stdout}")
        sys.exit(SKIPPED)
    unittest.main()


if __name__ == "__main__":
    main()
