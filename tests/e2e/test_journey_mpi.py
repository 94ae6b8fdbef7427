"""J3 of spec/t9k-jobs.md, section 14: the tutorial's Horovod example, which mpirun starts on four workers over ssh."""

import json
import re
from types import SimpleNamespace

import pytest
from harness import wait_for
from jobs import conditions, h5
from journeys import horovod_image, job_of, progress, words_of
from processes import command_line, pids_running
from servers import run_server

pytestmark = pytest.mark.usefixtures("horovod")
NAME = "torch-mnist-mpijob"
WORKERS = [f"worker-{index}" for index in range(4)]
SCRIPT = "torch_mnist_mpijob.py"


@pytest.fixture(scope="module")
def journey(horovod):
    """The journey once, with what was seen on the way."""
    for server in run_server():
        with horovod_image(server) as (folder, manifest):
            seen = SimpleNamespace(server=server)
            (server.folder / "job.yaml").write_text(manifest)
            seen.created = server.kubectl("create", "-f", server.folder / "job.yaml")
            seen.uid = job_of(server, NAME, "mpijob")["metadata"]["uid"]
            seen.launcher = f"{NAME}-{h5(NAME, seen.uid)}-launcher"
            server.wait_phase(NAME, "Running", "mj")
            log = server.stream("kubectl", "logs", seen.launcher, "-f")
            log.wait_text(r"^epoch 2/10, batch", 60)
            seen.running = job_of(server, NAME, "mpijob")
            seen.table = server.kubectl("get", "mj", "-o", "wide")
            seen.pods = {pod["metadata"]["name"]: pod for pod in server.pods(NAME)}
            seen.listed = server.cli("list", "-o", "wide").out
            seen.processes = [command_line(pid) for pid in pids_running(str(folder / SCRIPT))]
            seen.used = wait_for("its use", lambda: used_by(server, seen.pods), 30)
            seen.written = server.kubectl("exec", f"{NAME}-{h5(NAME, seen.uid)}-worker-0", "--", "ls", folder / "log")
            seen.hosts = server.kubectl("exec", seen.launcher, "--", "cat", "/etc/hosts")
            seen.done = server.wait_phase(NAME, "Succeeded", "mj", timeout=180)
            wait_for("the end of the workers", lambda: len(server.pods(NAME)) == 1)
            seen.ended = job_of(server, NAME, "mpijob")
            seen.log = server.kubectl("logs", seen.launcher)
            yield seen


def used_by(server, pods):
    """{pod: CPU and memory} as soon as something is known of all of them."""
    said = server.try_kubectl("top", "pod", "--no-headers")
    used = {row[0]: row[1:] for row in words_of(said.out)}
    return set(used) >= set(pods) and used


def test_is_accepted_and_listed_with_what_its_workers_ask_for(journey):
    assert journey.created == f"mpijob.batch.tensorstack.dev/{NAME} created\n"
    heading, row = words_of(journey.table)
    assert heading == ["NAME", "PHASE", "AGE", "PENDING", "RUNNING", "SUCCEEDED", "FAILED"]
    assert row[:2] == [NAME, "Running"] and row[4] == "5", journey.table
    [line] = [line for line in journey.listed.splitlines() if line.startswith(NAME)]
    assert re.search(r"MPIJob +Running +launcher: 1/1, worker: 4/4 ", line), line
    assert "16 / 32" in line and "8Gi / 16Gi" in line, "the launcher is not counted: " + line


