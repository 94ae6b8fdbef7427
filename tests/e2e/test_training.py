"""The real thing: examples/ddp-mnist with torch, four processes on gloo. Less data than the
example uses, so that it takes seconds."""

import json
import re
import shutil

import pytest
from conftest import MNIST
from harness import wait_for
from jobs import EXAMPLE, training_job
from processes import command_line, pids_running

pytestmark = pytest.mark.usefixtures("torch")
PROCESSES = 4


@pytest.fixture
def workspace(server):
    """The example's volumes: a folder with train.py of this test alone, and the data."""
    folder = server.folder / "workspace"
    folder.mkdir()
    shutil.copy(EXAMPLE / "train.py", folder)
    for args in [("ddp-mnist", "--path", folder), ("mnist", "--path", MNIST, "--read-only")]:
        made = server.cli("data", "create", *args)
        assert made.code == 0, repr(made)
    return folder


def submit(server, samples, epochs):
    return server.create(training_job(samples, epochs))["metadata"]["name"]


def check_training(server, workspace, name, epochs):
    """What must be there after a job has trained."""
    done = server.wait_phase(name, "Succeeded", timeout=180)
    [pod] = server.pods(name)
    assert pod["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 0
    assert done["status"]["aggregate"]["succeeded"] == 1 and done["status"]["backoffCount"] == 0
    log = server.kubectl("logs", "-l", f"tensorstack.dev/owner-name={name}", "--tail=-1")
    ready = sorted(re.findall(r"^rank (\d) of 4 \(local rank \d\) is ready$", log, re.M))
    assert ready == ["0", "1", "2", "3"], log
    for epoch in range(1, epochs + 1):
        assert len(re.findall(rf"^epoch {epoch}/{epochs} with val loss: ", log, re.M)) == 1, log
    accuracy = re.search(r"^test loss: [\d.]+, test accuracy: ([\d.]+)$", log, re.M)
    assert accuracy and float(accuracy[1]) > 0.3, f"it should have learned something:\n{log}"
    out = workspace / "runs" / name
    assert (out / "model_state_dict.pt").stat().st_size > 100_000
    [events] = (out / "log").iterdir()
    assert events.name.startswith("events.out.tfevents.") and events.stat().st_size > 0
    return log


def test_two_jobs_train_at_the_same_time(server, workspace):
    first = submit(server, 1200, 2)
    server.wait_phase(first, "Running")
    assert wait_for("torchrun's four processes", lambda: len(trainers(first)) == PROCESSES, 90)
    second = submit(server, 600, 1)
    server.wait_phase(second, "Running")
    assert server.get("pj", first)["status"]["phase"] == "Running", "the first still trains"
    ports = {name: server.pods(name)[0] for name in [first, second]}
    ports = {name: port_of(pod) for name, pod in ports.items()}
    assert ports[first] != ports[second], ports
    check_training(server, workspace, first, 2)
    check_training(server, workspace, second, 1)


def port_of(pod):
    env = {entry["name"]: entry.get("value") for entry in pod["spec"]["containers"][0]["env"]}
    return env["MASTER_PORT"]


def trainers(name):
    """The processes that train for a job: torchrun's children, not torchrun."""
    return [pid for pid in pids_running(f"/workspace/runs/{name}")
            if "torch.distributed.run" not in command_line(pid) and "torchrun" not in command_line(pid)]


def test_server_killed_in_the_middle_of_training(server, workspace):
    """Issue 3: "the job finishes as if nothing had happened, no log line lost"."""
    name = submit(server, 1200, 3)
    server.wait_phase(name, "Running")
    [pod] = server.pods(name)
    server.stream("kubectl", "logs", "-f", pod["metadata"]["name"]).wait_text(r"^epoch 1/3, batch", 120)
    before = trainers(name)
    assert len(before) == PROCESSES
    server.kill()
    assert trainers(name) == before, "training goes on without a server"
    server.up()
    assert trainers(name) == before, "training goes on with the new server"
    assert server.get("pj", name)["status"]["phase"] == "Running"
    log = check_training(server, workspace, name, 3)
    batches = re.findall(r"^epoch (\d)/3, batch +(\d+)/10 with loss: \d+\.\d{4}$", log, re.M)
    assert batches == [("1", "10"), ("2", "10"), ("3", "10")], log
    assert log.count("\n") == PROCESSES + 3 * 2 + 2 + warnings(log), log
    job = server.get("pj", name)
    assert json.dumps(job["status"]["tasks"]).count('"restarts": 0') == 1
    assert server.get("pod", pod["metadata"]["name"])["metadata"]["uid"] == pod["metadata"]["uid"]


def warnings(log):
    """Lines that are not train.py's own (torch and torchrun warn about this and that)."""
    ours = re.compile(r"rank \d of 4|epoch \d|test loss|model saved")
    return sum(1 for line in log.splitlines() if not ours.match(line))
