"""J1 of spec/t9k-jobs.md, section 14: the DDP example of the tutorial, from `kubectl create` to its files;
on the way the server is killed and started again, which nobody may notice."""

import json
import re
from collections import Counter
from types import SimpleNamespace

import pytest
from harness import wait_for
from jobs import conditions, h5
from journeys import FILES, TAGS, curves, environment, files, job_of, prepare, progress, words_of
from processes import pids_running, read
from servers import run_server

pytestmark = pytest.mark.usefixtures("torch")
NAME = "torch-mnist-trainingjob"
YAML = FILES / "ddp/job_cpu.yaml"
OF_JOB = f"tensorstack.dev/owner-name={NAME}"
JOBS = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs"


@pytest.fixture(scope="module")
def journey(torch):
    """The journey once, with what was seen on the way."""
    for server in run_server():
        prepare(server, "ddp")
        seen = SimpleNamespace(server=server)
        version = json.loads(server.kubectl("get", "--raw", JOBS))["metadata"]["resourceVersion"]
        seen.created = server.kubectl("create", "-f", YAML)
        watch = server.stream("kubectl", "get", "-f", str(YAML), "-o", "wide", "-w")
        server.wait_phase(NAME, "Running")
        log = server.stream("kubectl", "logs", "-l", OF_JOB, "--tail=-1", "-f")
        log.wait_text(r"^epoch 2/10, batch", 60)
        seen.running, [seen.pod] = job_of(server, NAME), server.pods(NAME)
        seen.watched, seen.streamed = watch.text, log.text
        events = server.kubectl("get", "--raw", f"{JOBS}?watch=true&resourceVersion={version}&timeoutSeconds=1")
        seen.phases = [json.loads(line)["object"].get("status", {}).get("phase") for line in events.splitlines()]
        seen.listed = server.cli("list", "-o", "wide").out
        before = trainers(server)
        server.kill()
        without_server = trainers(server)
        server.up()
        seen.survived = (before, without_server, trainers(server))
        seen.phase_after = job_of(server, NAME)["status"]["phase"]
        seen.done = server.wait_phase(NAME, "Succeeded", timeout=180)
        seen.log = server.kubectl("logs", "-l", OF_JOB, "--tail=-1")
        yield seen


def trainers(server):
    """torchrun and its processes, in pods of this server."""
    return [pid for pid in pids_running("torch_mnist_trainingjob.py")
            if str(server.data) in read(f"/proc/{pid}/mountinfo")]


def test_is_accepted_and_watched_from_pending_to_running(journey):
    assert journey.created == f"pytorchtrainingjob.batch.tensorstack.dev/{NAME} created\n"
    heading, *rows = words_of(journey.watched)
    assert heading == ["NAME", "PHASE", "AGE", "PENDING", "RUNNING", "SUCCEEDED", "FAILED"]
    assert [row[1] for row in rows if row[0] == NAME][-1] == "Running", journey.watched
    # kubectl may come too late to see the first of them.
    assert list(dict.fromkeys(journey.phases)) in ([None, "Pending", "Running"], ["Pending", "Running"])
    assert "Using distributed PyTorch with gloo backend" in journey.streamed


def test_list_shows_kind_and_what_it_asks_for(journey):
    [row] = [line for line in journey.listed.splitlines() if line.startswith(NAME)]
    assert re.search(r"PyTorchTrainingJob +Running +node: 1/1 ", row), row
    assert "16 / 32" in row and "8Gi / 16Gi" in row, row


def test_conditions_and_events_of_the_running_job(journey):
    told = {kind: status for kind, (status, _, _) in conditions(journey.running).items()}
    assert told == {**told, "Running": "True", "Initialized": "True", "ReplicaFailure": "False", "Completed": "False"}
    events = dict(journey.server.events(NAME))
    assert events["Created"] == f"A PyTorchTrainingJob has been created: {NAME}"
    assert events["Start"] == "The job has been initialized successfully."
    assert re.fullmatch(r"The job began running at .* UTC", events["Running"])


