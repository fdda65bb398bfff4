"""Field case N06 and bad input: RDMA that is missing, half there or asked for wrongly. The pieces of the VM's soft-RoCE are
taken away one at a time; Halyard must say what it tried, what came back and what to do, and take the slower path, or
refuse when the caller allows no other. Runs as root in the VM of tests/rdma/vm: it takes the machine's devices apart."""

import argparse
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
MACHINE = pathlib.Path(__file__).resolve().parent / "machine"
NETWORKS = f"source '{MACHINE}/networks.sh'"
UCX_ALONE = r"open UCX: of UCX_TLS=\S+ on UCX_NET_DEVICES=\S+ only 'self' is there.*'ucx_info -d'.*'rdma link'"
SETPRIV = ["setpriv", "--inh-caps=-all"]


class Case:
    """What is done to the machine and undone; how the program is started; what it must say."""

    def __init__(self, verbs, ucx, outcome="right over mpi", **how):
        self.verbs = verbs  # of explain()'s line; None: the path must be open
        self.port = how.get("port", "")  # what an open verbs path says of each rank's port
        self.ucx = ucx
        self.outcome = outcome
        self.take = how.get("take", "true")
        self.give = how.get("give", "true")
        self.environment = how.get("environment", {})
        self.prefix = how.get("prefix", [])
        self.arguments = how.get("arguments", ["^shared"])


DELETE_LINKS = "rdma link del rxe0 && rdma link del rxe1"
ADD_LINKS = f"{NETWORKS} && mend_wire && rdma link add rxe0 type rxe netdev va && rdma link add rxe1 type rxe netdev vb"
WIRE_DOWN = {"take": "ip link set va down && ip link set vb down", "give": f"{NETWORKS} && mend_wire"}
NO_VERBS = r"no RDMA device: /sys/class/infiniband is empty or missing; .*modprobe rdma_rxe; rdma link add rxe0"
NO_DEVICE = {"HALYARD_VERBS_DEVICE": "rxe7", "UCX_NET_DEVICES": "rxe7:1"}
NAME_OF_NO_DEVICE = r"use RDMA port rxe7 \(HALYARD_VERBS_DEVICE\): there is none; did you mean rxe\d\? There are rxe0:1, rxe1:1"
LOCKED = r"locked memory is limited to 65536 bytes .*ulimit -l unlimited.*slurmd\.service.*limits\.conf"

