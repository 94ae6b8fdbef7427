"""What the journeys of spec/t9k-jobs.md, section 14, begin with: a volume `tutorial` with an example and
a part of MNIST in it, and T9k's image as a name for the tests' own Python."""

import json
import re
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

from apps_client import visit, wait_condition
from conftest import MNIST
from harness import ROOT, VENV, wait_for
from jobs import h5

FILES = Path(__file__).resolve().parent / "tutorial"
IN_VOLUME = "tutorial-examples/job/pytorchtrainingjob"
TAGS = {"train/loss", "val/loss", "val/accuracy", "test/loss", "test/accuracy"}
CLAIM = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "tutorial"},
         "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "20Gi"}}}}


def prepare(server, example):
    server.create(CLAIM)
    wait_for("the volume", lambda: server.get("pvc", "tutorial")["status"]["phase"] == "Bound")
    mapped = server.cli("image", "map", "t9kpublic/pytorch-*", "--venv", VENV)
    assert mapped.code == 0, repr(mapped)
    small = server.folder / "small"
    write_some_of_mnist(small / "MNIST/raw")
    for source, target in [(FILES / example, f"{IN_VOLUME}/{example}"), (small, f"{IN_VOLUME}/{example}/data")]:
        copied = server.cli("data", "cp", source, f"tutorial:{target}")
        assert copied.code == 0, repr(copied)


@contextmanager
def horovod_image(server):
    """The tutorial's image for Horovod: its script and data are in a folder of it, no volume is needed. Yields that folder
    and the job's YAML, whose script is there."""
    mapped = server.cli("image", "map", "t9kpublic/horovod-*", "--venv", VENV)
    assert mapped.code == 0, repr(mapped)
    example = FILES / "horovod-torch"
    with tempfile.TemporaryDirectory(prefix="horovod-", dir=ROOT / ".cache") as name:
        folder = Path(name)
        shutil.copy(example / "torch_mnist_mpijob.py", folder)
        write_some_of_mnist(folder / "data/MNIST/raw")
        yield folder, (example / "job.yaml").read_text().replace("/horovod/", f"{folder}/")


def write_some_of_mnist(folder):
    """The first images of each file: the rest would only be copied."""
    folder.mkdir(parents=True)
    for part, count in [("train", 7000), ("t10k", 500)]:
        for name, head, size in [("images-idx3", 16, 28 * 28), ("labels-idx1", 8, 1)]:
            with open(MNIST / f"MNIST/raw/{part}-{name}-ubyte", "rb") as whole:
                start = whole.read(head)
                some = whole.read(count * size)
            (folder / f"{part}-{name}-ubyte").write_bytes(
                start[:4] + (len(some) // size).to_bytes(4, "big") + start[8:] + some)


def files(server, folder):
    """What is in a folder of the volume."""
    listed = server.cli("data", "ls", f"tutorial:{IN_VOLUME}/{folder}", "-o", "name")
    assert listed.code == 0, repr(listed)
    return {line.rstrip("/") for line in listed.out.split()}


def environment(pod):
    return {entry["name"]: entry.get("value") for entry in pod["spec"]["containers"][0]["env"]}


def replica(pod):
    labels = pod["metadata"]["labels"]
    return f"{labels['replica-type']}-{labels['replica-index']}"


def words_of(text):
    """The rows of what kubectl get printed, as lists of words."""
    return [line.split() for line in text.splitlines()]


def progress(log):
    """(epoch, batch) of each progress line, and the epochs of the lines about validation."""
    return (re.findall(r"^epoch (\d+)/\d+, batch ([ \d]{5}/\d+) with loss: \d+\.\d{4}$", log, re.M),
            re.findall(r"^epoch (\d+)/\d+ with val loss: \d+\.\d{4}, val accuracy: [01]\.\d{4}$", log, re.M))


def curves(server, job, runs):
    """{run: tags} of the job's TensorBoard, as somebody sees them who opens it, once it knows these runs."""
    name = f"{job['metadata']['name']}-{h5(job['metadata']['name'], job['metadata']['uid'])}"
    wait_condition(server, "tensorboard", name, "Ready", "True", timeout=60)
    page = visit(server, "tensorboard", name)
    def told():
        tags = page.json("/data/plugin/scalars/tags")
        return set(tags) == set(runs) and all(len(tags[run]) == len(TAGS) for run in runs) and tags
    return wait_for(f"the curves of {runs}", told, 30)


def job_of(server, name, kind="pytorchtrainingjob"):
    return json.loads(server.kubectl("get", kind, name, "-o", "json"))
