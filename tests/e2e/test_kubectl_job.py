"""A job's way from `kubectl create` to its end, as spec/t9k-jobs.md tells it (1.7 to 1.10, 2, J1)."""

import json
import re

from harness import wait_for
from jobs import WAIT, conditions, gated, h5, job, replicas, shell_job, with_volume


def phases(name, text):
    """A job's phases in what get -w printed; before it has one, and repetitions, are left out."""
    seen = re.findall(rf"^{name} +([A-Z]\w+) ", text, re.M)
    return [phase for i, phase in enumerate(seen) if i == 0 or seen[i - 1] != phase]


def test_create_with_generate_name(server):
    made = shell_job("x", "exit 0")
    made["metadata"] = {"generateName": "run-"}
    said = server.kubectl("create", "-f", "-", input=json.dumps(made))
    name = re.fullmatch(r"pytorchtrainingjob.batch.tensorstack.dev/(run-[a-z0-9]{5}) created\n", said)
    assert name, said
    server.wait_phase(name[1], "Succeeded")


def test_get_w_shows_the_phases_in_order(server, gate):
    server.create(shell_job("first", "exit 0"))
    watch = server.stream("kubectl", "get", "pj", "-o", "wide", "-w")
    watch.wait_text(r"^first ")
    server.create(gated(shell_job("walk", WAIT, count=2)))
    watch.wait_text(r"^walk +Running .* 0 +2 +0 +0$")
    gate.open()
    watch.wait_text(r"^walk +Succeeded .* 0 +0 +2 +0$")
    assert phases("walk", watch.text) == ["Pending", "Running", "Succeeded"], watch.text
    header = watch.text.splitlines()[0].split()
    assert header == ["NAME", "PHASE", "AGE", "PENDING", "RUNNING", "SUCCEEDED", "FAILED"]


def test_a_healthy_gang_gives_no_cause_for_warnings(server):
    server.create(shell_job("calm", "exit 0", count=3))
    server.wait_phase("calm", "Succeeded")
    events = json.loads(server.kubectl("get", "events", "-o", "json"))["items"]
    assert events, "the job's events are there"
    assert [event["message"] for event in events if event["type"] == "Warning"] == []


def test_get_prints_name_phase_age(server):
    server.create(shell_job("columns", "exit 0"))
    server.wait_phase("columns", "Succeeded")
    heading, row = server.kubectl("get", "pytorchtrainingjobs").splitlines()
    assert heading.split() == ["NAME", "PHASE", "AGE"]
    assert row.split()[:2] == ["columns", "Succeeded"]
    assert "kind: PyTorchTrainingJob" in server.kubectl("get", "pj", "columns", "-o", "yaml")
    path = "{.status.tasks[0].replicas[0].name}"
    pod = server.kubectl("get", "pj", "columns", "-o", f"jsonpath={path}")
    assert server.kubectl("get", "pods", pod, "-o", "name") == f"pod/{pod}\n"
    wide = server.kubectl("get", "pods", "-o", "wide").splitlines()
    assert {"NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE"} <= set(wide[0].split())
    assert "Completed" in wide[1] and "node-0" in wide[1], wide[1]


def test_names_labels_and_owners_of_pods(server):
    made = server.create(job("ps-job", replicas("exit 0", "ps"), replicas("exit 0", "worker", 2)))
    server.wait_phase("ps-job", "Succeeded")
    uid = made["metadata"]["uid"]
    prefix = f"ps-job-{h5('ps-job', uid)}"
    pods = {pod["metadata"]["name"]: pod for pod in server.pods("ps-job")}
    assert set(pods) == {f"{prefix}-ps-0", f"{prefix}-worker-0", f"{prefix}-worker-1"}
    for type, index, role in [("ps", "0", "master"), ("worker", "0", None), ("worker", "1", None)]:
        metadata = pods[f"{prefix}-{type}-{index}"]["metadata"]
        expected = {"tensorstack.dev/owner-name": "ps-job", "replica-type": type,
                    "replica-index": index, "tensorstack.dev/component": "pytorchtrainingjob",
                    "tensorstack.dev/component-type": "user"}
        if role:
            expected["job-role"] = role
        assert metadata["labels"] == expected
        owner = metadata["ownerReferences"][0]
        assert (owner["kind"], owner["uid"], owner["controller"]) == ("PyTorchTrainingJob", uid, True)
        assert pods[metadata["name"]]["spec"]["restartPolicy"] == "Never"
    group = server.get("podgroup", "ps-job")
    assert group["spec"]["minMember"] == 3, "the gang is the whole job"


