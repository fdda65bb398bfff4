"""deploy/k8s: every file parses as YAML, is of a kind that it claims, and every container that exchanges data has what a
rank needs: a GPU, /dev/infiniband, the right to lock memory, and a /dev/shm in memory. Offline: no cluster is asked."""
import sys
from pathlib import Path

CANNOT_RUN = 77
API_VERSIONS = {"Pod": "v1", "MPIJob": "kubeflow.org/v2beta1"}


def pods_of(document):
    """(where, pod spec) of each pod that the document describes"""
    if document["kind"] == "Pod":
        return [("spec", document["spec"])]
    return [(f"mpiReplicaSpecs.{name}", replica["template"]["spec"])
            for name, replica in document["spec"]["mpiReplicaSpecs"].items()]


def has_infiniband(container, volumes):
    if any(name.startswith("rdma/") for name in container["resources"]["limits"]):
        return True
    mounts = [mount for mount in container["volumeMounts"] if mount["mountPath"] == "/dev/infiniband"]
    is_from_node = any(volumes[mount["name"]].get("hostPath", {}).get("path") == "/dev/infiniband" for mount in mounts)
    return is_from_node and container["securityContext"].get("privileged") is True


def complaints_of_container(container, volumes):
    limits = container.get("resources", {}).get("limits", {})
    if not limits.get("nvidia.com/gpu"):
        yield "asks for no GPU"
    if "IPC_LOCK" not in container.get("securityContext", {}).get("capabilities", {}).get("add", []):
        yield "may not lock memory (capability IPC_LOCK)"
    for mount in container.get("volumeMounts", []):
        if mount["name"] not in volumes:
            yield f"mounts {mount['name']}, which is no volume of the pod"
            return
    if not has_infiniband({"volumeMounts": [], "securityContext": {}, **container, "resources": {"limits": limits}}, volumes):
        yield "has no /dev/infiniband: neither an rdma/ resource nor a privileged hostPath"
    shm = [mount for mount in container.get("volumeMounts", []) if mount["mountPath"] == "/dev/shm"]
    if not any(volumes[mount["name"]].get("emptyDir", {}).get("medium") == "Memory" for mount in shm):
        yield "has the 64 MiB /dev/shm of a container"


def complaints(document):
    if not isinstance(document, dict) or document.get("kind") not in API_VERSIONS:
        yield f"is of no kind that is known here ({', '.join(API_VERSIONS)})"
        return
    if document.get("apiVersion") != API_VERSIONS[document["kind"]]:
        yield f"apiVersion {document.get('apiVersion')}: {document['kind']} is of {API_VERSIONS[document['kind']]}"
    if not document.get("metadata", {}).get("name"):
        yield "has no name"
    for where, pod in pods_of(document):
        volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
        for container in pod["containers"]:
            if not container.get("image") or not container.get("name"):
                yield f"{where}: a container without name or image"
            if container.get("command", [""])[0] != "mpirun":  # a launcher moves no data
                for complaint in complaints_of_container(container, volumes):
                    yield f"{where}, container {container.get('name')}: {complaint}"


def broken_ones(document):
    """(what was taken away, document without it): each must be complained of"""
    import copy

    def of(document):
        return [pod for _, pod in pods_of(document)][-1]

    for what, take in (
            ("the GPU", lambda pod: pod["containers"][0]["resources"]["limits"].pop("nvidia.com/gpu")),
            ("IPC_LOCK", lambda pod: pod["containers"][0]["securityContext"]["capabilities"]["add"].clear()),
            ("the volume", lambda pod: pod["volumes"].pop()),
            ("memory as medium", lambda pod: pod["volumes"][-1]["emptyDir"].pop("medium")),
            ("infiniband", lambda pod: (pod["containers"][0]["resources"]["limits"].pop("rdma/hca_shared_devices_a", None),
                                        pod["containers"][0]["securityContext"].pop("privileged", None))),
            ("the image", lambda pod: pod["containers"][0].pop("image"))):
        changed = copy.deepcopy(document)
        take(of(changed))
        yield what, changed


def main():
    try:
        import yaml
    except ImportError:
        print("SKIP: python3 has no yaml; apt-get install python3-yaml")
        return CANNOT_RUN
    failed = 0
    paths = sorted((Path(sys.argv[1]) / "deploy" / "k8s").glob("*.yaml"))
    for path in paths:
        for document in yaml.safe_load_all(path.read_text()):
            for complaint in complaints(document):
                print(f"{path.name}: {complaint}")
                failed += 1
            for what, broken in broken_ones(document):
                if not any(complaints(broken)):
                    print(f"{path.name}: without {what} this test complains of nothing")
                    failed += 1
    print(f"deploy/k8s: {len(paths)} files, {failed} complaints")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
