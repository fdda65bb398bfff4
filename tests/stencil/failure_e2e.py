# An exchange that fails ends the run with code 1 and says who waited for whom; nothing is left half written.
import os
import signal
import subprocess
import time
import unittest

from launch import PROGRAM, LIMIT_S, StencilTest, command, environment


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


class Failure(StencilTest):
    def test_a_rank_that_stops_is_reported_by_its_neighbor_within_the_deadline(self):
        args = ["--cells", "16", "--steps", "100000000", "--deadline", "2", "--output", self.path("out"),
                "--json", self.path("result.json")]
        with subprocess.Popen(command(2, args), env=environment(2), text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            begin = time.monotonic()
            while len(ranks := children_of(run.pid)) < 2:
                self.assertIsNone(run.poll(), "it ended before it began")
                self.assertLess(time.monotonic() - begin, LIMIT_S)
                time.sleep(0.05)
            time.sleep(3)  # set-up has its own deadlines; what is tested here is an exchange
            os.kill(ranks[-1], signal.SIGSTOP)
            _, stderr = run.communicate(timeout=LIMIT_S)
        self.assertEqual(run.returncode, 1, stderr)
        self.assertRegex(stderr, r"halyard-stencil: rank \d: .*forward")
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