def test_rendezvous_variables(server, gate):
    script = ("until getent hosts $MASTER_ADDR > /dev/null; do sleep 0.03; done; "
              f"echo $MASTER_ADDR $MASTER_PORT $RANK $WORLD_SIZE; {WAIT}")
    server.create(gated(job("meet", replicas(script, "ps"), replicas(script, "worker", 2))))
    server.wait_phase("meet", "Running")

    def said(pod):
        name = pod["metadata"]["name"]
        return wait_for(f"words of {name}", lambda: server.kubectl("logs", name).split())

    words = {pod["metadata"]["name"].split("-", 2)[2]: said(pod) for pod in server.pods("meet")}
    assert {name: (rank, world) for name, (_, _, rank, world) in words.items()} == {
        "ps-0": ("0", "3"), "worker-0": ("1", "3"), "worker-1": ("2", "3")}
    assert len({(address, port) for address, port, _, _ in words.values()}) == 1, words
    assert 1024 < int(words["ps-0"][1]) < 65536
    gate.open()
    server.wait_phase("meet", "Succeeded")


def test_rendezvous_variables_can_be_used_in_the_command(server):
    made = shell_job("expand", "", args=["$(MASTER_ADDR):$(MASTER_PORT) $$(RANK) $(NONE) $(MINE)"],
                     env=[{"name": "MINE", "value": "rank-$(RANK)"}])
    made["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]["command"] = ["echo"]
    server.create(made)
    server.wait_phase("expand", "Succeeded")
    said = server.kubectl("logs", "-l", "tensorstack.dev/owner-name=expand")
    assert re.fullmatch(r"\S+:\d+ \$\(RANK\) \$\(NONE\) rank-0\n", said), said
    names = [entry["name"] for entry in server.pods("expand")[0]["spec"]["containers"][0]["env"]]
    assert names.index("MASTER_ADDR") < names.index("MINE"), "placed before the user's"


def test_status_of_a_job_that_succeeded(server, gate):
    server.create(gated(shell_job("good", WAIT, count=2)))
    running = server.wait_phase("good", "Running")
    told = conditions(running)
    assert told["Completed"] == ("False", "NotFinished", "The job is still running.")
    assert told["Initialized"][::2] == ("True", "The job has been initialized successfully.")
    assert told["ReplicaFailure"][::2] == ("False", "All pods are running normally.")
    assert told["Running"][::2] == ("True", "All pods are running normally.")
    assert "Failed" not in told, "absent until the end"
    gate.open()
    server.wait_phase("good", "Succeeded")
    wait_for("both pods to end", lambda: server.get("pj", "good")["status"]["aggregate"]["succeeded"] == 2)
    done = server.get("pj", "good")
    told = conditions(done)
    finished = ("Succeeded", "The job has finished successfully.")
    assert told["Running"] == ("False", *finished) and told["Failed"] == ("False", *finished)
    assert told["Completed"] == ("True", *finished)
    assert told["ReplicaFailure"][:2] == ("False", "Finished")
    status = done["status"]
    assert status["aggregate"] == {"creating": 0, "pending": 0, "running": 0, "succeeded": 2,
                                   "failed": 0, "unknown": 0, "deleted": 0}
    assert status["backoffCount"] == 0
    [task] = status["tasks"]
    assert (task["type"], task["restartCount"], len(task["replicas"])) == ("worker", 0, 2)
    for replica in task["replicas"]:
        assert replica["phase"] == "Succeeded"
        assert replica["containers"] == [{"name": "main", "state": "Terminated", "exitCode": 0}]
        assert server.get("pod", replica["name"])["metadata"]["uid"] == replica["uid"]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", c["lastTransitionTime"])
               for c in status["conditions"])


