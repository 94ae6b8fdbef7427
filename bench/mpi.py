#!/usr/bin/env python3
"""bench/mpi.py DATA_DIR: the same programs by bare mpirun on this host and as an MPIJob of the running server, in turn:
`hostname` by four processes, and a training with Horovod. Prints what the job costs more. The server must have been
started with the environment's bin folder first in its PATH. Exit code 1 when a goal is missed."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from server_api import Api, wait_for

ROUNDS = int(os.environ.get("ROUNDS", 5))
HOSTNAME_ROUNDS = 3 * ROUNDS
WORKERS = 4
EPOCHS, STEPS = 5, 40

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv/bin"
TRAIN = ["python", str(ROOT / "bench/mpi_train.py")]
# Four processes on fewer cores: see examples/horovod-mnist.
PARAMETERS = {"btl": "^openib", "pml": "ob1", "mpi_yield_when_idle": "1"}
BINDING = ["--bind-to", "none"]
ENVIRONMENT = {"OMP_NUM_THREADS": "1"}
JOBS = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/mpijobs"
PODS = "/api/v1/namespaces/default/pods"


# ---- by hand ----------------------------------------------------------------------------------------


def run_by_hand(program):
    """Seconds until the last line, or the end where it says nothing, and until the end."""
    words = ["mpirun", "--allow-run-as-root", "-np", str(WORKERS), "--oversubscribe", *BINDING]
    for name, value in PARAMETERS.items():
        words += ["-mca", name, value]
    began, last = time.time(), None
    process = subprocess.Popen([*words, *program], stdout=subprocess.PIPE,
                               env={**os.environ, **ENVIRONMENT, "PATH": f"{BIN}:{os.environ['PATH']}"})
    for _ in process.stdout:
        last = time.time()
    if process.wait() != 0:
        sys.exit(f"mpirun ended with code {process.returncode}")
    ended = time.time()
    return (last or ended) - began, ended - began


# ---- as a job ---------------------------------------------------------------------------------------


def job(name, program, folder):
    worker = {"name": "worker", "image": "host", "resources": {"requests": {"memory": "64Mi"}},
              "env": [{"name": key, "value": value} for key, value in ENVIRONMENT.items()],
              "volumeMounts": [{"name": "folder", "mountPath": str(folder)}]}
    return {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "MPIJob", "metadata": {"name": name}, "spec": {
        "mpiConfig": {"mca": PARAMETERS, "extraArgs": ["-N", "1", *BINDING], "script": program},
        "ssh": {"sshdPath": "/usr/sbin/sshd"}, "runPolicy": {"cleanUpWorkers": True},
        "replicaSpecs": [{"type": "launcher", "template": {}}, {"type": "worker", "replicas": WORKERS, "template": {
            "spec": {"containers": [worker], "volumes": [{"name": "folder", "hostPath": {"path": str(folder)}}]}}}]}}


def phase_of(api, name):
    phase = json.loads(api.call("GET", f"{JOBS}/{name}")).get("status", {}).get("phase")
    if phase == "Failed":
        sys.exit(f"the job {name} failed:\n{launcher_log(api, name)}")
    return phase


def launcher_log(api, name):
    selector = f"tensorstack.dev%2Fowner-name%3D{name},replica-type%3Dlauncher"
    [pod] = json.loads(api.call("GET", f"{PODS}?labelSelector={selector}"))["items"]
    return api.call("GET", f"{PODS}/{pod['metadata']['name']}/log?timestamps=true&container=launcher").decode()


def moment(line):
    """When a line of a log with timestamps was written: nanoseconds are more than Python reads."""
    stamp = line.split(" ", 1)[0].rstrip("Z")
    whole, _, fraction = stamp.partition(".")
    return datetime.fromisoformat(whole + "+00:00").timestamp() + float(f"0.{fraction or 0}")


def run_as_job(api, name, program, folder):
    """Seconds of mpirun until its last line, and from the request to the job's success."""
    began = time.time()
    api.call("POST", JOBS, job(name, program, folder))
    wait_for(lambda: phase_of(api, name) == "Succeeded", f"the success of the job {name}", 300)
    ended = time.time()
    lines = launcher_log(api, name).splitlines()
    ready = next(moment(line) for line in lines if line.endswith("services are ready!"))
    api.call("DELETE", f"{JOBS}/{name}")
    selector = f"tensorstack.dev%2Fowner-name%3D{name}"
    wait_for(lambda: not json.loads(api.call("GET", f"{PODS}?labelSelector={selector}"))["items"], "the end of its pods")
    return moment(lines[-1]) - ready, ended - began


