"""What Arena's commands show of jobs that are there, and what they say when asked for others."""

import json
import re

import pytest
from arena import ages, arena, shown, table
from harness import wait_for
from servers import run_server


def training_job(kind, name, replicas, gpus=1, **more):
    """As `arena submit` makes it; replicas: type → number."""
    app = kind.lower()
    labels = {"app": app, "release": name}
    container = {"PyTorchJob": "pytorch", "TFJob": "tensorflow"}[kind]
    template = {"metadata": {"labels": labels}, "spec": {"containers": [
        {"name": container, "image": "x", "command": ["true"], "resources": {"limits": {"nvidia.com/gpu": gpus}}}]}}
    return {"apiVersion": "kubeflow.org/v1", "kind": kind,
            "metadata": {"name": name, "labels": labels, **more},
            "spec": {f"{container if kind == 'PyTorchJob' else 'tf'}ReplicaSpecs": {
                role: {"replicas": number, "template": template} for role, number in replicas.items()}}}


@pytest.fixture(scope="module")
def place(tools):
    """Two jobs that run and one that asks for too much, on nodes that only seem to run pods."""
    for server in run_server(start=False):
        server.up("--fake-runtime", "--nodes", "role=master;2*gpu=2,cpu=8,memory=32Gi", "--fake-gpus")
        server.create(training_job("PyTorchJob", "ddp", {"Master": 1, "Worker": 1}))
        server.create(training_job("TFJob", "solo", {"Worker": 1}))
        server.create(training_job("PyTorchJob", "greedy", {"Master": 1}, gpus=9))
        wait_for("the jobs to run", lambda: shown(server, "list").count(" RUNNING ") == 2)
        yield server


def failed(server, *words):
    said = arena(server, *words)
    assert said.code == 1 and said.out == "", repr(said)
    assert re.fullmatch(r"(WARN.*\n)*ERRO\[0000\] [^\n]*\n", said.err), repr(said)
    return said.err


def test_list_and_top_job(place):
    listed = shown(place, "list")
    rows = [line.split() for line in listed.splitlines()]
    assert rows[0] == ["NAME", "STATUS", "TRAINER", "AGE", "NODE"]
    assert {row[0]: (row[1], row[2]) for row in rows[1:]} == {
        "greedy": ("PENDING", "PYTORCHJOB"), "solo": ("RUNNING", "TFJOB"), "ddp": ("RUNNING", "PYTORCHJOB")}
    assert next(row for row in rows if row[0] == "greedy")[4] == "N/A"
    assert [line.split()[0] for line in shown(place, "list", "-T", "tf").splitlines()] == ["NAME", "solo"]
    top = shown(place, "top", "job").splitlines()
    assert [line.split()[:5] for line in top[1:4]] == [["greedy", "9", "0", "PENDING", "pytorchjob"],
                                                       ["ddp", "2", "2", "RUNNING", "pytorchjob"],
                                                       ["solo", "1", "1", "RUNNING", "tfjob"]]
    assert top[4:] == ["", "", "Total Allocated GPUs of Training Job:", "3", "",
                       "Total Requested GPUs of Training Job:", "12"]
    assert shown(place, "list", "-A").startswith("NAMESPACE  NAME ")
    assert shown(place, "list", "-n", "kube-system") == "NAME  STATUS  TRAINER  AGE  NODE\n"
    assert shown(place, "list", "-n", "kube-system", "-o", "json") == "[]\n"


def test_pending_job_says_why_beside_the_table(place):
    said = arena(place, "get", "greedy")
    assert said.code == 0 and said.out.startswith("STATUS: PENDING\n"), repr(said)
    assert re.match(r"INFO\[0000\] greedy is PENDING: .*gpu", said.err, re.I), repr(said)
    events = shown(place, "get", "greedy", "-e")
    assert "\n\nEvents:\nSOURCE" in events and "pod/greedy-master-0" in events, events


def test_get_in_all_formats(place):
    wide = shown(place, "get", "ddp", "-o", "wide")
    assert re.match(r"Name:        ddp\nStatus:      RUNNING\nNamespace:   default\nPriority:    N/A\n"
                    r"Trainer:     PYTORCHJOB\nDuration:    \d+s\nCreateTime:  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n"
                    r"EndTime:\n\nInstances:\n  NAME          STATUS   AGE", wide), wide
    assert re.search(r"^  ddp-master-0  Running  \d+s +true      1               node-\d$", wide, re.M), wide
    assert shown(place, "get", "ddp", "-o", "name") == "ddp\n"
    told = json.loads(shown(place, "get", "ddp", "-o", "json"))
    assert (told["name"], told["status"], told["trainer"], told["chiefName"], told["requestGPUs"]) == (
        "ddp", "RUNNING", "pytorchjob", "ddp-master-0", 2)
    assert [one["chief"] for one in told["instances"]] == [True, False]
    assert re.search(r"^requestgpus: 2$", shown(place, "get", "ddp", "-o", "yaml"), re.M)


def test_top_job_of_one_and_top_node_details(place):
    said = arena(place, "top", "job", "ddp", "-i", "ddp-worker-0")
    ip = place.get("pod", "ddp-worker-0")["status"]["hostIP"]
    assert said.out == table(
        ("INSTANCE NAME", "GPU(Device Index)", "GPU(Duty Cycle)", "GPU(Memory MiB)", "STATUS", "NODE"),
        ("ddp-worker-0", "N/A", "N/A", "N/A", "Running", ip)), repr(said)
    assert re.match(r"WARN\[0000\] how busy GPUs are is not known: ", said.err), repr(said)
    node = place.get("pod", "ddp-worker-0")["spec"]["nodeName"]
    details = shown(place, "top", "node", "-d", node)
    assert details.startswith(f"\n\nNAME:       {node}\nIPADDRESS:  {ip}\nROLE:       <none>\n\nNAMESPACE  NAME"), details
    assert f"Total GPUs In Node {node}:      2\n" in details
    assert json.loads(shown(place, "top", "node", "-o", "json"))["normalNodes"][0]["role"] == "master"


def test_what_is_not_there_is_an_error_with_a_hint(place):
    assert "Not found training job none" in failed(place, "get", "none")
    assert "arena list" in failed(place, "logs", "none")
    assert "json, yaml or wide" in failed(place, "list", "-o", "xml")
    assert "`arena get ddp`" in failed(place, "logs", "ddp", "-i", "ddp-worker-7")
    assert "instance greedy-master-0 is not running" in failed(place, "logs", "greedy")
    assert "no node x" in failed(place, "top", "node", "x")
    assert "--since-time" in failed(place, "logs", "ddp", "--since", "1h", "--since-time", "2024-05-06T09:30:00Z")
    said = arena(place, "get")
    assert said.code == 1 and "arena get JOB" in said.out and said.err.startswith("ERRO[0000] "), repr(said)


def test_one_name_of_two_types_wants_a_type(place):
    place.create(training_job("TFJob", "ddp", {"Worker": 1}, gpus=0))
    assert "--type" in failed(place, "get", "ddp")
    assert shown(place, "get", "ddp", "-T", "pytorch", "-o", "name") == "ddp\n"
    place.kubectl("delete", "tfjob", "ddp")


def test_isolated_users_see_their_own_jobs(place):
    place.kubectl("label", "namespace", "default", "arena.kubeflow.org/isolate-user=true")
    assert shown(place, "list") == "NAME  STATUS  TRAINER  AGE  NODE\n"
    assert "own" in failed(place, "get", "ddp")
    place.kubectl("label", "namespace", "default", "arena.kubeflow.org/isolate-user-")
    assert len(ages(shown(place, "list"))) == 3
