# Starts halyard-stencil for the tests of this folder: which program and which mpirun, CMake says in STENCIL_PROGRAM and
# STENCIL_MPIEXEC. Each test case gets a scratch folder of its own.
import json
import os
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["STENCIL_PROGRAM"]
MPIEXEC = os.environ["STENCIL_MPIEXEC"]
LIMIT_S = 100

STENCILS = {"7-point": ["--stencil", "7"], "27-point": ["--stencil", "27"], "13-point": ["--radius", "2"],
            "19-point": ["--radius", "3"], "25-point": ["--radius", "4"]}


def environment(ranks, extra=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("HALYARD_")}
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if ranks > (os.cpu_count() or 1):
        env["OMPI_MCA_mpi_yield_when_idle"] = "1"
    env.update(extra or {})
    return env


def command(ranks, args):
    return [MPIEXEC, "--oversubscribe", "--bind-to", "none", "-np", str(ranks), PROGRAM, *map(str, args)]


def stencil(ranks, *args, env=None, cwd=None):
    """Runs to the end; the caller looks at returncode, stdout and stderr."""
    return subprocess.run(command(ranks, args), env=environment(ranks, env), cwd=cwd, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S)


class StencilTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="halyard-stencil-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_well(self, ranks, *args, env=None):
        done = stencil(ranks, *args, env=env)
        self.assertEqual(done.returncode, 0, f"{args} on {ranks} ranks:\n{done.stdout}{done.stderr}")
        return done

    def run_to_json(self, ranks, *args):
        path = self.path("result.json")
        done = self.run_well(ranks, "--json", path, *args)
        with open(path, encoding="utf-8") as file:
            return json.load(file), done
