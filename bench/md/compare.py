"""compare.py PROGRAM ROUNDS RESULTS: loop times of halyard-md and LAMMPS on the same melt, in turn. See bench/run_md."""
import datetime
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def mpirun(ranks, command):
    done = subprocess.run(["mpirun", "-np", str(ranks), "--bind-to", "core", *command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"compare.py: {command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def run_halyard(program, ranks, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        mpirun(ranks, [program, "--melt", "20", "--steps", "100", "--thermo", "20", "--json", path, *options])
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    return {"loop_s": result["loop_s"], "pressure": result["thermo"][-1]["press"],
            "exchange_share": result["exchange_share"], "commit": result["commit"]}


def run_lammps(ranks):
    text = mpirun(ranks, ["lmp", "-in", os.path.join(HERE, "melt.in"), "-log", "none"])
    last = [line.split() for line in text.splitlines() if re.match(r"\s*100 ", line)][-1]
    return {"loop_s": float(re.search(r"Loop time of (\S+)", text).group(1)), "pressure": float(last[5])}


def summary(name, ranks, runs):
    times = sorted(run["loop_s"] for run in runs)
    line = {"bench": "md melt 32000 atoms, 100 steps", "program": name, "ranks": ranks, "rounds": len(runs),
            "loop_s": {"min": times[0], "median": statistics.median(times), "max": times[-1]},
            "date": datetime.date.today().isoformat()}
    if "commit" in runs[0]:
        line["commit"] = runs[0]["commit"]
        line["exchange_share"] = statistics.median(run["exchange_share"] for run in runs)
    return line


def main(program, rounds, results):
    has_lammps = shutil.which("lmp") is not None
    lines = []
    for ranks in (1, 2):
        ways = {"halyard-md": lambda: run_halyard(program, ranks, []),
                "halyard-md --overlap": lambda: run_halyard(program, ranks, ["--overlap"])}
        if has_lammps:
            ways["lammps"] = lambda: run_lammps(ranks)
        runs = {name: [] for name in ways}
        for _ in range(rounds):
            for name, run in ways.items():
                runs[name].append(run())
        pressures = [run["pressure"] for each in runs.values() for run in each]
        if max(pressures) - min(pressures) > 1e-9 * abs(pressures[0]):
            sys.exit(f"compare.py: the programs do not agree on the pressure: {sorted(set(pressures))}")
        lines += [summary(name, ranks, each) for name, each in runs.items()]
    if not has_lammps:
        print("compare.py: there is no lmp (Debian: lammps); only halyard-md was measured", file=sys.stderr)
    with open(results, "a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    for line in lines:
        print(f"{line['program']:22} {line['ranks']} rank(s)  median {line['loop_s']['median']:.3f} s")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
