# Starts halyard-md for the tests of this folder: which program and which mpirun, CMake says in MD_PROGRAM and
# MD_MPIEXEC. MD_OPTIONS are options of every run, MD_RANKS the numbers of ranks that are tried (1,2,4): dev/gpu runs the same
# tests with --device cuda. Each test case gets a scratch folder of its own.
import csv
import json
import os
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["MD_PROGRAM"]
MPIEXEC = os.environ["MD_MPIEXEC"]
OPTIONS = os.environ.get("MD_OPTIONS", "").split()
RANKS = [int(ranks) for ranks in os.environ.get("MD_RANKS", "1,2,3,4,8").split(",")]
LIMIT_S = 100
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


def environment(ranks, extra=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("HALYARD_")}
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if ranks > (os.cpu_count() or 1):
        env["OMPI_MCA_mpi_yield_when_idle"] = "1"
    env.update(extra or {})
    return env


def command(ranks, args):
    """One rank is started without mpirun, which takes more than a second to report a program that fails."""
    if ranks == 1:
        return [PROGRAM, *OPTIONS, *map(str, args)]
    return [MPIEXEC, "--oversubscribe", "--bind-to", "none", "-np", str(ranks), PROGRAM, *OPTIONS,
            *map(str, args)]


def md(ranks, *args, env=None):
    """Runs to the end; the caller looks at returncode, stdout and stderr."""
    return subprocess.run(command(ranks, args), env=environment(ranks, env), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LIMIT_S)


def reference(name):
    """Rows of a .csv of data/, as numbers."""
    with open(os.path.join(DATA, name), encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def frames(path):
    """A dump as {step: {id: [numbers after the id]}}."""
    found = {}
    with open(path, encoding="utf-8") as file:
        lines = iter(file.read().splitlines())
    for line in lines:
        assert line == "ITEM: TIMESTEP", line
        step = int(next(lines))
        assert next(lines) == "ITEM: NUMBER OF ATOMS"
        count = int(next(lines))
        assert next(lines) == "ITEM: BOX BOUNDS pp pp pp"
        for _ in range(3):
            next(lines)
        assert next(lines) == "ITEM: ATOMS id type x y z vx vy vz fx fy fz"
        words = [next(lines).split() for _ in range(count)]
        found[step] = {int(w[0]): [float(x) for x in w[1:]] for w in words}
    return found


def rows_of(name):
    """Reference lines by step, under the names that JSON uses."""
    short = {"etotal": "etot", "pe_per_atom": "pe", "ke_per_atom": "ke", "etotal_per_atom": "etot"}
    return {int(row["step"]): {short.get(key, key): value for key, value in row.items()} for row in reference(name)}


def largest_difference(lines, rows):
    return max(abs(line[key] - rows[line["step"]][key]) / abs(rows[line["step"]][key])
               for line in lines for key in ("temp", "pe", "ke", "etot", "press"))


class MdTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="halyard-md-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_well(self, ranks, *args, env=None):
        done = md(ranks, *args, env=env)
        self.assertEqual(done.returncode, 0, f"{args} on {ranks} ranks:\n{done.stdout}{done.stderr}")
        return done

    def run_to_json(self, ranks, *args):
        path = self.path("result.json")
        self.run_well(ranks, "--json", path, *args)
        with open(path, encoding="utf-8") as file:
            return json.load(file)
