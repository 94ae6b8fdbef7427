"""up --fake-runtime: everything but the processes, by the hundred. One server for the file; the tests build on each
other's leftovers in no way."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness import wait_for
from jobs import job, pod, replicas
from processes import pids_running
from servers import run_server

FLAGS = ["--fake-runtime", "--nodes", "20*cpu=64,memory=256Gi"]
EXIT = "trainyard.dev/fake-exit"
JOBS = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs"


@pytest.fixture(scope="module")
def yard(tools):
    for server in run_server(start=False):
        server.up(*FLAGS)
        yield server


def fake_job(name, exit=None, **spec):
    made = job(name, replicas("exit 1", "master"), replicas("exit 1", "worker", 3), **spec)
    for group in made["spec"]["replicaSpecs"]:
        if exit:
            group["template"]["metadata"] = {"annotations": {EXIT: exit}}
    return made


def fake_pod(name, exit=None, **spec):
    made = pod(name, "exit 1")
    if exit:
        made["metadata"]["annotations"] = {EXIT: exit}
    made["spec"].update(spec)
    return made


def post_all(server, made):
    def post(obj):
        code, body = server.api(JOBS, server.token(), "POST", json.dumps(obj))
        assert code == 201, body
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(post, made))


def phases(server, kind):
    counts = {}
    for obj in server.list(kind):
        phase = obj.get("status", {}).get("phase")
        counts[phase] = counts.get(phase, 0) + 1
    return counts


def test_a_hundred_jobs_run_and_succeed_over_kill_9_and_leave_nothing(yard):
    post_all(yard, [fake_job(f"many-{i}", "7s 0") for i in range(50)])
    yard.kill()
    yard.up(*FLAGS)
    post_all(yard, [fake_job(f"many-{i}", "7s 0") for i in range(50, 100)])
    wait_for("all jobs to run", lambda: phases(yard, "pj") == {"Running": 100})
    assert phases(yard, "pods") == {"Running": 400}
    assert {obj["status"]["backoffCount"] for obj in yard.list("pj")} == {0}
    assert len({obj["metadata"]["annotations"]["trainyard.dev/port"] for obj in yard.list("pj")}) == 100
    assert pids_running(str(yard.data / "bin")) == [], "something really runs"
    yard.kill()
    yard.up(*FLAGS)
    wait_for("all jobs to succeed", lambda: phases(yard, "pj") == {"Succeeded": 100})
    assert phases(yard, "pods") == {"Succeeded": 400}
    yard.kubectl("delete", "pj", "--all", "--wait=false")
    for kind in ["pj", "pods", "podgroups", "endpointslices"]:
        wait_for(f"no {kind} to be left", lambda: yard.list(kind) == [])
    assert [obj["metadata"]["name"] for obj in yard.list("services")] == ["kubernetes"] or yard.list("services") == []


def test_pods_end_as_their_annotation_says(yard):
    yard.create(fake_pod("ends", "300ms 7"))
    ended = wait_for("its end", lambda: (obj := yard.get("pod", "ends"))["status"].get("phase") == "Failed" and obj)
    assert ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 7
    yard.create(fake_pod("restarts", "200ms 1", restartPolicy="OnFailure"))
    wait_for("a restart", lambda: yard.get("pod", "restarts")["status"].get("containerStatuses", [{}])[0].get("restartCount"))
    yard.kubectl("delete", "pod", "ends", "restarts")


def test_an_annotation_that_says_nothing_is_told(yard):
    yard.create(fake_pod("odd", "soon"))
    wait_for("its event", lambda: any("soon" in message and "2s 0" in message for _, message in yard.events("odd")))
    yard.kubectl("delete", "pod", "odd")


def test_a_failed_replica_is_replaced(yard):
    made = fake_job("again", runPolicy={"backoffLimit": 1})
    made["spec"]["replicaSpecs"][1]["template"]["metadata"] = {"annotations": {EXIT: "200ms 1"}}
    made["spec"]["replicaSpecs"][1]["replicas"] = 1
    yard.create(made)
    wait_for("its restart", lambda: yard.get("pj", "again").get("status", {}).get("backoffCount") == 1)
    yard.kubectl("delete", "pj", "again")


def test_pods_that_really_run_are_not_taken_over(stopped_server):
    stopped_server.up()
    stopped_server.create(pod("real", "exec sleep 31536056"))
    stopped_server.wait_phase("real", "Running", "pod")
    assert stopped_server.cli("down").code == 0
    refused = stopped_server.try_up("--fake-runtime")
    assert refused.code != 0
    assert "choose another folder with --data-dir" in refused.text, repr(refused)
