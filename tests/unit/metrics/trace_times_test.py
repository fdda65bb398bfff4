"""dev/trace-times on a trace of two exchanges, and on what is none. Usage: trace_times_test.py <dev/trace-times>"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = None


def slices(rank, step, begin):
    """A kernel of binding 3: packs for 10 us (2 of them waiting for room), has all after 15, ends after 16."""
    def part(row, name, at, lasts):
        return {"ph": "X", "pid": rank, "tid": row, "ts": at, "dur": lasts, "name": name, "cat": "halyard",
                "args": {"exchange": f"forward {step}", "binding": 3}}

    wire = {"pid": rank, "tid": 100_007, "name": "wire", "cat": "wire", "id": f"0x{rank}{step}"}
    return [part(0, "launch", begin - 5, 3), part(100_006, "pack", begin, 10), part(100_006, "wait for room", begin, 2),
            part(100_007, "wait", begin, 15), part(100_007, "unpack", begin + 15, 1),
            {"ph": "b", "ts": begin + 10, **wire}, {"ph": "e", "ts": begin + 15, **wire}]


class TraceTimes(unittest.TestCase):
    def run_on(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, TOOL, str(path), *arguments], capture_output=True, text=True, check=False)

    def rows(self, events, *arguments):
        done = self.run_on(json.dumps({"traceEvents": events}), *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = [line.split() for line in done.stdout.splitlines() if line.strip() and line.split()[0].isdigit()]
        return {(row[0], row[3], " ".join(row[4:-4])): row[-4:] for row in table}

    def test_says_how_long_each_part_took(self):
        rows = self.rows(slices(0, 1, 100) + slices(0, 2, 120) + slices(1, 1, 100), "--skip", "0")
        self.assertEqual(rows["0", "GPU", "pack"], ["2", "10.00", "10.00", "10.00"])
        self.assertEqual(rows["0", "GPU", "wait for room"], ["2", "2.00", "2.00", "2.00"])
        self.assertEqual(rows["0", "GPU", "wire"], ["2", "5.00", "5.00", "5.00"])
        self.assertEqual(rows["0", "GPU", "kernel"], ["2", "16.00", "16.00", "16.00"])
        self.assertEqual(rows["0", "GPU", "between"], ["1", "4.00", "4.00", "4.00"])
        self.assertEqual(rows["0", "host", "launch"], ["2", "3.00", "3.00", "3.00"])
        self.assertEqual(rows["1", "GPU", "unpack"], ["1", "1.00", "1.00", "1.00"])

    def test_leaves_out_the_first_exchanges(self):
        rows = self.rows(slices(0, 1, 100) + slices(0, 2, 120), "--skip", "1")
        self.assertEqual(rows["0", "GPU", "pack"][0], "1")

    def test_says_how_long_ranges_of_the_program_took(self):
        def of_program(rank, row, name, lasts):
            return {"ph": "X", "pid": rank, "tid": row, "ts": 0, "dur": lasts, "name": name, "cat": "program"}

        events = slices(0, 1, 100) + [of_program(0, 0, "migrate: look", lasts) for lasts in (5, 9, 7)]
        events.append(of_program(0, 100_001, "pairs", 4))
        done = self.run_on(json.dumps({"traceEvents": events}), "--skip", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
        self.assertIn("0 host migrate: look 3 5.00 7.00 9.00", lines)
        self.assertIn("0 GPU pairs 1 4.00 4.00 4.00", lines)

    def test_names_what_is_no_trace(self):
        for text, said in (("nonsense", "HALYARD_TRACE"), ("{}", "HALYARD_TRACE"),
                           ('{"traceEvents":[]}', "holds no exchanges")):
            done = self.run_on(text)
            self.assertEqual(done.returncode, 1, text)
            self.assertIn(said, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