def test_five_pods_with_their_names_labels_and_amounts(journey):
    start = f"{NAME}-{h5(NAME, journey.uid)}-"
    assert sorted(journey.pods) == [start + name for name in ["launcher", *WORKERS]]
    for name, pod in journey.pods.items():
        labels = pod["metadata"]["labels"]
        assert labels == {**labels, "tensorstack.dev/owner-name": NAME, "app": NAME, "mpi-job": NAME,
                          "tensorstack.dev/component": "mpijob"}
        [main] = pod["spec"]["containers"]
        launcher = name.endswith("-launcher")
        assert main["name"] == ("launcher" if launcher else "worker")
        requests, limits = (("100m", "100Mi"), ("200m", "200Mi")) if launcher else (("4", "2Gi"), ("8", "4Gi"))
        for kind, (cpu, memory) in [("requests", requests), ("limits", limits)]:
            assert {key: str(value) for key, value in main["resources"][kind].items()} == {"cpu": cpu, "memory": memory}
        [owner] = pod["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["name"], owner["uid"]) == ("MPIJob", NAME, journey.uid)


def test_workers_are_found_by_the_names_of_their_service(journey):
    service = journey.server.get("service", f"{NAME}-worker")
    assert service["spec"]["clusterIP"] == "None"
    for index in range(4):
        assert f"{NAME}-worker-{index}.{NAME}-worker" in journey.hosts


def test_conditions_and_events_of_the_running_job(journey):
    told = {kind: status for kind, (status, _, _) in conditions(journey.running).items()}
    assert told == {**told, "Running": "True", "Initialized": "True", "ReplicaFailure": "False", "Completed": "False"}
    events = dict(journey.server.events(NAME))
    assert events["Created"] == f"A MPIJob has been created: {NAME}"
    assert events["Start"] == "The job has been initialized successfully."
    assert {"NewReplica", "Running"} <= set(events)


def test_log_of_the_launcher_tells_each_thing_once(journey):
    lines = journey.log.splitlines()
    assert lines.count("services are ready!") == 1
    known = re.findall(r"^Warning: Permanently added '(?:\[)?([^'\],]+).* to the list of known hosts\.", journey.log, re.M)
    assert sorted(known) == [f"{NAME}-worker-{index}.{NAME}-worker" for index in range(4)], journey.log
    batches, validations = progress(journey.log)
    milestones = ["  125/375", "  250/375", "  375/375"]
    assert batches == [(str(epoch), batch) for epoch in range(1, 11) for batch in milestones], journey.log
    assert validations == [str(epoch) for epoch in range(1, 11)]
    [accuracy] = re.findall(r"^test loss: \d+\.\d{4}, test accuracy: (\d\.\d{4})$", journey.log, re.M)
    assert float(accuracy) > 0.5
    assert lines.index("services are ready!") < next(i for i, line in enumerate(lines) if line.startswith("epoch 1/10"))


def test_says_which_mpirun_it_took(journey):
    """The tutorial's home, /usr/local, is where T9k's image has Open MPI; Debian has it elsewhere."""
    assert re.search(r"mpirun: \S+/bin/mpirun", journey.log), journey.log


def test_each_worker_runs_one_process_and_uses_something(journey):
    trainers = [command for command in journey.processes if command.startswith("python ")]
    assert len(trainers) == 4, journey.processes
    assert {name: len(columns) for name, columns in journey.used.items() if name in journey.pods} == dict.fromkeys(
        journey.pods, 2)


def test_rank_zero_writes_its_curves(journey):
    [events] = journey.written.split()
    assert events.startswith("events.out.tfevents.")


def test_succeeds_deletes_its_workers_and_keeps_the_launcher(journey):
    status = journey.ended["status"]
    assert (status["phase"], status["aggregate"]["succeeded"], status["aggregate"]["deleted"]) == ("Succeeded", 1, 4)
    assert [(task["type"], {each["phase"] for each in task["replicas"]}) for task in status["tasks"]] == [
        ("launcher", {"Succeeded"}), ("worker", {"Deleted"})]
    [pod] = journey.server.pods(NAME)
    assert pod["metadata"]["name"] == journey.launcher
    told = conditions(journey.ended)
    assert told["Completed"] == ("True", "Succeeded", "The job has finished successfully.")
    assert not pids_running(SCRIPT)


def test_describe_tells_it_in_words(journey):
    told = journey.server.cli("describe", NAME).out
    assert told.startswith(f"{NAME} is an MPIJob in namespace default, created "), told
    assert "It has succeeded, after " in told, told
    assert re.search(rf"4 × worker: python \S+/{SCRIPT} .*, started by mpirun\n", told), told
    assert journey.server.cli("logs", NAME, "-i", "launcher").out == journey.log


def test_older_form_under_the_scheduler_is_placed_as_one(journey):
    """As the tutorial's third file has it: a queue, a priority, and a launcher that nobody wrote down."""
    server = journey.server
    worker = {"name": "mpi-worker", "image": "host", "resources": {"requests": {"cpu": 1, "memory": "4Gi"},
                                                                   "limits": {"cpu": 2, "memory": "8Gi"}}}
    server.create({"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "MPIJob", "metadata": {"name": "older"}, "spec": {
        "mca": {"btl": "^openib", "pml": "ob1"}, "mpiHome": "/usr/local", "ssh": {"sshdPath": "/usr/sbin/sshd"},
        "scheduler": {"t9kScheduler": {"queue": "default", "priority": 50}},
        "worker": {"replicas": 4, "cmd": ["hostname"], "extraMPIArgs": ["-N", "1", "--allow-run-as-root"],
                   "template": {"spec": {"containers": [worker]}}}}})
    done = server.wait_phase("older", "Succeeded", "mj")
    assert done["spec"]["worker"]["cmd"] == ["hostname"], "as it was written"
    [row] = [line for line in server.cli("list", "-o", "wide").out.splitlines() if line.startswith("older ")]
    assert "4 / 8" in row and "16Gi / 32Gi" in row, row
    assert server.get("podgroup", "older")["spec"]["minMember"] == 5, "the launcher, too"
    [launcher] = [pod for pod in server.pods("older") if pod["metadata"]["labels"]["replica-type"] == "launcher"]
    assert launcher["spec"]["schedulerName"] == "t9k-scheduler"
    said = server.cli("logs", "older", "-i", "launcher").out.splitlines()
    assert sorted(line for line in said if line.startswith("older-worker-")) == [f"older-worker-{i}" for i in range(4)]
    server.kubectl("delete", "mj", "older")


def test_leaves_nothing_when_it_is_deleted(journey):
    journey.server.kubectl("delete", "mpijob", NAME)
    for kind in ["pods", "services", "secrets", "configmaps"]:
        def left(kind=kind):
            items = json.loads(journey.server.kubectl("get", kind, "-o", "json"))["items"]
            return [item["metadata"]["name"] for item in items if item["metadata"]["name"].startswith(NAME)]
        wait_for(f"the end of its {kind}", lambda: not left())
