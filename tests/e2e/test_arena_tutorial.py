"""The tutorial that Arena's users begin with, from the nodes to the log, on nodes whose GPUs are made up. Layouts are
compared byte for byte; what is different each time (ages, addresses, ports) is read from the output or from kubectl."""

import json
import re
import urllib.request

import pytest
from arena import ages, arena, shown, table
from git_server import GitServer
from harness import ROOT, wait_for
from journeys import write_some_of_mnist
from servers import run_server

JOB = "pytorch-git"
MNIST = (ROOT / "examples/arena-mnist/mnist.py").read_text()
COMMAND = ("python /root/code/mnist-pytorch/mnist.py --epochs 2 --backend gloo --dir /training_data/pytorch-git "
           "--data /training_data")
CLAIM = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "training-data"},
         "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "20Gi"}}}}
RULE = "-" * 89 + "\n"


@pytest.fixture(scope="module")
def place(torch):
    """Six nodes, of which three have GPUs, and a volume with data."""
    for server in run_server(start=False):
        server.up("--nodes", "3*role=master;3*gpu=2,cpu=8,memory=32Gi", "--fake-gpus")
        server.create(CLAIM)
        wait_for("the volume", lambda: server.get("pvc", "training-data")["status"]["phase"] == "Bound")
        write_some_of_mnist(server.folder / "small/MNIST/raw")
        copied = server.cli("data", "cp", server.folder / "small/MNIST", "training-data:MNIST")
        assert copied.code == 0, repr(copied)
        yield server


@pytest.fixture(scope="module")
def code(place):
    server = GitServer(place.folder / "git")
    yield server.add("mnist-pytorch", {"mnist.py": MNIST})
    server.stop()


def node_rows(server, taken):
    return [(f"node-{i}", f"127.65.0.{i + 1}", "master" if i < 3 else "<none>", "ready", "0" if i < 3 else "2",
             str(taken.get(f"node-{i}", 0))) for i in range(6)]


def top_node(server, taken, summary):
    heading = ("NAME", "IPADDRESS", "ROLE", "STATUS", "GPU(Total)", "GPU(Allocated)")
    return (table(heading, *node_rows(server, taken)) + RULE + "Allocated/Total GPUs In Cluster:\n" + summary + "\n")


def pods(server):
    return server.list("pods", "-l", f"release={JOB},app=pytorchjob")


def submit(server, name, source, *more):
    return arena(server, "--loglevel", "info", "submit", "pytorch", f"--name={name}", "--gpus=1", "--workers=3",
                 "--image=registry.example/ai/pytorch:1.13", "--working-dir=/root", "--sync-mode=git",
                 f"--sync-source={source}", "--data=training-data:/training_data", "--tensorboard",
                 "--logdir=/training_data/pytorch-git", *more, COMMAND)


def test_tutorial(place, code):
    assert shown(place, "top", "node") == top_node(place, {}, "0/6 (0%)")
    assert shown(place, "list") == "NAME  STATUS  TRAINER  AGE  NODE\n"

    said = submit(place, JOB, code)
    assert said.code == 0, repr(said)
    assert said.out == (f"configmap/{JOB}-pytorchjob created\n"
                        f"configmap/{JOB}-pytorchjob labeled\n"
                        f"service/{JOB}-tensorboard created\n"
                        f"deployment.apps/{JOB}-tensorboard created\n"
                        f"pytorchjob.kubeflow.org/{JOB} created\n")
    assert said.err == (f"INFO[0000] The Job {JOB} has been submitted successfully\n"
                        f"INFO[0000] You can run `arena get {JOB} --type pytorchjob` to check the job status\n")

    wait_for("the job to run", lambda: " RUNNING " in shown(place, "list"), 40)
    listed, top, nodes = shown(place, "list"), shown(place, "top", "job"), shown(place, "top", "node")
    got = shown(place, "get", JOB)
    master, first, second = sorted(pods(place), key=lambda pod: pod["metadata"]["name"])
    ips = [pod["status"]["hostIP"] for pod in (master, first, second)]

    [age] = ages(listed)
    assert listed == table(("NAME", "STATUS", "TRAINER", "AGE", "NODE"),
                           (JOB, "RUNNING", "PYTORCHJOB", age, ips[0]))

    [age] = ages(top)
    assert top == table(("NAME", "GPU(Requests)", "GPU(Allocated)", "STATUS", "TRAINER", "AGE", "NODE"),
                        (JOB, "3", "3", "RUNNING", "pytorchjob", age, ips[0])) + (
        "\n\nTotal Allocated GPUs of Training Job:\n3\n\nTotal Requested GPUs of Training Job:\n3\n")

    taken = {}
    for pod in (master, first, second):
        taken[pod["spec"]["nodeName"]] = taken.get(pod["spec"]["nodeName"], 0) + 1
    assert nodes == top_node(place, taken, "3/6 (50%)")

    check_get(place, got, ips)
    check_logs(place)
    check_data_list(place)


def check_get(server, got, ips):
    duration, age = re.search(r"^TRAINING DURATION: (\d+s)$", got, re.M)[1], ages(got)[-1]
    port = server.get("service", f"{JOB}-tensorboard")["spec"]["ports"][0]["nodePort"]
    names = [f"{JOB}-master-0", f"{JOB}-worker-0", f"{JOB}-worker-1"]
    assert got == (f"STATUS: RUNNING\nNAMESPACE: default\nPRIORITY: N/A\nTRAINING DURATION: {duration}\n\n" +
                   table(("NAME", "STATUS", "TRAINER", "AGE", "INSTANCE", "NODE"),
                         *[(JOB, "RUNNING", "PYTORCHJOB", age, name, ip) for name, ip in zip(names, ips)]) +
                   f"\nYour tensorboard will be available on:\nhttp://127.65.0.1:{port}\n")


