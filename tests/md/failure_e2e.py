# A run that goes wrong while atoms move ends with code 1 on every rank, says what happened, and never hangs.
import os
import signal
import subprocess
import time
import unittest

from launch import LIMIT_S, PROGRAM, MdTest, command, environment, frames, md

# Two atoms much too close: after a few steps they are far outside of everything.
BLOW_UP = """two atoms that are too close

4 atoms
1 atom types

0 8 xlo xhi
0 8 ylo yhi
0 8 zlo zhi

Atoms

1 1 1.0 1.0 1.0
2 1 {x} 1.0 1.0
3 1 5.0 5.0 5.0
4 1 7.0 7.0 7.0
"""


def children_of(pid):
    """Processes below `pid` that run the program."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            if parent == pid and os.readlink(f"/proc/{entry}/exe") == os.path.realpath(PROGRAM):
                found.append(int(entry))
        except OSError:
            pass  # it has ended
    return found


class Failure(MdTest):
    def test_an_atom_that_runs_away_is_named_with_its_step_and_the_dump_is_kept(self):
        for x in ("1.001", "1.0"):  # far too fast; and at the same place, where forces are not finite
            for ranks in (1, 3):
                with self.subTest(x=x, ranks=ranks):
                    path = self.write("blow.data", BLOW_UP.format(x=x))
                    dump = self.path("blow.dump")
                    done = md(ranks, "--data", path, "--steps", 100, "--dump", dump, "--dump-every", 1)
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertRegex(done.stderr, r"(?s)halyard-md: .*\b[12]\b.*step")
                    self.assertEqual(len(frames(dump)[0]), 4)
                    os.remove(dump)

    def test_a_rank_that_stops_is_reported_within_the_deadline(self):
        args = ["--melt", "6", "--steps", "100000000", "--thermo", "0", "--deadline", "2",
                "--json", self.path("result.json")]
        with subprocess.Popen(command(2, args), env=environment(2), text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            begin = time.monotonic()
            while len(ranks := children_of(run.pid)) < 2:
                self.assertIsNone(run.poll(), "it ended before it began")
                self.assertLess(time.monotonic() - begin, LIMIT_S)
                time.sleep(0.05)
            time.sleep(3)  # set-up has its own deadlines; what is tested here are steps
            os.kill(ranks[-1], signal.SIGSTOP)
            _, stderr = run.communicate(timeout=LIMIT_S)
        self.assertEqual(run.returncode, 1, stderr)
        self.assertRegex(stderr, r"halyard-md: rank \d: ")
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