def test_events_and_describe(server):
    server.create(shell_job("story", "exit 0"))
    server.wait_phase("story", "Succeeded")
    pod = server.pods("story")[0]["metadata"]["name"]
    told = dict(wait_for("the last event", lambda: (
        lambda events: "Succeeded" in dict(events) and events)(server.events("story"))))
    assert told["Created"] == "A PyTorchTrainingJob has been created: story"
    assert told["Start"] == "The job has been initialized successfully."
    assert told["NewReplica"] == f"Create the replica[{pod}] for the first time."
    assert re.fullmatch(r"The job began running at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d\d UTC",
                        told["Running"])
    described = server.kubectl("describe", "pj", "story")
    for reason, message in told.items():
        assert re.search(rf"Normal +{reason} .*{re.escape(message)}", described), described
    assert f"Name:             {pod}" in server.kubectl("describe", "pod", pod)
    assert "node-0" in server.kubectl("describe", "node", "node-0")
    table = server.kubectl("get", "events", "--field-selector", "reason=Start,type=Normal")
    assert "pytorchtrainingjob/story" in table and "NewReplica" not in table, table


def test_logs_follow_streams_and_ends(server, gate):
    server.create(gated(shell_job("talk", f"echo one; {WAIT}; echo two; echo three >&2")))
    server.wait_phase("talk", "Running")
    pod = server.pods("talk")[0]["metadata"]["name"]
    by_label = server.stream("kubectl", "logs", "-f", "--tail=-1", "-l",
                             "tensorstack.dev/owner-name=talk")
    by_name = server.stream("kubectl", "logs", "-f", pod)
    for stream in [by_label, by_name]:
        stream.wait_text("^one$")
        assert "two" not in stream.text and stream.process.poll() is None
    gate.open()
    for stream in [by_label, by_name]:
        assert stream.wait_end() == 0, repr(stream)
        assert stream.text == "one\ntwo\nthree\n"
    assert server.kubectl("logs", pod, "--tail=1") == "three\n"
    assert server.kubectl("logs", pod, "--limit-bytes=5") == "one\nt"
    assert re.fullmatch(r"(\d{4}-\d\d-\d\dT\S+Z (one|two|three)\n){3}",
                        server.kubectl("logs", pod, "--timestamps"))
    assert server.kubectl("logs", pod, "-c", "main").startswith("one\n")
    wrong = server.try_kubectl("logs", pod, "-c", "none")
    assert wrong.code != 0 and "none" in wrong.err, repr(wrong)


def test_wait_for_jsonpath_and_condition(server, gate):
    server.create(gated(shell_job("awaited", WAIT)))
    server.kubectl("wait", "pj/awaited", "--for=condition=Running", "--timeout=20s")
    early = server.try_kubectl("wait", "pj/awaited", "--for=condition=Completed", "--timeout=100ms")
    assert early.code != 0 and "timed out" in early.err, repr(early)
    gate.open()
    server.kubectl("wait", "pj/awaited", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=20s")
    server.kubectl("wait", "pj/awaited", "--for=condition=Completed", "--timeout=20s")
    server.kubectl("wait", "pods", "-l", "tensorstack.dev/owner-name=awaited",
                   "--for=jsonpath={.status.phase}=Succeeded", "--timeout=20s")


def test_delete_takes_children_along_but_not_the_data(server):
    server.cli("data", "create", "results")
    server.create(with_volume(shell_job("gone", "echo kept > /volume/result; sleep 60"), "results"))
    server.wait_phase("gone", "Running")
    assert len(server.list("services", "-l", "tensorstack.dev/owner-name=gone")) >= 1
    server.kubectl("delete", "pj", "gone", "--timeout=20s")
    kinds = "pods,services,podgroups"
    wait_for("the children to go", lambda: not server.list(kinds, "-l", "tensorstack.dev/owner-name=gone"))
    assert server.get("pj", "gone") is None
    assert server.get("pvc", "results")["status"]["phase"] == "Bound"
    server.create(with_volume(shell_job("reader", "cat /volume/result"), "results"))
    server.wait_phase("reader", "Succeeded")
    assert server.kubectl("logs", "-l", "tensorstack.dev/owner-name=reader") == "kept\n"
