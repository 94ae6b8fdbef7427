"""What only the system writes: nobody takes GPUs, or ports, by an annotation."""

import json

import pytest
from harness import wait_for
from jobs import pod
from people import user

GPUS = "trainyard.dev/gpus"


def gpu_pod(name, gpus, given=None, **spec):
    made = pod(name, "echo [$CUDA_VISIBLE_DEVICES]; sleep 600", grace=0,
               resources={"limits": {"nvidia.com/gpu": str(gpus)}, "requests": {"memory": "8Mi"}} if gpus else None)
    if given is not None:
        made["metadata"]["annotations"] = {GPUS: given}
    made["spec"].update(spec)
    return made


def gpus_of(server, name):
    return server.get("pod", name)["metadata"].get("annotations", {}).get(GPUS)


@pytest.fixture
def gpu_server(stopped_server):
    stopped_server.up("--fake-gpus", "3")
    return stopped_server


def test_nobody_takes_the_gpus_of_others(gpu_server):
    server = gpu_server
    eve = user(server, "eve", "edit", "default")
    server.create(gpu_pod("victim", 2))
    server.wait_phase("victim", "Running", "pod")
    mine = gpus_of(server, "victim")
    made = eve.try_kubectl("create", "-f", "-", input=json.dumps(gpu_pod("thief", 0, mine)))
    assert made.code == 0 and "only the scheduler writes it" in made.err, repr(made)
    server.wait_phase("thief", "Running", "pod")
    assert gpus_of(server, "thief") is None
    for change in [["annotate", "pod", "thief", f"{GPUS}={mine}", "--overwrite"],
                   ["annotate", "pod", "victim", f"{GPUS}-"],
                   ["patch", "pod", "thief", "--type=json", "-p", json.dumps(
                       [{"op": "add", "path": "/metadata/annotations", "value": {GPUS: mine}}])],
                   ["apply", "--server-side", "--force-conflicts", "-f", "-"]]:
        sent = json.dumps(gpu_pod("thief", 0, mine)) if "apply" in change else None
        eve.try_kubectl(*change, input=sent)
        assert (gpus_of(server, "thief"), gpus_of(server, "victim")) == (None, mine), change
    assert wait_for("its line", lambda: server.kubectl("logs", "thief")) == "[]\n"


def test_templates_give_no_gpus_either(gpu_server):
    server = gpu_server
    template = gpu_pod("x", 0, "0,1,2")
    server.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
        "selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}, "annotations": {GPUS: "0,1,2", "mine": "kept"}},
            "spec": {key: value for key, value in template["spec"].items() if key != "restartPolicy"}}}})
    made = wait_for("its pod", lambda: server.list("pods", "-l", "app=web"))[0]
    assert made["metadata"]["annotations"] == {"mine": "kept"}
    server.wait_phase(made["metadata"]["name"], "Running", "pod")
    assert server.kubectl("logs", made["metadata"]["name"]) == "[]\n"


def test_an_export_can_be_applied_and_created_again(gpu_server):
    server = gpu_server
    server.create(gpu_pod("one", 1))
    server.wait_phase("one", "Running", "pod")
    exported = server.get("pod", "one")
    applied = server.try_kubectl("apply", "-f", "-", input=json.dumps(exported))
    assert applied.code == 0 and "only the scheduler" not in applied.err, repr(applied)
    server.kubectl("delete", "pod", "one")
    for field in ("resourceVersion", "uid", "creationTimestamp"):
        exported["metadata"].pop(field)
    exported["spec"].pop("nodeName")
    exported["metadata"]["annotations"][GPUS] = "7"
    server.create(exported)
    assert server.wait_phase("one", "Running", "pod")["metadata"]["annotations"][GPUS] == "0"


def test_who_names_a_node_waits_for_its_gpus(gpu_server):
    server = gpu_server
    server.create(gpu_pod("first", 2))
    server.wait_phase("first", "Running", "pod")
    server.create(gpu_pod("by-hand", 2, nodeName="node-0"))
    wait_for("the event", lambda: any(reason == "WaitsForGpus" for reason, _ in server.events("by-hand")))
    assert gpus_of(server, "by-hand") is None and server.get("pod", "by-hand")["status"]["phase"] == "Pending"
    server.kubectl("delete", "pod", "first")
    given = server.wait_phase("by-hand", "Running", "pod")["metadata"]["annotations"][GPUS]
    assert wait_for("its line", lambda: server.kubectl("logs", "by-hand")) == f"[{given}]\n" == "[0,1]\n"


def test_a_binding_by_hand_gives_no_gpus(gpu_server):
    server = gpu_server
    server.create(gpu_pod("mine", 1, schedulerName="mine"))
    refused = server.try_kubectl(
        "create", "--raw", "/api/v1/namespaces/default/pods/mine/binding", "-f", "-", input=json.dumps(
            {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "mine", "annotations": {GPUS: "0"}},
             "target": {"kind": "Node", "name": "node-0"}}))
    assert refused.code != 0 and "asks for 1 GPUs and would be bound with 0" in refused.err, repr(refused)
    assert "nodeName" not in server.get("pod", "mine")["spec"]
