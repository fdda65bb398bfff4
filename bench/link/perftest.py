"""Runs perftest's ib_write_lat and ib_write_bw between the first and the last RDMA device of this machine, for the sizes in
a file of JSON lines of `halyard bench link`, and appends what they say to it as methods of the same form. Called by
bench/run_link."""

import json
import pathlib
import subprocess
import sys

PORT = 18515
GID_INDEX = "1"  # IPv4, RoCE v2, in the VM of tests/rdma
BUDGET_US = 2e6  # of one size


def devices():
    names = sorted(entry.name for entry in pathlib.Path("/sys/class/infiniband").iterdir())
    return names[0], names[-1]


def is_listening():
    """Whether the server waits for its client: the port is in the kernel's table, state 0A."""
    wanted = f":{PORT:04X}"
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in pathlib.Path(table).read_text(encoding="ascii").splitlines()[1:]:
            words = line.split()
            if words[1].endswith(wanted) and words[3] == "0A":
                return True
    return False


def run(tool, size, iterations):
    """The row of numbers that the client prints."""
    client, server = devices()
    options = ["-x", GID_INDEX, "-F", "-s", str(size), "-n", str(iterations), "-p", str(PORT)]
    with subprocess.Popen([tool, "-d", server, *options], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT) as waiting:
        try:
            while not is_listening():
                if waiting.poll() is not None:
                    raise RuntimeError(f"{tool} on {server} ended with {waiting.returncode}; try it by hand")
            done = subprocess.run([tool, "-d", client, *options, "127.0.0.1"], capture_output=True, text=True, timeout=120,
                                  check=True)
            waiting.wait(timeout=30)
        finally:
            waiting.kill()
    rows = [line.split() for line in done.stdout.splitlines() if line.split()[:1] == [str(size)]]
    if not rows:
        raise RuntimeError(f"{tool} printed no line for {size} bytes:\n{done.stdout}")
    return [float(number) for number in rows[0]]


def measured(size, one_way_us):
    iterations = max(5, min(2000, int(BUDGET_US / max(one_way_us, 1) / 4)))
    latency = run("ib_write_lat", size, iterations)  # bytes iterations min max typical avg stdev p99 p99.9
    bandwidth = run("ib_write_bw", size, iterations)  # bytes iterations peak avg(MB/s) rate(Mpps)
    return {"median_us": latency[4], "min_us": latency[2], "p99_us": latency[7],
            "stream": {"messages_s": bandwidth[4] * 1e6, "mib_s": bandwidth[3]}, "rounds": iterations}


def main():
    path = pathlib.Path(sys.argv[1])
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    print(f"\nperftest, {' to '.join(devices())}\n{'bytes':>9} {'typical us':>11} {'messages/s':>11} {'MiB/s':>9}")
    with path.open("a", encoding="utf-8") as file:
        for size in sorted({line["bytes"] for line in lines}):
            like = next(line for line in lines if line["bytes"] == size)
            numbers = measured(size, like["median_us"])
            base = {key: like[key] for key in ("bench", "commit", "machine")}
            file.write(json.dumps({**base, "ranks": 2, "bytes": size, "method": "perftest", "path": "ib_write_lat, ib_write_bw",
                                   **numbers, "verified": None}) + "\n")
            print(f"{size:>9} {numbers['median_us']:>11.1f} {numbers['stream']['messages_s']:>11.0f} "
                  f"{numbers['stream']['mib_s']:>9.1f}")


if __name__ == "__main__":
    main()
