"""J5 of spec/t9k-jobs.md, section 14: what goes wrong, and what people see of it."""

import pytest
from harness import wait_for
from jobs import conditions, shell_job, with_volume

SECONDS = 20


def failed(server, name):
    return server.wait_phase(name, "Failed", timeout=SECONDS)


def reason_is_told(server, name, words):
    """In conditions, events, and by our own commands."""
    job = server.get("pj", name)
    status, reason, message = conditions(job)["Failed"]
    assert status == "True" and words in message, (reason, message)
    assert conditions(job)["Completed"][0] == "True"
    wait_for("the event", lambda: any(words in message for reason, message in server.events(name)
                                      if reason == "Failed"))
    assert words in server.cli("describe", name).out
    assert words in server.cli("get", name).out
    waited = server.cli("wait", name, "--timeout", "30s")
    short = words.replace("code ", "exit ")  # said once more, in few words
    assert waited.code == 1 and short in waited.err, repr(waited)


def test_one_replacement_then_the_job_fails(shared_server):
    server = shared_server
    server.create(shell_job("unlucky", "echo attempt; exit 1", run_policy={"backoffLimit": 1}))
    job = failed(server, "unlucky")
    assert job["status"]["backoffCount"] == 1
    [task] = job["status"]["tasks"]
    assert task["restartCount"] == 1 and task["replicas"][0]["containers"][0]["exitCode"] == 1
    reason_is_told(server, "unlucky", "code 1")
    [pod] = server.pods("unlucky")
    rows = server.kubectl("get", "pods", "-l", "tensorstack.dev/owner-name=unlucky").splitlines()
    assert rows[1].split()[2] == "Error", rows
    assert server.cli("logs", "unlucky", "--all").out == "[worker-0#1] attempt\n[worker-0#2] attempt\n"
    assert server.cli("logs", "unlucky").out == "attempt\n"


def test_exit_code_policy_does_not_restart_after_an_error_of_the_program(shared_server):
    server = shared_server
    server.create(shell_job("wrong", "exit 1", restart="ExitCode"))
    job = failed(server, "wrong")
    assert job["status"]["backoffCount"] == 0
    assert [replica["restarts"] for replica in job["status"]["tasks"][0]["replicas"]] == [0]
    reason_is_told(server, "wrong", "code 1")


def test_exit_code_138_asks_for_a_restart(shared_server):
    server = shared_server
    assert server.cli("data", "create", "memory").code == 0
    script = "[ -e /volume/been ] && exit 0; touch /volume/been; exit 138"
    server.create(with_volume(shell_job("again", script, restart="ExitCode"), "memory"))
    job = server.wait_phase("again", "Succeeded", timeout=SECONDS)
    assert job["status"]["backoffCount"] == 1
    assert conditions(job)["ReplicaFailure"][0] == "False"


def test_unknown_volume_is_waited_for_and_told(shared_server):
    server = shared_server
    server.create(with_volume(shell_job("early", "echo here > /volume/file"), "later"))
    def events_of_pods():
        return [message for pod in server.pods("early") for _, message in server.events(pod["metadata"]["name"])]
    wait_for("an event that names the volume", lambda: any('"later"' in text for text in events_of_pods()), SECONDS)
    [pod] = server.pods("early")
    assert pod["status"]["phase"] == "Pending" and server.get("pj", "early")["status"]["phase"] == "Pending"
    told = server.cli("describe", "early").out
    assert "It is waiting to start" in told and "later" in told, told
    waited = server.cli("wait", "early", "--timeout", "0")
    assert waited.code == 2 and "describe early" in waited.err, repr(waited)
    assert server.cli("data", "create", "later").code == 0
    server.wait_phase("early", "Succeeded", timeout=SECONDS)
    assert server.cli("data", "cat", "later:file").out == "here\n"


def test_deleting_a_job_takes_all_but_the_files(shared_server):
    server = shared_server
    assert server.cli("data", "create", "kept").code == 0
    made = with_volume(shell_job("gone", "echo precious > /volume/file; sleep 600", count=2), "kept")
    made["spec"]["tensorboardSpec"] = {"image": "tensorflow/tensorflow:2.14.0", "logDir": {"pvc": [{"name": "kept"}]}}
    uid = server.create(made)["metadata"]["uid"]
    server.wait_phase("gone", "Running", timeout=SECONDS)
    wait_for("the file", lambda: "file" in server.cli("data", "ls", "kept").out)
    assert {kind for kind in ["pods", "services", "podgroups", "tensorboards"] if owned(server, kind, uid)} == {
        "pods", "services", "podgroups", "tensorboards"}
    assert server.cli("delete", "gone").code == 0
    for kind in ["pods", "services", "podgroups", "tensorboards"]:
        wait_for(f"the end of its {kind}", lambda kind=kind: not owned(server, kind, uid), SECONDS)
    assert server.get("pj", "gone") is None
    assert server.cli("data", "cat", "kept:file").out == "precious\n"


def owned(server, kind, uid):
    return [obj for obj in server.list(kind)
            if uid in [owner["uid"] for owner in obj["metadata"].get("ownerReferences", [])]]


@pytest.mark.parametrize("command,words", [
    (["wait", "none"], "trainyard list"), (["describe", "none"], "trainyard list"),
    (["pause", "none"], "trainyard list"), (["scale", "none", "2"], "trainyard list"),
    (["debug", "none"], "trainyard list"), (["wait", "x", "--for", "Happy"], "Succeeded"),
    (["wait", "x", "--timeout", "soon"], "--timeout"), (["describe", "nokind/x"], "pytorchtrainingjob")])
def test_commands_say_what_is_wrong(shared_server, command, words):
    said = shared_server.cli(*command)
    assert said.code == 1 and words in said.err, repr(said)
