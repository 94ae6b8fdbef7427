"""What jobs do when they are held, looked into, or go wrong (spec/t9k-jobs.md, 1.4 to 1.6; runPolicy's gang rules)."""

import json
import re

import pytest
from harness import wait_for
from jobs import WAIT, conditions, gated, job, pod, replicas, shell_job

MICRO = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"


@pytest.fixture
def server(shared_server):
    return shared_server


def patch(server, name, spec, kind="pj"):
    return server.try_kubectl("patch", kind, name, "--type=merge", "-p", json.dumps({"spec": spec}))


def pause(server, name, enabled):
    done = patch(server, name, {"runMode": {"pause": {"enabled": enabled}}})
    assert done.code == 0, repr(done)


def failure(server, name):
    """The sentence, which is the same wherever one looks."""
    server.wait_phase(name, "Failed")
    told = conditions(server.get("pj", name))["Failed"][2]
    server.wait_event(name, "Failed", told)
    assert told in server.cli("get", name).out
    return told


def test_pause_and_resume(server):
    made = shell_job("held", "echo first; exec sleep 600", count=2)
    made["spec"]["runMode"] = {"pause": {"resumeSpecs": [
        {"type": "worker", "command": ["sh", "-c", "echo again; exec sleep 600"]}]}}
    for group in made["spec"]["replicaSpecs"]:
        group["template"]["spec"]["terminationGracePeriodSeconds"] = 1
    server.create(made)
    server.wait_phase("held", "Running")
    before = {pod["metadata"]["uid"] for pod in server.pods("held")}
    pause(server, "held", True)
    server.wait_phase("held", "Paused")
    wait_for("the pods to go", lambda: server.pods("held") == [])
    told = conditions(server.get("pj", "held"))
    assert told["Paused"][0] == "True" and told["Running"][:2] == ("False", "Paused")
    pause(server, "held", False)
    resumed = server.wait_phase("held", "Running")
    assert conditions(resumed)["Paused"][0] == "False"
    assert resumed["status"]["backoffCount"] == 0
    pods = server.pods("held")
    assert len(pods) == 2 and not before & {pod["metadata"]["uid"] for pod in pods}
    wait_for("what resumeSpecs say", lambda: server.kubectl("logs", pods[0]["metadata"]["name"]) == "again\n")
    reasons = [reason for reason, _ in server.events("held")]
    assert "Paused" in reasons and "Resumed" in reasons
    changed = patch(server, "held", {"runMode": {"pause": {"resumeSpecs": None}}})
    assert changed.code != 0 and "spec.runMode.pause.resumeSpecs" in changed.err, repr(changed)


def test_job_created_paused_runs_when_let_go(server):
    made = shell_job("later", "echo now")
    made["spec"]["runMode"] = {"pause": {"enabled": True}}
    server.create(made)
    server.wait_phase("later", "Paused")
    assert server.pods("later") == []
    pause(server, "later", False)
    server.wait_phase("later", "Succeeded")


def test_debug_mode_idles_with_everything_else_as_usual(server):
    made = shell_job("look", "exit 7", count=2)
    made["spec"]["runMode"] = {"debug": {"enable": True}}
    server.create(made)
    server.wait_phase("look", "Running")
    second = server.pods("look")[1]["metadata"]["name"]
    assert server.kubectl("exec", second, "--", "sh", "-c", "echo $RANK of $WORLD_SIZE") == "1 of 2\n"


def test_cause_names_replica_node_time_and_the_tracebacks_last_line(server):
    script = "import time; time.sleep(0.2); raise ValueError('bad batch')"
    made = job("broken", replicas("exec sleep 600", "chief", restart="Never"),
               replicas("", "worker", restart="Never"), runPolicy={"onReplicaFailure": "StopJob"})
    made["spec"]["replicaSpecs"][1]["template"]["spec"]["containers"][0]["command"] = ["python3", "-c", script]
    made["spec"]["replicaSpecs"][0]["template"]["spec"]["terminationGracePeriodSeconds"] = 1
    server.create(made)
    told = failure(server, "broken")
    assert re.search(rf"^Pod\[broken-.....-worker-0\] exited with error code 1 on node-0 at {MICRO}; its last line: "
                     r"ValueError: bad batch; runPolicy.onReplicaFailure is StopJob$", told), told
    # StopJob: whoever still ran is stopped.
    wait_for("the chief to go", lambda: len(server.pods("broken")) == 1)


