"""Field case N06 as the doctor sees it: the pieces of the VM's soft-RoCE are taken away one at a time, and each time another
finding must say so, with its remedy. Runs as root in the VM of tests/rdma/vm: it takes the machine's devices apart."""

import argparse
import json
import os
import re
import subprocess
import sys

from pieces import ADD_LINKS, DELETE_LINKS, NETWORKS, SETPRIV, SKIPPED, shell

PROVIDERS = "/usr/lib/x86_64-linux-gnu/libibverbs"
NO_IPC_LOCK = [*SETPRIV, "--bounding-set=-ipc_lock"]


class Case:
    """What is done to the machine and undone, and the finding that must say so."""

    def __init__(self, check, verdict, says, take="true", give="true", prefix=()):
        self.check = check
        self.verdict = verdict
        self.says = says
        self.take = take
        self.give = give
        self.prefix = prefix


CASES = {
    "nothing": Case("soft-roce", "ok", r"soft-RoCE is complete"),
    "module": Case("soft-roce", "not applicable", r"module rdma_rxe is not loaded.*modprobe rdma_rxe",
                   take=f"{DELETE_LINKS} && rmmod rdma_rxe", give=f"modprobe rdma_rxe && {ADD_LINKS}"),
    "link": Case("soft-roce", "fail", r"rdma_rxe is loaded, but no device uses it.*rdma link add", take=DELETE_LINKS,
                 give=ADD_LINKS),
    "provider": Case("soft-roce", "fail", r"no provider for soft-RoCE.*ibverbs-providers",
                     take=f"mv {PROVIDERS}/librxe-rdmav34.so /tmp/", give=f"mv /tmp/librxe-rdmav34.so {PROVIDERS}/"),
    "port": Case("soft-roce", "fail", r"the port is DOWN.*ip link set va up", take="ip link set va down && ip link set vb down",
                 give=f"{NETWORKS} && mend_wire"),
    "address": Case("soft-roce", "fail", r"(link-local addresses only|no address).*ip addr add",
                    take="ip addr flush dev va && ip addr flush dev vb", give=f"{NETWORKS} && mend_wire"),
    "nodes": Case("rdma-nodes", "fail", r"/dev/infiniband/uverbs\d is missing.*--device=/dev/infiniband",
                  take="mv /dev/infiniband /dev/away", give="mv /dev/away /dev/infiniband"),
    "permission": Case("rdma-nodes", "fail", r"may not be opened by this user.*chmod 0666", take="chmod 0600 /dev/infiniband/uverbs*",
                       give="chmod 0666 /dev/infiniband/uverbs*",
                       prefix=("prlimit", "--memlock=unlimited", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
                               "--bounding-set=-all")),
    "locked_memory": Case("memlock", "fail", r"locked memory is limited to 65536 bytes.*LimitMEMLOCK=infinity",
                          prefix=("prlimit", "--memlock=65536", *NO_IPC_LOCK)),
}


def examine(halyard, case):
    findings = []
    for check in sorted({case.check, "soft-roce"}):  # an emulated processor takes seconds to start a program
        done = subprocess.run([*case.prefix, halyard, "doctor", "--json", "--check", check], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60)
        try:
            findings += json.loads(done.stdout)["findings"]
        except (ValueError, KeyError):
            sys.exit(f"no findings of {check}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return findings


def text_of(finding):
    return " ".join([finding["subject"], finding["summary"], *finding["evidence"], finding["remedy"]])


def fits(finding, case):
    return (finding["check"] == case.check and finding["verdict"] == case.verdict
            and re.search(case.says, text_of(finding)) is not None)


def complaints(name, findings):
    """The finding of this case is there, and none that only another case may have."""
    case = CASES[name]
    if not any(fits(finding, case) for finding in findings):
        yield f"{name}: no {case.verdict} of {case.check} says '{case.says}'"
    for other, rule in CASES.items():
        if other not in (name, "nothing") and any(fits(finding, rule) for finding in findings):
            yield f"{name}: looks like {other} too"


def run(name, halyard):
    case = CASES[name]
    shell(case.take)
    try:
        findings = examine(halyard, case)
    finally:
        shell(case.give)
    found = list(complaints(name, findings))
    if found:
        print(*found, *(f"  {f['verdict']}: {f['check']}: {text_of(f)}" for f in findings), sep="\n")
    return not found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--halyard", required=True)
    parser.add_argument("cases", nargs="*", choices=[[], *CASES])
    arguments = parser.parse_args()
    if os.environ.get("VM_NETWORK") != "wire":
        print("SKIP: takes RDMA devices apart, so it runs in the VM only: tests/rdma/vm -n wire -- ctest --preset rdma -R doctor")
        sys.exit(SKIPPED)
    results = [run(name, arguments.halyard) for name in arguments.cases or CASES]
    print(f"{len(results)} cases, {results.count(False)} wrong")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