CASES = {
    # Each port has a link-local address and one of IPv4, as RoCE v1 and v2 where the kernel makes v1 rows (field case N01).
    "nothing": Case(None, None, outcome="right over verbs", port=r"RoCE v2 GID \d+ \(10\.77\.0\.\d\), MTU 4096"),
    "nothing_and_no_verbs": Case("HALYARD_PATH", None, outcome="right over ucx", arguments=["^shared,verbs"]),
    "module": Case(NO_VERBS, UCX_ALONE, take=f"{DELETE_LINKS} && rmmod rdma_rxe", give=f"modprobe rdma_rxe && {ADD_LINKS}"),
    "link": Case(NO_VERBS, UCX_ALONE, take=DELETE_LINKS, give=ADD_LINKS),
    "link_and_verbs_required": Case(NO_VERBS, "HALYARD_PATH", outcome=f"refused: .*{NO_VERBS}", arguments=["verbs"],
                                    take=DELETE_LINKS, give=ADD_LINKS),
    "link_and_ucx_required": Case("HALYARD_PATH", UCX_ALONE, outcome=f"refused: .*{UCX_ALONE}", arguments=["ucx"],
                                  take=DELETE_LINKS, give=ADD_LINKS),
    "port": Case(r"no usable RDMA port: rxe\d:1: the port is \S+; bring its link up", UCX_ALONE, **WIRE_DOWN),
    "nodes": Case(r"no usable RDMA port: rxe\d:1: its node /dev/infiniband/uverbs\d is missing; pass", UCX_ALONE,
                  take="mv /dev/infiniband /dev/away", give="mv /dev/away /dev/infiniband"),
    "permission": Case(r"open its node under /dev/infiniband: Permission denied; give the user", UCX_ALONE,
                       take="chmod 0 /dev/infiniband/*", give="chmod 666 /dev/infiniband/*",
                       prefix=[*SETPRIV, "--bounding-set=-dac_override,-dac_read_search"]),
    # UCX finds out when it connects. Link-local addresses are left, which have no route through the wire.
    "address_over_verbs": Case(r"ibv_modify_qp: .*is there a route between the two ports", "HALYARD_PATH",
                               take="ip addr flush dev va && ip addr flush dev vb", give=f"{NETWORKS} && mend_wire",
                               arguments=["^shared,ucx"]),
    "address_over_ucx": Case("HALYARD_PATH", None, arguments=["^shared,verbs"],
                             outcome=r"refused: .*connect to rank \d over UCX: ucp_ep_create: .*; look at UCX_TLS and",
                             take="ip addr flush dev va && ip addr flush dev vb", give=f"{NETWORKS} && mend_wire"),
    "name": Case(NAME_OF_NO_DEVICE, UCX_ALONE, environment=NO_DEVICE),
    # The smaller one is taken, and each rank says what its port has.
    "mtu": Case(None, "HALYARD_PATH", outcome="right over verbs", port="MTU (1024|4096)", take="ip link set vb mtu 1500",
                give=f"{NETWORKS} && mend_wire", arguments=["^shared,ucx", "50000"]),
    "gid": Case(r"use GID index 200 \(HALYARD_VERBS_GID\): the port has none there; it has RoCE v2 GID 0", UCX_ALONE,
                environment={"HALYARD_VERBS_GID": "200", "UCX_IB_GID_INDEX": "9000"}),
    "locked_memory_over_ucx": Case(
        "HALYARD_PATH", rf"open UCX: register \d+ bytes with the network card: ucp_mem_map: .*; {LOCKED}",
        arguments=["^shared,verbs"], prefix=["prlimit", "--memlock=65536", *SETPRIV, "--bounding-set=-ipc_lock"]),
    "locked_memory_over_verbs": Case(
        None, "HALYARD_PATH", outcome=rf"refused: .*register \d+ bytes on rxe\d:1: ibv_reg_mr: Cannot allocate memory; .*{LOCKED}",
        arguments=["^shared,ucx", "50000"], prefix=["prlimit", "--memlock=65536", *SETPRIV, "--bounding-set=-ipc_lock"]),
}


def shell(command):
    subprocess.run(["bash", "-c", command], check=True)


def run(arguments, case):
    environment = dict(os.environ, OMPI_MCA_pml="ob1", OMPI_MCA_btl="self,vader", UCX_TLS="rc_verbs,ud_verbs,self",
                       UCX_WARN_UNUSED_ENV_VARS="n", **case.environment)
    command = [*case.prefix, arguments.mpirun, "--oversubscribe", "--bind-to", "none", "-np", "2", arguments.program,
               *case.arguments]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=100).stdout


def complaints(case, output):
    lines = [line.removeprefix("explain:").strip() for line in output.splitlines()]
    for path, refusal, port in (("verbs", case.verbs, case.port), ("ucx", case.ucx, "")):
        wanted = re.compile(rf"{path} +open, reaches 1.*{port}" if refusal is None else rf"{path} +not open: .*{refusal}")
        if sum(1 for line in lines if wanted.match(line)) != 2:
            yield f"not on both ranks: {wanted.pattern}"
    if sum(1 for line in lines if re.match(case.outcome, line)) != 2:
        yield f"not the outcome on both ranks: {case.outcome}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("case", choices=CASES)
    arguments = parser.parse_args()
    if os.environ.get("VM_NETWORK") != "wire":
        print("SKIP: takes RDMA devices apart, so it runs in the VM only: tests/rdma/vm -n wire -- ctest --preset rdma -R pieces")
        sys.exit(SKIPPED)
    case = CASES[arguments.case]
    shell(case.take)
    try:
        output = run(arguments, case)
    finally:
        shell(case.give)
    found = list(complaints(case, output))
    if found:
        print(*found, output, sep="\n")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
