"""kubectl cordon, drain, taint: taking a node out of use and back."""

from harness import wait_for
from jobs import pod
from objects import SLEEP, deployment


def waits(server, name):
    """What the scheduler says of a pod that it does not place."""
    def word():
        status = server.get("pod", name)["status"]
        assert status["phase"] == "Pending", f"{name} was placed"
        return next((c for c in status.get("conditions", [])
                     if c["type"] == "PodScheduled" and c["status"] == "False"), None)
    return wait_for(f"the scheduler's word on {name}", word, 10)


def test_a_cordoned_node_takes_no_new_pods(server):
    server.create(pod("before", SLEEP, grace=0))
    server.wait_phase("before", "Running", "pod")
    assert server.kubectl("cordon", "node-0") == "node/node-0 cordoned\n"
    assert server.kubectl("get", "node", "node-0", "--no-headers").split()[1] == "Ready,SchedulingDisabled"
    server.create(pod("after", "exit 0"))
    told = waits(server, "after")
    assert told["reason"] == "Unschedulable" and "unschedulable" in told["message"], told
    assert server.get("pod", "before")["status"]["phase"] == "Running"
    assert server.kubectl("uncordon", "node-0") == "node/node-0 uncordoned\n"
    server.wait_phase("after", "Succeeded", "pod")


def test_drain_ends_what_runs(server):
    server.create(deployment("web", replicas=1))
    server.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    [old] = server.list("pods")
    done = server.try_kubectl("drain", "node-0", "--ignore-daemonsets", "--timeout=30s")
    assert done.code == 0 and "node/node-0 drained" in done.out, repr(done)
    assert server.get("pod", old["metadata"]["name"]) is None
    wait_for("its successor to wait", lambda: [made["status"]["phase"] for made in server.list("pods")] == ["Pending"])
    server.kubectl("uncordon", "node-0")
    server.kubectl("rollout", "status", "deployment/web", "--timeout=30s")


def test_a_taint_keeps_pods_away_that_do_not_tolerate_it(server):
    assert server.kubectl("taint", "node", "node-0", "only=gpu:NoSchedule") == "node/node-0 tainted\n"
    server.create(pod("shy", "exit 0"))
    bold = pod("bold", "exit 0")
    bold["spec"]["tolerations"] = [{"key": "only", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}]
    server.create(bold)
    server.wait_phase("bold", "Succeeded", "pod")
    told = waits(server, "shy")
    assert "taint" in told["message"], told
    assert server.kubectl("taint", "node", "node-0", "only-") == "node/node-0 untainted\n"
    server.wait_phase("shy", "Succeeded", "pod")


def test_a_node_selector_and_an_affinity_are_honoured(server):
    for name, spec in [("selector", {"nodeSelector": {"disk": "fast"}}), ("affinity", {"affinity": {"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "disk", "operator": "In", "values": ["fast"]}]}]}}}})]:
        made = pod(name, "exit 0")
        made["spec"].update(spec)
        server.create(made)
    for name in ["selector", "affinity"]:
        assert waits(server, name)["reason"] == "Unschedulable"
    server.kubectl("label", "node", "node-0", "disk=fast")
    for name in ["selector", "affinity"]:
        server.wait_phase(name, "Succeeded", "pod")
