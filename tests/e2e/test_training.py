"""The real thing: the examples with torch, on gloo, RPC and Horovod. Less data than they use by themselves, so
that it takes seconds."""

import os
import re
import shutil
import signal
import subprocess

import pytest
import yaml
from conftest import MNIST
from harness import PORTS, VENV, wait_for
from jobs import EXAMPLES, training_job
from processes import command_line, pids_running, read

pytestmark = pytest.mark.usefixtures("torch")
PROCESSES = 4


@pytest.fixture
def workspace(server):
    """The examples' volumes: a copy of them for this test alone, and the data."""
    folder = server.folder / "examples"
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("runs", "__pycache__"))
    for args in [("examples", "--path", folder), ("mnist", "--path", MNIST, "--read-only")]:
        made = server.cli("data", "create", *args)
        assert made.code == 0, repr(made)
    return folder


def submit(server, samples, epochs, example="ddp-mnist"):
    return server.create(training_job(samples, epochs, example))["metadata"]["name"]


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
    assert learned(log), log
    out = workspace / "ddp-mnist/runs" / name
    assert (out / "model_state_dict.pt").stat().st_size > 100_000
    assert (out / "checkpoint.pt").stat().st_size > 100_000
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
    return [pid for pid in pids_running(f"--out=runs/{name}")
            if "torch.distributed.run" not in command_line(pid) and "torchrun" not in command_line(pid)]


def test_four_replicas_meet_by_their_environment_and_start_anew_together(server, workspace):
    epochs = 8
    name = submit(server, 800, epochs, "ddp-env")
    out = workspace / "ddp-env/runs" / name
    wait_for("the first checkpoint", (out / "checkpoint.pt").exists, 60)
    [victim] = [pid for pid in pids_running(f"--out=runs/{name}") if "\0RANK=2\0" in read(f"/proc/{pid}/environ")]
    os.kill(victim, signal.SIGKILL)
    logs = logs_after_success(server, name)
    assert server.get("pj", name)["status"]["backoffCount"] == 1, "all together count once"
    meeting = {re.search(r"^rank (\d) of 4 meets the others at (\S+)$", log, re.M).groups()
               for log in logs.values()}
    assert {rank for rank, _ in meeting} == set("0123") and len({place for _, place in meeting}) == 1
    done = {int(re.search(r"^rank \d goes on after epoch (\d) from ", log, re.M)[1]) for log in logs.values()}
    assert len(done) == 1, "all go on from the same checkpoint"
    again = [int(epoch) for epoch in re.findall(r"^epoch (\d)/8, batch +7/7 with loss: \d\.\d{4}$", logs["worker-0"], re.M)]
    assert again == list(range(done.pop() + 1, epochs + 1)), "where the first attempt had come to"
    assert learned(logs["worker-0"]), logs["worker-0"]
    assert [logs[f"worker-{index}"].count("\n") for index in range(1, 4)] == [2, 2, 2], "only rank 0 tells more"
    assert {path.name for path in out.iterdir()} == {"log", "checkpoint.pt", "model_state_dict.pt"}


def test_parameter_server_with_four_workers(server, workspace):
    name = submit(server, 800, 2, "ps-rpc-mnist")
    logs = logs_after_success(server, name)
    assert sorted(logs) == ["ps-0", "worker-0", "worker-1", "worker-2", "worker-3"]
    assert sorted(re.findall(r"^worker (\d) has joined", logs["ps-0"], re.M)) == list("1234"), logs["ps-0"]
    for index in range(4):
        log = logs[f"worker-{index}"]
        assert log.startswith(f"worker with rank {index + 1} of 5 "), log
        assert re.findall(r"^epoch (\d)/2 with val loss: ", log, re.M) == ["1", "2"], log
        assert log.endswith(f"\nworker {index + 1} is done\n"), log
    assert learned(logs["worker-0"]), logs["worker-0"]
    out = workspace / "ps-rpc-mnist/runs" / name
    assert {path.name for path in out.iterdir()} == {
        "log", "checkpoint.pt", *(f"model_state_dict.pt.{rank}" for rank in range(1, 5))}
    assert {path.name for path in (out / "log").iterdir()} == {f"worker_{rank}" for rank in range(1, 5)}


def logs_after_success(server, name):
    """{replica: log}. The job succeeds with rank 0; the others may need a moment more."""
    server.wait_phase(name, "Succeeded", timeout=120)
    wait_for("the end of all pods", lambda: all(
        pod["status"]["phase"] == "Succeeded" for pod in server.pods(name)))
    return {"-".join(pod["metadata"]["labels"][f"replica-{part}"] for part in ["type", "index"]):
            server.kubectl("logs", pod["metadata"]["name"]) for pod in server.pods(name)}


def learned(log):
    """Something, at least: guessing is right once in ten times."""
    accuracy = re.search(r"^test loss: [\d.]+, test accuracy: ([\d.]+)$", log, re.M)
    return accuracy and float(accuracy[1]) > 0.3


def test_later_attempt_goes_on_from_the_checkpoint(tmp_path):
    """By hand, as one process: what a replica that is started anew does."""
    def train(epochs):
        command = [VENV / "bin/python", EXAMPLES / "ddp-mnist/train.py", f"--data={MNIST}", "--samples=400",
                   f"--epochs={epochs}", f"--out={tmp_path}"]
        env = {"PATH": os.environ["PATH"], "MASTER_PORT": str(next(PORTS)), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout

    first = train(1)
    assert "going on" not in first and "epoch 1/1 with val loss" in first
    later = train(2)
    assert "going on after epoch 1 from " in later, later
    assert re.findall(r"^epoch (\d)/2 with val loss", later, re.M) == ["2"], "epoch 1 is not done again"


def horovod_job(epochs):
    """The example under a name that stays: it names the folder of the run."""
    made = yaml.safe_load((EXAMPLES / "horovod-mnist/job.yaml").read_text())
    made["metadata"] = {"name": "hvd"}
    made["spec"]["mpiConfig"]["script"] += ["--samples=2400", f"--epochs={epochs}"]
    return made


def run_horovod(server, epochs):
    """The log of the launcher of a job that is then deleted."""
    server.create(horovod_job(epochs))
    server.wait_phase("hvd", "Succeeded", "mj", timeout=180)
    log = server.cli("logs", "hvd", "-i", "launcher").out
    server.kubectl("delete", "mj", "hvd")
    return log


def test_horovod_goes_on_from_the_checkpoint_of_an_earlier_job(server, workspace, horovod):
    first = run_horovod(server, 1)
    assert "Horovod averages the gradients of 4 processes" in first and learned(first), first
    second = run_horovod(server, 2)
    assert re.search(r"^goes on after epoch 1 from \S*checkpoint.pt$", second, re.M), second
    assert re.findall(r"^epoch (\d)/2 with val loss: ", second, re.M) == ["2"], second
    out = workspace / "horovod-mnist/runs/hvd"
    assert {entry.name for entry in out.iterdir()} == {"checkpoint.pt", "model_state_dict.pt", "log"}
    assert len(list((out / "log").iterdir())) == 2, "the curves of both jobs"