def test_cause_is_who_failed_first(server):
    made = job("chain", replicas("sleep 0.7; echo 'Connection closed by peer'; exit 1", "chief", restart="Never"),
               replicas("sleep 0.3; kill -9 $$$$", "worker", restart="Never"))
    server.create(made)
    told = failure(server, "chain")
    assert re.search(rf"^Pod\[chain-.....-worker-0\] exited with error code 137, killed by SIGKILL "
                     rf"on node-0 at {MICRO}; the other one failed because of it", told), told


def test_restart_scope_job_starts_all_anew_together(server, gate):
    script = f"echo round; [ -e /gate/open ] && exit 0; {WAIT}; exit 3"
    made = gated(job("gang", replicas("exec sleep 600", "worker", 2),
                     replicas(script, "odd", restart="OnFailure"),
                     runPolicy={"restartScope": "Job", "backoffLimit": 2}))
    for group in made["spec"]["replicaSpecs"]:
        group["template"]["spec"]["terminationGracePeriodSeconds"] = 1
    server.create(made)
    server.wait_phase("gang", "Running")
    before = {pod["metadata"]["uid"] for pod in server.pods("gang")}
    gate.open()

    def all_new():
        pods = server.pods("gang")
        return len(pods) == 3 and not before & {pod["metadata"]["uid"] for pod in pods}
    wait_for("three new pods", all_new)
    wait_for("one restart", lambda: server.get("pj", "gang")["status"]["backoffCount"] == 1)
    server.wait_event("gang", "Restarting")
    assert [reason for reason, _ in server.events("gang")].count("Restarting") == 1
    changed = patch(server, "gang", {"runPolicy": {"restartScope": "Replica"}})
    assert changed.code != 0 and "spec.runPolicy.restartScope" in changed.err, repr(changed)


def test_unknown_volume_is_told_in_the_jobs_condition(server):
    made = gated(shell_job("patient", "exit 0"))
    made["spec"]["replicaSpecs"][0]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"] = "nowhere"
    server.create(made)

    def told():
        now = server.get("pj", "patient")
        return now.get("status") and conditions(now).get("Running")
    status, _, message = wait_for("the reason", told)
    assert status == "False" and "nowhere" in message, message
    assert server.get("pj", "patient")["status"]["phase"] == "Pending"


def test_explain_says_what_a_spec_does(server):
    made = job("gang", replicas("exit 0", "chief"), replicas("exit 0", "worker", 2, restart="ExitCode"),
               runPolicy={"restartScope": "Job", "onReplicaFailure": "StopJob"})
    shown = server.cli("explain", "-f", "-", input=json.dumps(made))
    assert re.search(r"^a worker is killed \(SIGKILL, code 137\) +all 3 pods are started anew together", shown.out, re.M)
    assert re.search(r"^a worker exits with an error \(code 1\) +the job is Failed; stopped: chief-0, worker-1", shown.out, re.M)
    told = server.cli("explain", "-f", "-", "-o", "json", input=json.dumps(made)).json()
    paused = next(entry for entry in told["outcomes"] if entry["event"] == "the job is paused")
    assert paused["jobPhase"] == "Paused" and paused["restartsCounted"] == 0
    refused = server.cli("explain", "-f", "-", input=json.dumps(pod("alone", "exit 0")))
    assert refused.code == 1 and "PyTorchTrainingJob" in refused.err, repr(refused)


def test_elastic_without_torchrun_is_warned_of(server):
    made = shell_job("stiff", "exit 0")
    made["spec"]["elastic"] = {"enabled": True, "minReplicas": 1, "maxReplicas": 2}
    done = server.try_kubectl("create", "-f", "-", input=json.dumps(made))
    assert done.code == 0 and "Warning: spec.elastic" in done.err, repr(done)