def test_one_pod_with_its_name_labels_and_variables(journey):
    pod, uid = journey.pod, journey.running["metadata"]["uid"]
    assert pod["metadata"]["name"] == f"{NAME}-{h5(NAME, uid)}-node-0"
    labels = pod["metadata"]["labels"]
    assert labels == {**labels, "job-role": "master", "replica-index": "0", "replica-type": "node",
                      "tensorstack.dev/owner-name": NAME}
    given = environment(pod)
    assert (given["RANK"], given["WORLD_SIZE"]) == ("0", "1")
    assert given["MASTER_ADDR"] and 29500 <= int(given["MASTER_PORT"]) <= 29999
    [reference] = pod["metadata"]["ownerReferences"]
    assert (reference["kind"], reference["name"], reference["uid"]) == ("PyTorchTrainingJob", NAME, uid)


def test_server_that_is_killed_leaves_the_training_alone(journey):
    before, without_server, after = journey.survived
    assert len(before) >= 4 and before == without_server == after
    assert journey.phase_after == "Running"
    [pod] = journey.server.pods(NAME)
    assert pod["metadata"]["uid"] == journey.pod["metadata"]["uid"]
    assert journey.done["status"]["backoffCount"] == 0


def test_log_has_sixteen_lines_an_epoch_and_four_at_the_end(journey):
    batches, validations = progress(journey.log)
    milestones = ["  125/375", "  250/375", "  375/375"]
    assert Counter(batches) == {(str(epoch), batch): 4 for epoch in range(1, 11) for batch in milestones}
    assert Counter(validations) == {str(epoch): 4 for epoch in range(1, 11)}
    assert len(batches) + len(validations) == 160
    ends = re.findall(r"^test loss: \d+\.\d{4}, test accuracy: (\d\.\d{4})$", journey.log, re.M)
    assert len(ends) == 4 and float(ends[0]) > 0.5, "four processes that have learned the same"
    assert len(set(ends)) == 1


def test_succeeds_and_leaves_its_files(journey):
    status = journey.done["status"]
    assert status["aggregate"]["succeeded"] == 1
    [task] = status["tasks"]
    [replica] = task["replicas"]
    assert (task["type"], replica["phase"]) == ("node", "Succeeded")
    assert [(c["state"], c["exitCode"]) for c in replica["containers"]] == [("Terminated", 0)]
    told = conditions(journey.done)
    assert told["Completed"] == ("True", "Succeeded", "The job has finished successfully.")
    assert told["Running"][0] == "False" and told["Failed"][0] == "False"
    there = files(journey.server, "ddp")
    assert {"model_state_dict.pt", "log"} <= there
    [events] = files(journey.server, "ddp/log")
    assert events.startswith("events.out.tfevents.")
    wait_for("the event of the end", lambda: "Succeeded" in dict(journey.server.events(NAME)))


def test_tensorboard_is_made_with_the_job(journey):
    name = f"{NAME}-{h5(NAME, journey.running['metadata']['uid'])}"
    board = journey.server.get("tensorboard", name)
    assert board["spec"]["logDir"] == {"pvc": [{"name": "tutorial", "subPath": [
        "tutorial-examples/job/pytorchtrainingjob/ddp/log"]}]}
    assert [owner["name"] for owner in board["metadata"]["ownerReferences"]] == [NAME]
    assert journey.done["status"]["tensorboard"]["dependent"]["name"] == name


def test_tensorboard_opens_though_the_job_is_over(journey):
    assert {run: set(tags) for run, tags in curves(journey.server, journey.running, ["."]).items()} == {".": TAGS}
    ready = wait_for("the job to know", lambda: job_of(journey.server, NAME)["status"]["tensorboard"].get("ready"))
    assert ready is True


def test_describe_tells_it_in_words(journey):
    told = journey.server.cli("describe", NAME).out
    assert told.startswith(f"{NAME} is a PyTorchTrainingJob in namespace default, created ")
    for words in ["It has succeeded, after ", "1 × node: torchrun, 4 processes each, of torch_mnist_trainingjob.py",
                  "cpu 16 (at most 32), memory 8Gi (at most 16Gi)", "tutorial at /t9k/mnt", "Created"]:
        assert words in told, told
