#!/usr/bin/env python3
"""bench/usage.py DATA_DIR: what it costs a running server to record the usage of 200 containers every two seconds: the CPU
time of the server, which does nothing else meanwhile. Exit code 1 when the goal is missed."""

import json
import os
import sys
import time
from pathlib import Path

from server_api import Api, wait_for

CONTAINERS = 200
SECONDS = 40
GOAL = 4.0  # percent of a core
PODS = "/api/v1/namespaces/default/pods"
USAGE = "/apis/usage.trainyard.dev/v1/namespaces/default/podusages"


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share(pid):
    """Percent of a core."""
    used, began = cpu_seconds(pid), time.monotonic()
    time.sleep(SECONDS)
    return 100 * (cpu_seconds(pid) - used) / (time.monotonic() - began)


def main():
    api = Api(Path(sys.argv[1]))
    before = share(api.pid)
    for number in range(CONTAINERS):
        api.call("POST", PODS, {
            "metadata": {"name": f"usage-{number}", "labels": {"bench": "usage"}},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "containers": [
                {"name": "main", "image": "host", "command": ["sleep", "100000"],
                 "resources": {"requests": {"cpu": "1m", "memory": "1Mi"}}}]}})

    def running():
        items = json.loads(api.call("GET", f"{PODS}?labelSelector=bench=usage"))["items"]
        return sum(pod["status"].get("phase") == "Running" for pod in items) == CONTAINERS

    wait_for(running, f"{CONTAINERS} pods to run")
    time.sleep(10)
    after = share(api.pid)
    for number in range(CONTAINERS):
        api.call("DELETE", f"{PODS}/usage-{number}", {"gracePeriodSeconds": 0})
    wait_for(lambda: not json.loads(api.call("GET", f"{PODS}?labelSelector=bench=usage"))["items"], "their end")
    missed = "" if after - before < GOAL else ", MISSED"
    print(f"recording {CONTAINERS} containers every 2 s: {after - before:.2f} % of a core (goal: below {GOAL:g}{missed}); "
          f"the server with nothing to record: {before:.2f} %")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
