"""Probes and hooks of containers."""

import time

import pytest
from harness import wait_for
from jobs import conditions, pod
from servers import servers_of_both as shared_server  # noqa: F401 (a fixture)
from test_pod_life import add_container, containers, main, policy, wait_status, with_scratch

FAST = {"periodSeconds": 1, "failureThreshold": 1}
PORT = 29431  # of the pods' own: each has an address of its own

# Listens on the pod's own address once /scratch/serve is there. HTTP, and plain TCP with it.
SERVE = """
import http.server, os, pathlib, time
while not pathlib.Path('/scratch/serve').exists(): time.sleep(0.05)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        good = not pathlib.Path('/scratch/sick').exists()
        if self.path == '/header': good = self.headers['X-Probe'] == 'yes'
        self.send_response(200 if good else 503); self.end_headers()
http.server.HTTPServer((os.environ['IP'], %d), Handler).serve_forever()
""" % PORT


def serving(name, serve=True, **probes):
    """A pod with a web server, and a second container that holds the door to its volume."""
    made = pod(name, "", grace=0, env=[{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
               ports=[{"name": "web", "containerPort": PORT}], **probes)
    made["spec"]["containers"][0]["command"] = ["python3", "-c", SERVE]
    door = "touch /scratch/serve; " if serve else ""
    return with_scratch(add_container(made, "door", f"{door}sleep 600"))


def touch(server, name, file):
    """A file in the pod's shared volume, from outside."""
    uid = server.get("pod", name)["metadata"]["uid"]
    (server.data / "pods" / uid / "volumes/scratch" / file).touch()


def is_ready(obj):
    return main(obj).get("ready", False)


@pytest.mark.parametrize("action", [
    {"tcpSocket": {"port": PORT}}, {"tcpSocket": {"port": "web"}}, {"httpGet": {"port": "web", "path": "/"}},
    {"httpGet": {"port": PORT, "path": "/header", "httpHeaders": [{"name": "X-Probe", "value": "yes"}]}}],
    ids=["tcp", "named port", "http", "header"])
def test_a_readiness_probe_decides_who_is_ready(shared_server, action):
    shared_server.create(serving("probed", serve=False, readinessProbe={**action, **FAST}))
    seen = shared_server.wait_phase("probed", "Running", "pod")
    assert not is_ready(seen) and containers(seen)["door"]["ready"]
    assert conditions(seen)["Ready"] == ("False", "ContainersNotReady", "containers with unready status: [main]")
    wait_for("the event", lambda: [message for reason, message in shared_server.events("probed")
                                   if reason == "Unhealthy" and message.startswith("Readiness probe failed: ")])
    touch(shared_server, "probed", "serve")
    seen = wait_status(shared_server, "probed", "it to be ready", is_ready)
    assert main(seen)["restartCount"] == 0 and conditions(seen)["Ready"][0] == "True"
    shared_server.kubectl("delete", "pod", "probed")


def test_readiness_comes_and_goes(shared_server):
    shared_server.create(serving("moody", readinessProbe={"httpGet": {"port": PORT}, **FAST}))
    wait_status(shared_server, "moody", "it to be ready", is_ready)
    touch(shared_server, "moody", "sick")
    wait_status(shared_server, "moody", "it to be unready", lambda obj: not is_ready(obj))
    assert ("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503") in \
        shared_server.events("moody")
    shared_server.kubectl("delete", "pod", "moody")


def test_a_liveness_probe_restarts_the_container(shared_server):
    made = policy(serving("mortal", livenessProbe={"httpGet": {"port": PORT}, "initialDelaySeconds": 1, **FAST,
                                                   "terminationGracePeriodSeconds": 1}), "Always")
    made["spec"]["terminationGracePeriodSeconds"] = 600
    shared_server.create(made)
    wait_status(shared_server, "mortal", "it to be ready", is_ready)
    touch(shared_server, "mortal", "sick")
    seen = wait_status(shared_server, "mortal", "a restart", lambda obj: main(obj).get("restartCount", 0) >= 1)
    assert main(seen)["lastState"]["terminated"]["exitCode"] in (137, 143)
    assert containers(seen)["door"]["restartCount"] == 0, "the other one runs on"
    told = shared_server.events("mortal")
    assert ("Killing", "Container main failed liveness probe, will be restarted") in told, told
    assert ("Unhealthy", "Liveness probe failed: HTTP probe failed with statuscode: 503") in told, told
    shared_server.kubectl("delete", "pod", "mortal", "--grace-period=0", "--force")


def test_a_startup_probe_holds_the_others_back(shared_server):
    shared_server.create(policy(serving(
        "slow", serve=False, startupProbe={"tcpSocket": {"port": PORT}, "periodSeconds": 1, "failureThreshold": 60},
        livenessProbe={"tcpSocket": {"port": PORT}, **FAST}), "Always"))
    shared_server.wait_phase("slow", "Running", "pod")
    time.sleep(2.5)  # more than the liveness probe would have allowed
    seen = shared_server.get("pod", "slow")
    assert main(seen)["started"] is False and main(seen)["restartCount"] == 0 and not is_ready(seen)
    touch(shared_server, "slow", "serve")
    seen = wait_status(shared_server, "slow", "its start", lambda obj: main(obj)["started"])
    assert main(seen)["restartCount"] == 0
    shared_server.kubectl("delete", "pod", "slow")


def test_a_server_that_comes_back_keeps_who_was_ready(server):
    server.create(serving("steady", readinessProbe={"tcpSocket": {"port": PORT}, "periodSeconds": 5}))
    before = wait_status(server, "steady", "it to be ready", is_ready)
    server.kill()
    server.up()
    time.sleep(0.5)
    after = server.get("pod", "steady")
    assert is_ready(after)
    ready = [c for c in after["status"]["conditions"] if c["type"] == "Ready"]
    assert ready == [c for c in before["status"]["conditions"] if c["type"] == "Ready"], "not even for a moment"


@pytest.mark.parametrize("kind", ["readinessProbe", "livenessProbe"])
def test_an_exec_probe_runs_in_the_container(shared_server, kind):
    made = pod("asked", "touch /tmp/good; sleep 600", grace=0, **{kind: {
        "exec": {"command": ["sh", "-c", "test -e /tmp/good || { echo no file; exit 1; }"]},
        "initialDelaySeconds": 1, **FAST}})  # not before the file can be there
    shared_server.create(policy(made, "Always"))
    seen = wait_status(shared_server, "asked", "it to be ready", is_ready)
    time.sleep(1.5)
    seen = shared_server.get("pod", "asked")
    assert is_ready(seen) and main(seen)["restartCount"] == 0, "its own /tmp, not the host's"
    shared_server.kubectl("delete", "pod", "asked")


def test_an_exec_probe_that_fails_tells_what_it_printed(shared_server):
    made = pod("mute", "sleep 600", grace=0, readinessProbe={
        "exec": {"command": ["sh", "-c", "echo not yet; exit 1"]}, **FAST})
    shared_server.create(made)
    wait_for("the event", lambda: [message for reason, message in shared_server.events("mute")
                                   if reason == "Unhealthy" and "not yet" in message])
    shared_server.kubectl("delete", "pod", "mute")


def test_hooks_run_inside_and_are_waited_for(shared_server):
    made = pod("hooked", "trap 'echo term >> /scratch/log; exit 0' TERM; while :; do sleep 0.05; done", grace=20,
               lifecycle={"postStart": {"exec": {"command": ["sh", "-c", "sleep 0.3; echo start >> /scratch/log"]}},
                          "preStop": {"exec": {"command": ["sh", "-c", "sleep 0.3; echo stop >> /scratch/log"]}}})
    made = add_container(made, "keeper", "trap 'sleep 2; exit 0' TERM; while :; do sleep 0.05; done")
    shared_server.create(with_scratch(made))
    wait_status(shared_server, "hooked", "it to be ready", is_ready)
    uid = shared_server.get("pod", "hooked")["metadata"]["uid"]
    log = shared_server.data / "pods" / uid / "volumes/scratch/log"
    assert log.read_text() == "start\n", "not ready before its hook has ended"
    shared_server.kubectl("delete", "pod", "hooked", "--wait=false")
    wait_for("the end", lambda: log.exists() and log.read_text() == "start\nstop\nterm\n")
    wait_for("it to go", lambda: shared_server.get("pod", "hooked") is None)


def test_a_failed_post_start_hook_ends_the_container(shared_server):
    shared_server.create(pod("jinxed", "sleep 600", grace=0, lifecycle={
        "postStart": {"exec": {"command": ["sh", "-c", "echo bad omen; exit 1"]}}}))
    shared_server.wait_phase("jinxed", "Failed", "pod")
    shared_server.wait_event("jinxed", "FailedPostStartHook")
