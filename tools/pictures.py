#!/usr/bin/env python3
"""Takes the pictures in docs/pictures: each page of the web console, in both languages, with real jobs on a real server.
Needs what `make test` needs: build/release/trainyard, .venv, MNIST, chromium and a font for Chinese."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))

from pages import FLAGS, browser_program  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

PYTORCH = "pytorchtrainingjobs.batch.tensorstack.dev"

FAILS = """
apiVersion: batch.tensorstack.dev/v1beta1
kind: PyTorchTrainingJob
metadata: {name: bert-finetune, labels: {team: nlp}}
spec:
  runPolicy: {onReplicaFailure: StopJob}
  replicaSpecs:
  - type: worker
    replicas: 4
    restartPolicy: Never
    template:
      spec:
        containers:
        - name: pytorch
          image: host
          command: [python3, -c]
          args:
          - |
            import os, time
            for step in range(40):
                print(f"step {step} loss {2.3 / (1 + step):.4f}", flush=True)
                time.sleep(0.02)
            if os.environ["RANK"] == "2":
                raise RuntimeError("CUDA error: device-side assert triggered")
            time.sleep(60)
          resources: {requests: {cpu: 250m, memory: 128Mi}, limits: {cpu: 1, memory: 512Mi}}
"""

WAITS = """
apiVersion: batch.tensorstack.dev/v1beta1
kind: PyTorchTrainingJob
metadata: {name: llama-pretrain, labels: {team: nlp}}
spec:
  replicaSpecs:
  - type: worker
    replicas: 8
    template:
      spec:
        containers:
        - {name: pytorch, image: host, command: [sleep, "60"], resources: {limits: {cpu: 16, memory: 64Gi}}}
"""

OTHERS = """
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: 2, capability: {cpu: 16, memory: 64Gi}}
---
apiVersion: v1
kind: Secret
metadata: {name: registry-login}
stringData: {username: ci, password: not-a-real-one}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: hyper-parameters}
data: {learning-rate: "0.001", train.yaml: "epochs: 3\\nbatch: 64\\n"}
---
apiVersion: v1
kind: Pod
metadata: {name: scratch, labels: {purpose: looking-around}}
spec:
  containers:
  - name: shell
    image: host
    command: [sh, -c, "echo ready; sleep 3600"]
    resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {cpu: 500m, memory: 256Mi}}
---
apiVersion: tensorstack.dev/v1beta1
kind: Notebook
metadata: {name: tutorial}
spec:
  type: jupyter
  template:
    spec:
      containers:
      - {name: notebook, image: jupyter, resources: {limits: {cpu: "1", memory: 2Gi}}}
"""


class Yard:
    """A server with something to see on each page."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.program = os.environ.get("TRAINYARD", str(ROOT / "build/release/trainyard"))
        self.env = os.environ | {"TRAINYARD_DATA_DIR": str(self.folder / "data"),
                                 "PATH": f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"}
        self.env.pop("KUBECONFIG", None)

    def run(self, *words, text=None):
        done = subprocess.run([self.program, *words], input=text, capture_output=True, text=True, env=self.env)
        if done.returncode != 0:
            raise SystemExit(f"pictures: trainyard {' '.join(words)}: {done.stderr}")
        return done.stdout.strip()

    def submit(self, text):
        self.run("submit", "-f", "-", text=textwrap.dedent(text))

    def fill(self):
        self.run("up", "--detach", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--apps", "127.0.0.1:0")
        shutil.copytree(ROOT / "examples", self.folder / "examples", ignore=shutil.ignore_patterns("runs"))
        self.run("data", "create", "examples", "--path", str(self.folder / "examples"))
        self.run("data", "create", "mnist", "--path", str(ROOT / ".cache/mnist"), "--read-only")
        kubeconfig = self.folder / "kubeconfig"
        kubeconfig.write_text(self.run("kubeconfig"))
        subprocess.run([ROOT / ".tools/kubectl", f"--kubeconfig={kubeconfig}", "create", "-f", "-"], input=OTHERS,
                       text=True, check=True, stdout=subprocess.DEVNULL)
        self.submit(FAILS)
        self.submit(WAITS)
        job = (ROOT / "examples/ddp-mnist/job.yaml").read_text()
        self.submit(job.replace("generateName: ddp-mnist-", "name: ddp-mnist"))


def pages():
    """What is shown where: the picture's name, the address, and what must be on the page first."""
    job = f"#/jobs/default/{PYTORCH}/ddp-mnist"
    return [
        ("overview", "#/overview", ".card, main"),
        ("jobs", "#/jobs", "text=ddp-mnist"),
        ("job", job, "text=node"),
        ("job-replicas", f"{job}/replicas", "tbody tr"),
        ("metrics", f"{job}/metrics", ".metrics canvas"),
        ("job-logs", f"{job}/logs", "text=epoch"),
        ("job-monitoring", f"{job}/monitoring", "canvas"),
        ("job-failed", f"#/jobs/default/{PYTORCH}/bert-finetune", "text=device-side assert"),
        ("job-waiting", f"#/jobs/default/{PYTORCH}/llama-pretrain", "text=llama-pretrain"),
        ("volumes", "#/volumes", "text=examples"),
        ("files", "#/volumes/default/examples/files", "text=ddp-mnist"),
        ("notebooks", "#/notebooks", "text=tutorial"),
        ("create-notebook", "#/notebooks/create", "main input"),
        ("tensorboards", "#/tensorboards", "tbody tr"),
        ("pods", "#/pods", "tbody tr"),
        ("pod", "#/pods/default/scratch", "text=scratch"),
        ("secrets", "#/secrets", "text=registry-login"),
        ("configmaps", "#/configmaps", "text=hyper-parameters"),
        ("queues", "#/queues", "tbody tr"),
        ("nodes", "#/nodes", "tbody tr"),
        ("about", "#/about", "main"),
    ]


def make_small(pictures):
    """The pictures that the documents show, small enough to be carried in the binary; which: docs/pictures/small."""
    from PIL import Image
    for small in (pictures / "small").glob("*.webp"):
        with Image.open(pictures / f"{small.stem}.png") as whole:
            whole.convert("RGB").save(small, quality=45, method=6)


def main():
    only = set(sys.argv[1:])
    pictures = ROOT / "docs/pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="trainyard-pictures-")
    yard = Yard(folder)
    try:
        yard.fill()
        time.sleep(30)  # until the job has something to show
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=browser_program(), args=FLAGS)
            for language in ["en", "zh"]:
                context = browser.new_context(locale=language, viewport={"width": 1440, "height": 900})
                page = context.new_page()
                page.goto(yard.run("open"))
                page.locator("nav.side").wait_for()
                for name, address, sign in pages():
                    if only and name not in only:
                        continue
                    page.evaluate("address => { location.hash = address; }", address)
                    try:
                        page.locator(sign).first.wait_for(timeout=10_000)
                    except Exception as missing:  # the others are taken all the same
                        print(f"pictures: {name}-{language}: {str(missing).splitlines()[0]}", file=sys.stderr)
                    page.wait_for_timeout(700)
                    page.screenshot(path=pictures / f"{name}-{language}.png")
                context.close()
            browser.close()
        make_small(pictures)
    finally:
        subprocess.run([yard.program, "down", "--all"], env=yard.env, stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
