#!/usr/bin/env python3
"""bench/arena.py DATA_DIR: Arena's commands at a running server (`up --fake-runtime`), from the shell's point of view:
how long `arena submit` takes until it is back, and `arena list` with 1,000 jobs. Exit code 1 when a goal is missed."""

import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server_api import Api

ARENA = Path(__file__).resolve().parents[1] / "build/release/arena"
JOBS = int(os.environ.get("JOBS", "1000"))
SUBMITS = 20
ROUNDS = 15
WRITERS = 8
PATH = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs"
SUBMIT = ["submit", "pytorch", "--image=pytorch", "--gpus=0", "--workers=1", "--working-dir=/root",
          "--sync-mode=git", "--sync-source=https://example.com/ai/mnist-pytorch.git",
          "--data=training-data:/training_data", "--tensorboard", "--logdir=/training_data/logs",
          "python /root/code/mnist-pytorch/mnist.py --epochs 10 --backend gloo --dir /training_data/logs"]


def timed(*words):
    """Milliseconds from the start of the process to its end, and what it printed."""
    began = time.monotonic()
    done = subprocess.run([ARENA, *words], capture_output=True, text=True, check=False)
    took = (time.monotonic() - began) * 1000
    if done.returncode != 0:
        raise SystemExit(f"arena {' '.join(words)}: {done.stderr}")
    return took, done.stdout


def report(what, times, goal):
    middle = statistics.median(times)
    print(f"{what}: median {middle:.0f} ms, best {min(times):.0f}, worst {max(times):.0f} (goal: below {goal})")
    return middle < goal


def copies(api, name):
    """Until there are JOBS of them: what submit made, under other names."""
    made = json.loads(api.call("GET", f"{PATH}/{name}"))

    def write(first):
        own = Api(Path(sys.argv[1]))
        for number in range(first, JOBS - SUBMITS, WRITERS):
            copy = json.loads(json.dumps({"metadata": {key: made["metadata"][key] for key in ("labels", "annotations")},
                                          "spec": made["spec"]}).replace(name, f"copy-{number:04}"))
            copy["metadata"]["name"] = f"copy-{number:04}"
            own.call("POST", PATH, copy)

    with ThreadPoolExecutor(WRITERS) as writers:
        list(writers.map(write, range(WRITERS)))


def wait_until_all_run():
    for _ in range(600):
        _, listed = timed("list")
        if listed.count(" RUNNING ") == JOBS:
            return
        time.sleep(0.2)
    raise SystemExit(f"not all {JOBS} jobs run:\n{listed[:1000]}")


def main():
    os.environ["TRAINYARD_DATA_DIR"] = sys.argv[1]
    api = Api(Path(sys.argv[1]))
    names = [f"bench-submit-{number:02}" for number in range(SUBMITS)]
    submits = [timed(SUBMIT[0], SUBMIT[1], f"--name={name}", *SUBMIT[2:])[0] for name in names]
    well = report("arena submit until it is back", submits, 60)
    copies(api, names[0])
    wait_until_all_run()
    lists = [timed("list")[0] for _ in range(ROUNDS)]
    well = report(f"arena list of {JOBS} running jobs", lists, 100) and well
    wide = [timed("list", "-o", "wide")[0] for _ in range(5)]
    print(f"arena list -o wide: median {statistics.median(wide):.0f} ms")
    print(f"arena version, for the start of a process alone: {min(timed('version')[0] for _ in range(5)):.0f} ms")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
