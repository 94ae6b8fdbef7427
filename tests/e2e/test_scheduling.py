"""Where pods go: several nodes on one machine, GPUs, gangs, priorities, and the reasons of those that wait."""

import json

import pytest
from harness import wait_for
from jobs import pod, shell_job
from objects import SLEEP, deployment

GPU = "nvidia.com/gpu"


@pytest.fixture
def yard(stopped_server):
    """A master without GPUs and two nodes with two fake ones each."""
    stopped_server.up("--nodes", "1*role=master;2*gpu=2,cpu=8,memory=4Gi,zone=b", "--fake-gpus")
    return stopped_server


def gpu_pod(name, gpus, command=SLEEP, **spec):
    made = pod(name, command, grace=0)
    made["spec"]["containers"][0]["resources"] = {"limits": {GPU: gpus}}
    made["spec"].update(spec)
    return made


def gpu_job(name, count, gpus=1):
    return shell_job(name, SLEEP, count=count, resources={"limits": {GPU: gpus}})


def scheduled(server, name):
    conditions = server.get("pod", name)["status"].get("conditions", [])
    return next((c for c in conditions if c["type"] == "PodScheduled"), None)


def wait_reason(server, name, *words):
    def told():
        condition = scheduled(server, name)
        message = (condition or {}).get("message", "")
        return all(word in message for word in words) and condition
    return wait_for(f"{words} in the condition of {name}", told, 15)


def node_of(server, name):
    return server.get("pod", name)["spec"].get("nodeName")


def test_several_nodes_on_one_machine(yard):
    rows = [row.split() for row in yard.kubectl("get", "nodes", "--no-headers").splitlines()]
    assert [row[:3] for row in rows] == [["node-0", "Ready", "master"], ["node-1", "Ready", "<none>"],
                                         ["node-2", "Ready", "<none>"]]
    nodes = yard.list("nodes")
    assert [node["status"]["capacity"].get(GPU) for node in nodes] == [None, "2", "2"]
    assert nodes[1]["status"]["allocatable"]["memory"] == "4Gi" and nodes[1]["status"]["capacity"]["cpu"] == "8"
    assert nodes[2]["metadata"]["labels"]["zone"] == "b"
    ips = {address["address"] for node in nodes for address in node["status"]["addresses"]
           if address["type"] == "InternalIP"}
    assert len(ips) == 3 and all(ip.startswith("127.") for ip in ips)
    told = yard.kubectl("describe", "node", "node-1")
    assert "HolderIdentity:  node-1" in told and "nvidia.com/gpu:     2" in told, told


def test_pods_of_all_nodes_run_and_outlive_a_restart(yard):
    for i in range(3):
        made = pod(f"p{i}", SLEEP, grace=0)
        made["spec"]["nodeSelector"] = {"kubernetes.io/hostname": f"node-{i}"}
        yard.create(made)
    for i in range(3):
        assert yard.wait_phase(f"p{i}", "Running", "pod")["spec"]["nodeName"] == f"node-{i}"
    yard.kill()
    yard.up("--nodes", "1*role=master;1*gpu=2,cpu=8,memory=4Gi,zone=b", "--fake-gpus")
    assert [node["metadata"]["name"] for node in yard.list("nodes")] == ["node-0", "node-1"]
    for i in range(2):
        assert yard.get("pod", f"p{i}")["status"]["phase"] == "Running"


@pytest.mark.parametrize("flags,words", [
    (["--nodes", "gpu=2"], "add --fake-gpus"), (["--nodes", "2*what"], "'what' in '2*what' is not KEY=VALUE"),
    (["--fake-gpus", "some"], "--fake-gpus some")])
def test_flags_that_make_no_sense_are_refused_in_words(stopped_server, flags, words):
    result = stopped_server.try_up(*flags)
    assert result.code != 0 and words in result.err, repr(result)


def test_no_two_pods_share_a_gpu(yard):
    for i in range(4):
        yard.create(gpu_pod(f"p{i}", 1))
    pods = [yard.wait_phase(f"p{i}", "Running", "pod") for i in range(4)]
    given = {(made["spec"]["nodeName"], made["metadata"]["annotations"]["trainyard.dev/gpus"]) for made in pods}
    assert given == {(node, gpu) for node in ("node-1", "node-2") for gpu in ("0", "1")}


def test_a_gang_goes_on_one_node_where_it_can(yard):
    yard.create(gpu_job("pair", 2))
    yard.wait_phase("pair", "Running")
    assert len({made["spec"]["nodeName"] for made in yard.pods("pair")}) == 1


def test_who_waits_is_told_for_whom_and_what_would_help(stopped_server):
    server = stopped_server
    server.up("--fake-gpus", "4")
    server.create(gpu_job("a", 2))
    server.wait_phase("a", "Running")
    server.create(gpu_job("b", 4))
    waiting = wait_for("the pods", lambda: len(server.pods("b")) == 4 and server.pods("b"))
    words = ("0/1 nodes are available: 1 Insufficient nvidia.com/gpu. job b needs 4 × nvidia.com/gpu, node-0 has 2 "
             "free of 4 (job a holds 2): waits for job a, or start with --fake-gpus 6.")
    for one in waiting:
        told = wait_reason(server, one["metadata"]["name"], words)
        assert (told["status"], told["reason"]) == ("False", "Unschedulable")
    job = wait_for("the job's condition", lambda: next(
        (c for c in server.get("pj", "b")["status"]["conditions"]
         if c["type"] == "Running" and c["reason"] == "Unschedulable"), None))
    assert job["message"] == words
    group = wait_for("the group's condition", lambda: server.get("podgroup", "b")["status"].get("conditions"))
    assert group[0]["type"] == "Unschedulable" and group[0]["message"] == words
    told = [event for event in server.list("events") if event["reason"] == "FailedScheduling"]
    assert [(event["message"], event["count"]) for event in told] == [(words, 1)], told
    server.kubectl("delete", "pj", "a")
    server.wait_phase("b", "Running")
    assert server.get("podgroup", "b")["status"]["phase"] == "Running"


