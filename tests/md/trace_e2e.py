# What a trace shows of a run whose atoms lie on a GPU (the emulated one, unless MD_OPTIONS says otherwise): the host
# enqueues, and waits where lists are made anew only; ghosts travel beside the pairs of owned atoms.
import collections
import json
import unittest

from launch import OPTIONS, MdTest

GPU_ROWS = 100_000  # rows of threads are below
STEPS = 60


class Trace(MdTest):
    def run_traced(self):
        trace, report = self.path("trace.json"), self.path("report.json")
        device = [] if "--device" in OPTIONS else ["--device", "emulated"]
        self.run_well(2, "--melt", 6, "--steps", STEPS, "--thermo", STEPS, "--overlap", "--json", report, *device,
                      env={"HALYARD_TRACE": trace})
        with open(report, encoding="utf-8") as file:
            result = json.load(file)
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        slices = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "X":
                place = "GPU" if event["tid"] >= GPU_ROWS else "host"
                slices[event["pid"], place, event["name"]].append((event["ts"], event["ts"] + event["dur"]))
        return result, slices

    def test_the_host_waits_where_lists_are_made_and_nowhere_else(self):
        result, slices = self.run_traced()
        self.expect_order(slices)
        rebuilds = result["rebuilds"]
        self.assertLess(rebuilds, STEPS / 4, "else the test says nothing")
        for rank in (0, 1):
            exchanges = STEPS + 1 - rebuilds  # of positions in steps; those after a rebuild are made there
            self.assertGreaterEqual(len(slices[rank, "GPU", "pack"]), exchanges)
            self.assertEqual(len(slices[rank, "GPU", "pack"]), len(slices[rank, "GPU", "unpack"]))
            self.assertEqual(len(slices[rank, "GPU", "pairs"]), 2 * (STEPS + 1))
            self.assertLessEqual(len(slices[rank, "host", "wait"]), rebuilds + 1, "and at the end")
            self.assertFalse(slices[rank, "host", "pairs"])

    def expect_order(self, slices):
        """What was enqueued in one stream runs one after the other."""
        for rank in (0, 1):
            pairs = sorted(slices[rank, "GPU", "pairs"])
            for before, after in zip(pairs, pairs[1:]):
                self.assertLessEqual(before[1], after[0])


if __name__ == "__main__":
    unittest.main()
