"""Objects for the tests, as small as they can be."""

import copy

import yaml
from harness import ROOT

EXAMPLES = ROOT / "examples"
# By which the pods of the namespace `default` share its volumes, where the server is root (node/namespace_groups.h).
DEFAULT_GROUP = 1879098878


def pod_spec(script, **container):
    """A pod that runs a shell script. Memory is small so that everything fits everywhere."""
    return {"containers": [{"name": "main", "image": "host", "command": ["sh", "-c", script],
                            "resources": {"requests": {"memory": "16Mi"}}, **container}]}


def pod(name, script, grace=None, **container):
    spec = {"restartPolicy": "Never", **pod_spec(script, **container)}
    if grace is not None:
        spec["terminationGracePeriodSeconds"] = grace
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def replicas(script, type="worker", count=1, restart="OnFailure", **container):
    return {"type": type, "replicas": count, "restartPolicy": restart,
            "template": {"spec": pod_spec(script, **container)}}


def job(name, *groups, **spec):
    return {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob",
            "metadata": {"name": name}, "spec": {"replicaSpecs": list(groups), **spec}}


def shell_job(name, script, count=1, restart="OnFailure", run_policy=None, **container):
    made = job(name, replicas(script, count=count, restart=restart, **container))
    if run_policy:
        made["spec"]["runPolicy"] = run_policy
    return made


def with_volume(obj, claim, path="/volume", read_only=False):
    """The same pod or job, with a claim mounted in all its containers."""
    obj = copy.deepcopy(obj)
    specs = [group["template"]["spec"] for group in obj["spec"].get("replicaSpecs", [])]
    for spec in specs or [obj["spec"]]:
        spec["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]
        for container in spec["containers"]:
            container["volumeMounts"] = [{"name": "v", "mountPath": path, "readOnly": read_only}]
    return obj


def mounting(made, source, path="/v", **mount):
    """The same pod, with a volume of that source mounted in its first container."""
    volumes = made["spec"].setdefault("volumes", [])
    name = f"v{len(volumes)}"
    volumes.append({"name": name, **source})
    made["spec"]["containers"][0].setdefault("volumeMounts", []).append({"name": name, "mountPath": path, **mount})
    return made


WAIT = "until [ -e /gate/open ]; do sleep 0.03; done"  # a shell's way to wait for the fixture gate


def gated(obj):
    return with_volume(obj, "gate", "/gate")


def training_job(samples, epochs, example="ddp-mnist"):
    """An example's job.yaml with less to do."""
    made = yaml.safe_load((EXAMPLES / example / "job.yaml").read_text())
    for group in made["spec"]["replicaSpecs"]:
        container = group["template"]["spec"]["containers"][0]
        container["args"] += [f"--samples={samples}", f"--epochs={epochs}"]
    return made


def h5(name, uid):
    """First five hex digits of FNV-1a (64 bit) over name and uid: spec/t9k-jobs.md, 1.9."""
    value = 0xCBF29CE484222325
    for byte in (name + uid).encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"[:5]


def conditions(obj):
    """{type: (status, reason, message)}"""
    return {c["type"]: (c["status"], c.get("reason"), c.get("message"))
            for c in obj["status"].get("conditions", [])}


assert h5("mnist", "cffea855-5ce2-496a-8956-f6e76fe2f565") == "40c14"  # the spec's own example