def test_binding_is_told_as_users_know_it(server):
    server.create(pod("p", "exit 0"))
    server.wait_phase("p", "Succeeded", "pod")
    wait_for("the event", lambda: ("Scheduled", "Successfully assigned default/p to node-0") in server.events("p"))


def test_memory_may_be_overcommitted_on_request(stopped_server):
    server = stopped_server
    server.up("--nodes", "memory=1Gi")
    large = pod("large", "exit 0")
    large["spec"]["containers"][0]["resources"] = {"requests": {"memory": "2Gi"}}
    server.create(large)
    wait_reason(server, "large", "could never fit", "--overcommit-memory")
    assert server.cli("down").code == 0
    server.up("--nodes", "memory=1Gi", "--overcommit-memory")
    server.wait_phase("large", "Succeeded", "pod")


def test_the_more_urgent_goes_first(stopped_server):
    server = stopped_server
    server.up("--fake-gpus", "1")
    server.kubectl("create", "priorityclass", "urgent", "--value=1000")
    server.create(gpu_pod("holder", 1))
    server.wait_phase("holder", "Running", "pod")
    server.create(gpu_pod("patient", 1))
    wait_reason(server, "patient", "pod holder holds 1")
    server.create(gpu_pod("urgent", 1, priorityClassName="urgent"))
    wait_reason(server, "urgent", "pod holder holds 1")
    server.kubectl("delete", "pod", "holder", "--grace-period=0", "--force")
    server.wait_phase("urgent", "Running", "pod")
    assert node_of(server, "patient") is None


def test_drain_moves_a_deployment_to_another_node(stopped_server):
    server = stopped_server
    server.up("--nodes", "2")
    server.create(deployment("web", replicas=2))
    server.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    first = {made["spec"]["nodeName"] for made in server.list("pods")}
    assert len(first) == 1, "equal pods are packed"
    [node] = first
    assert "drained" in server.kubectl("drain", node, "--ignore-daemonsets", "--timeout=40s")
    server.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    wait_for("the pods to be elsewhere", lambda: {
        made["spec"].get("nodeName") for made in server.list("pods")} == {"node-0", "node-1"} - first)


def test_a_taint_that_ends_pods(server):
    server.create(pod("goes", SLEEP, grace=0))
    stays = pod("stays", SLEEP, grace=0)
    stays["spec"]["tolerations"] = [{"key": "maintenance", "operator": "Exists", "effect": "NoExecute"}]
    server.create(stays)
    for name in ("goes", "stays"):
        server.wait_phase(name, "Running", "pod")
    server.kubectl("taint", "node", "node-0", "maintenance=now:NoExecute")
    wait_for("the pod to go", lambda: server.get("pod", "goes") is None, 10)
    assert server.get("pod", "stays")["status"]["phase"] == "Running"


def test_pods_keep_apart_and_spread(stopped_server):
    server = stopped_server
    server.up("--nodes", "2")
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "lone"}}}]}}
    for i in range(3):
        made = pod(f"lone-{i}", SLEEP, grace=0)
        made["metadata"]["labels"] = {"app": "lone"}
        made["spec"]["affinity"] = apart
        server.create(made)
    server.wait_phase("lone-0", "Running", "pod")
    server.wait_phase("lone-1", "Running", "pod")
    assert {node_of(server, "lone-0"), node_of(server, "lone-1")} == {"node-0", "node-1"}
    wait_reason(server, "lone-2", "2 node(s) didn't match pod anti-affinity rules")


def test_gates_hold_a_pod_back(server):
    held = pod("held", "exit 0")
    held["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]
    server.create(held)
    told = wait_for("the gate's word", lambda: scheduled(server, "held"))
    assert told["reason"] == "SchedulingGated"
    assert server.kubectl("get", "pod", "held", "--no-headers").split()[2] == "SchedulingGated"
    server.kubectl("patch", "pod", "held", "--type=json", "-p", json.dumps(
        [{"op": "remove", "path": "/spec/schedulingGates"}]))
    server.wait_phase("held", "Succeeded", "pod")


def test_pods_of_other_schedulers_are_left_alone(server):
    other = pod("other", "exit 0")
    other["spec"]["schedulerName"] = "mine"
    server.create(other)
    server.create(pod("ours", "exit 0"))
    server.wait_phase("ours", "Succeeded", "pod")
    assert node_of(server, "other") is None and scheduled(server, "other") is None
    server.kubectl("create", "--raw", "/api/v1/namespaces/default/pods/other/binding", "-f", "-", input=json.dumps(
        {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "other"}, "target": {"kind": "Node", "name": "node-0"}}))
    server.wait_phase("other", "Succeeded", "pod")
