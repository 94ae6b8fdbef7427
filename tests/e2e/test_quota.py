"""ResourceQuotas: what a namespace may use in all, counted and held."""

import json
import re
import threading

import pytest
from harness import wait_for
from jobs import config_map, pod
from objects import make, namespace
from wire import Wire

MAPS = "/api/v1/namespaces/{}/configmaps"


@pytest.fixture(scope="module")
def team(shared_server):
    """Makes a namespace with one quota; the namespace's name."""
    def make_team(name, hard, **spec):
        shared_server.create(namespace(name))
        make(shared_server, {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"},
                             "spec": {"hard": hard, **spec}}, "-n", name)
        return name
    return make_team


def used(server, ns):
    return json.loads(server.kubectl("get", "quota", "team", "-n", ns, "-o", "json")).get("status", {}).get("used", {})


def asking(name, requests, script="sleep 600"):
    made = pod(name, script, grace=0)
    made["spec"]["containers"][0]["resources"] = {"requests": requests}
    return made


def test_compute_is_counted_and_held(shared_server, team):
    ns = team("compute", {"requests.cpu": "1", "requests.memory": "1Gi", "pods": "5"})
    make(shared_server, asking("one", {"cpu": "600m", "memory": "64Mi"}), "-n", ns)
    wait_for("the count", lambda: used(shared_server, ns) == {
        "requests.cpu": "600m", "requests.memory": "64Mi", "pods": "1"})
    refused = shared_server.try_kubectl("create", "-n", ns, "-f", "-", input=json.dumps(
        asking("two", {"cpu": "500m", "memory": "64Mi"})))
    assert refused.code == 1
    assert 'pods "two" is forbidden: exceeded quota: team, requested: requests.cpu=500m, ' \
           "used: requests.cpu=600m, limited: requests.cpu=1" in refused.err, repr(refused)
    vague = shared_server.try_kubectl("run", "vague", "--image=host", "-n", ns)
    assert 'pods "vague" is forbidden: failed quota: team: must specify requests.cpu for: vague; ' \
           "requests.memory for: vague" in vague.err, repr(vague)
    shared_server.kubectl("delete", "pod", "one", "-n", ns, "--now")
    make(shared_server, asking("two", {"cpu": "500m", "memory": "64Mi"}), "-n", ns)


def test_a_pod_that_has_ended_uses_nothing(shared_server, team):
    ns = team("ended", {"pods": "1"})
    for name in ("first", "second"):
        make(shared_server, pod(name, "exit 0"), "-n", ns)
        shared_server.kubectl("wait", f"pod/{name}", "-n", ns, "--for=jsonpath={.status.phase}=Succeeded", "--timeout=20s")
    wait_for("the count", lambda: used(shared_server, ns) == {"pods": "0"})


def test_gpus_are_counted(shared_server, team):
    ns = team("gpus", {"requests.nvidia.com/gpu": "3"})
    def ask(name, count):
        made = pod(name, "exit 0")
        made["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": count}}
        return shared_server.try_kubectl("create", "-n", ns, "-f", "-", input=json.dumps(made))
    assert ask("two", 2).code == 0
    refused = ask("more", 2)
    assert "exceeded quota: team, requested: requests.nvidia.com/gpu=2, used: requests.nvidia.com/gpu=2, " \
           "limited: requests.nvidia.com/gpu=3" in refused.err, repr(refused)
    assert ask("one", 1).code == 0


def test_many_at_once_cannot_exceed_it_together(shared_server, team):
    ns = team("crowd", {"count/configmaps": "12"})
    wait_for("the namespace's own", lambda: shared_server.list("configmaps", "-n", ns))
    codes = []
    def create(first):
        wire = Wire(shared_server)
        for i in range(first, first + 10):
            codes.append(wire.ask("POST", MAPS.format(ns), config_map(f"c{i}")).code)
    threads = [threading.Thread(target=create, args=(10 * i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(set(codes)) == [201, 403]
    assert len(shared_server.list("configmaps", "-n", ns)) == 12
    wait_for("the count", lambda: used(shared_server, ns) == {"count/configmaps": "12"})


def test_storage_is_counted(shared_server, team):
    ns = team("disks", {"requests.storage": "10Gi", "persistentvolumeclaims": "2"})
    def claim(name, size):
        made = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}}
        return shared_server.try_kubectl("create", "-n", ns, "-f", "-", input=json.dumps(made))
    assert claim("a", "6Gi").code == 0
    assert "requested: requests.storage=5Gi, used: requests.storage=6Gi" in claim("b", "5Gi").err
    assert claim("b", "4Gi").code == 0


def test_a_quota_outlives_the_server(server):
    server.create(namespace("kept"))
    server.kubectl("create", "quota", "two", "--hard=secrets=1", "-n", "kept")
    server.kubectl("create", "secret", "generic", "one", "-n", "kept")
    server.kill()
    server.up()
    refused = server.try_kubectl("create", "secret", "generic", "two", "-n", "kept")
    assert "exceeded quota: two, requested: secrets=1, used: secrets=1, limited: secrets=1" in refused.err, repr(refused)


def test_a_deployment_says_why_its_pods_do_not_come(shared_server, team):
    ns = team("starved", {"pods": "1"})
    shared_server.kubectl("create", "deployment", "web", "--image=host", "--replicas=2", "-n", ns, "--", "sleep", "600")
    wait_for("the event", lambda: re.search(r"FailedCreate.*exceeded quota: team", shared_server.kubectl("get", "events", "-n", ns)))
    shared_server.kubectl("delete", "deployment", "web", "-n", ns)