def check_logs(server):
    """logs, -i, -f and -t."""
    followed = server.stream("arena", "arena", "logs", "-f", JOB)
    other = wait_for("the log of a worker", lambda: "args:" in (text := shown(
        server, "logs", JOB, "-i", f"{JOB}-worker-1")) and text)
    assert other.startswith("WORLD_SIZE: 3, CURRENT_RANK: 2\nargs: Namespace(epochs=2, backend='gloo', "), other
    assert followed.wait_end(120) == 0, repr(followed)
    whole = shown(server, "logs", JOB)
    assert followed.text == whole
    assert whole.startswith("WORLD_SIZE: 3, CURRENT_RANK: 0\nargs: Namespace("), whole
    assert re.search(r"^Train Epoch: 2 \[\d+/\d+ \(\d+%\)\]\tloss=\d", whole, re.M), whole
    assert float(re.findall(r"^accuracy=(\S+)$", whole, re.M)[-1]) > 0.8
    lines = whole.splitlines(keepends=True)
    assert shown(server, "logs", JOB, "-t", "5") == "".join(lines[-5:])
    merged = shown(server, "logs", JOB, "--all").splitlines()
    for name in ["master-0", "worker-0", "worker-1"]:
        own = shown(server, "logs", JOB, "-i", f"{JOB}-{name}").splitlines()
        assert [line.split("] ", 1)[1] for line in merged if line.startswith(f"[{JOB}-{name}] ")] == own


def check_data_list(server):
    listed = shown(server, "data", "list")
    [age] = ages(listed)
    assert listed == table(("NAME", "ACCESSMODE", "DESCRIPTION", "OWNER", "AGE"),
                           ("training-data", "ReadWriteMany", "", "", age))


def test_after_the_end_gpus_are_free_and_logs_are_kept(place):
    listed = wait_for("the job's end", lambda: " SUCCEEDED " in (text := shown(place, "list")) and text, 30)
    [age] = ages(listed)
    assert listed.endswith(f"  SUCCEEDED  PYTORCHJOB  {age}{' ' * (5 - len(age))}N/A\n")
    assert shown(place, "top", "node") == top_node(place, {}, "0/6 (0%)")
    whole = shown(place, "logs", JOB)
    for pod in pods(place):
        place.kubectl("delete", "pod", pod["metadata"]["name"])
    assert shown(place, "logs", JOB) == whole


def test_tensorboard_answers_at_the_address_that_get_prints(place):
    address = shown(place, "get", JOB).splitlines()[-1]
    def runs():
        with urllib.request.urlopen(f"{address}/data/runs", timeout=5) as answer:
            return json.load(answer)
    def answers():
        try:
            return runs()
        except OSError:
            return None
    assert wait_for("TensorBoard", answers, 60)


FAILS_ONCE = """
if [ $RANK = 0 ]; then echo waits; until [ -e /training_data/done ]; do sleep 0.1; done; echo ends; exit; fi
echo attempt of rank $RANK
if mkdir /training_data/tried 2>/dev/null; then echo fails; exit 3; fi
touch /training_data/done
"""


def test_logs_of_the_run_before_and_of_all_while_they_come(place):
    made = arena(place, "submit", "pytorch", "--name=again", "--image=x", "--workers=2",
                 "--data=training-data:/training_data", FAILS_ONCE)
    assert made.code == 0, repr(made)
    followed = place.stream("arena", "arena", "logs", "-f", "--all", "again")
    assert followed.wait_end(60) == 0, repr(followed)
    assert "[master-0] waits\n" in followed.text and "[master-0] ends\n" in followed.text, repr(followed)
    assert shown(place, "logs", "again", "-i", "again-worker-0", "--previous") == "attempt of rank 1\nfails\n"
    assert shown(place, "logs", "again", "-i", "again-worker-0") == "attempt of rank 1\n"
    stamped = shown(place, "logs", "again", "--timestamps").splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\S+Z (waits|ends)$", line) for line in stamped), stamped


def test_logs_of_a_deleted_job_are_kept(place):
    assert arena(place, "delete", "again").code == 0
    wait_for("its pods to go", lambda: not place.list("pods", "-l", "release=again"))
    said = arena(place, "logs", "again")
    assert said.code == 0 and said.out == "waits\nends\n", repr(said)
    assert "is deleted" in said.err, repr(said)


def test_private_repository(place):
    """The password reaches neither the training container nor the record."""
    server = GitServer(place.folder / "private", login=("ann", "s3cret,=\"x"))
    try:
        source = server.add("mnist-pytorch", {"mnist.py": "import os\nprint(sorted(os.environ))\n"})
        made = arena(place, "submit", "pytorch", "--name=private", "--image=pytorch", "--working-dir=/root",
                     "--sync-mode=git", f"--sync-source={source}", "--env", "GIT_SYNC_USERNAME=ann",
                     "--env", "GIT_SYNC_PASSWORD=s3cret,=\"x", "python /root/code/mnist-pytorch/mnist.py")
        assert made.code == 0, repr(made)
        wait_for("its end", lambda: "STATUS: SUCCEEDED" in shown(place, "get", "private"), 40)
        assert "GIT_SYNC_PASSWORD" not in shown(place, "logs", "private")
        assert "s3cret" not in place.kubectl("get", "configmap", "private-pytorchjob", "-o", "yaml")
    finally:
        server.stop()
