"""Turns what callgrind counted for bench/run_instructions into one JSON line per path, and says how verbs stands to UCX.

report.py <folder with callgrind's files verbs, ucx and what the program said, *.json> <kind of machine> [--check]"""

import json
import os
import pathlib
import platform
import sys

ENDS = 2  # both ranks lie in the counted process
MOST = 1 / 3  # verbs over UCX


def counted(callgrind_file):
    for line in callgrind_file.read_text(encoding="utf-8").splitlines():
        if line.startswith(("summary:", "totals:")):
            return int(line.split()[1])
    raise SystemExit(f"{callgrind_file}: callgrind wrote no sum; did it find the functions counted_*?")


def line_of(folder, path, machine):
    said = json.loads((folder / f"{path}.json").read_text(encoding="utf-8"))
    if said["extra_rounds"] != 0:
        raise SystemExit(f"{path}: {said['extra_rounds']} polls found too little, so the count holds idle polls; try again")
    return {"bench": "instructions", "commit": os.environ.get("COMMIT", "unknown"),
            "machine": {"kind": machine, "kernel": platform.release()},
            "case": {"neighbors": 26, "ends": "one process", "bytes": "32 cubed, width 1, doubles"}, "path": path,
            "form": said["form"], "exchanges": said["exchanges"],
            "instructions": counted(folder / path) / ENDS / said["exchanges"]}


def ucx_in_results():
    for file in sorted(pathlib.Path("bench/results").glob("instructions_*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if json.loads(line)["path"] == "ucx":
                return json.loads(line)
    raise SystemExit("bench/results/instructions_*.jsonl has no line of UCX; run bench/run_instructions")


def main():
    folder, machine, is_check = pathlib.Path(sys.argv[1]), sys.argv[2], "--check" in sys.argv[3:]
    verbs = line_of(folder, "verbs", machine)
    ucx = ucx_in_results() if is_check else line_of(folder, "ucx", machine)
    verbs["ratio_to_ucx"] = round(verbs["instructions"] / ucx["instructions"], 4)
    for line in (verbs, ucx):
        print(f"{line['path']:<6} {line['form']:<20} {line['instructions']:>10.0f} instructions per exchange of a rank")
    print(f"verbs / ucx = {verbs['ratio_to_ucx']} (wanted at most {MOST:.4f})")
    if is_check:
        return 0 if verbs["ratio_to_ucx"] <= MOST else 1
    results = pathlib.Path("bench/results") / f"instructions_{machine}.jsonl"
    with results.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in (verbs, ucx))
    print(f"appended to {results}")
    return 0


sys.exit(main())