# ---- both, in turn ----------------------------------------------------------------------------------


def measure_hostname(api, folder):
    hand, ours = [], []
    for turn in range(HOSTNAME_ROUNDS):
        hand.append(run_by_hand(["hostname"]))
        ours.append(run_as_job(api, f"hostname-{turn}", ["hostname"], folder))
    return hand, ours


def read_epochs(folder):
    """Seconds of the clock and CPU seconds of all ranks, for each epoch but the first, which warms up."""
    ranks = [json.loads(file.read_text()) for file in folder.glob("rank-*")]
    if len(ranks) != WORKERS:
        sys.exit(f"{len(ranks)} of {WORKERS} ranks have trained")
    return ([max(rank[i][0] for rank in ranks) for i in range(1, EPOCHS)],
            [sum(rank[i][1] for rank in ranks) for i in range(1, EPOCHS)])


def measure_epochs(api, parent):
    hand, ours = [], []
    for turn in range(ROUNDS):
        for runs, run in [(hand, lambda program, folder: run_by_hand(program)),
                          (ours, lambda program, folder: run_as_job(api, f"epochs-{turn}", program, folder))]:
            folder = Path(tempfile.mkdtemp(dir=parent))
            folder.chmod(0o777)
            run([*TRAIN, str(folder), str(EPOCHS), str(STEPS)], folder)
            runs.append(read_epochs(folder))
    return hand, ours


# ---- what came of it --------------------------------------------------------------------------------


def report_hostname(hand, ours):
    print(f"load of the machine: {os.getloadavg()[0]:.1f}; {HOSTNAME_ROUNDS} runs each, in turn, medians")
    print(f"{'work':<52} {'mpirun':>10} {'job':>10} {'more':>10}")
    for index, what, goal in [(0, f"mpirun hostname, {WORKERS} processes, to the last line", " (goal: at most 300)"),
                              (1, "from the request to the end of the job", "")]:
        bare, job = (statistics.median(run[index] for run in runs) for runs in (hand, ours))
        print(f"{what:<52} {bare:>8.3f} s {job:>8.3f} s {1000 * (job - bare):>7.0f} ms{goal}")
    return statistics.median(run[0] for run in ours) - statistics.median(run[0] for run in hand) <= 0.3


def report_epochs(hand, ours):
    print(f"load of the machine: {os.getloadavg()[0]:.1f}; {ROUNDS} runs each, in turn, medians")
    met = True
    for index, what in [(0, "an epoch of Horovod"), (1, "CPU seconds of all ranks in an epoch")]:
        bare, job = (statistics.median(value for run in runs for value in run[index]) for runs in (hand, ours))
        share = job / bare - 1
        print(f"{what:<52} {bare:>8.3f} s {job:>8.3f} s {100 * share:>8.2f} % (goal: at most 2)")
        met = met and share <= 0.02
    return met


def main():
    if not shutil.which("mpirun") or not Path("/usr/sbin/sshd").exists():
        print("skipped: there is no Open MPI or no sshd on this machine (tools/setup mpi)")
        return 0
    api = Api(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory(prefix="mpi-bench-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o777)
        met = report_hostname(*measure_hostname(api, folder))
        if subprocess.run([BIN / "python", "-c", "import horovod.torch"], capture_output=True).returncode != 0:
            print("skipped: there is no Horovod in .venv (make horovod)")
            return 0 if met else 1
        met = report_epochs(*measure_epochs(api, folder)) and met
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
