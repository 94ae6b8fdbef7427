#!/usr/bin/env python3
"""bench/logs.py DATA_DIR: logs of a running server, with real pods. Prints what it costs to
write them, whether all arrived, and how fast the end of a large one is found. Exit code 1 when a
goal is missed."""

import json
import os
import sys
import time
from pathlib import Path

from server_api import Api

WRITERS = 8
LINES_A_SECOND = 100_000  # of all writers together
SECONDS = 10
LARGE = 1_000_000_000

# Each line by a write of its own, as programs do that flush their logs; in a hundred bursts a second.
WRITER = """
import os, sys, time
index, rate, seconds = map(int, sys.argv[1:])
bursts = 100
number = 0
began = time.monotonic()
for turn in range(seconds * bursts):
    last = rate * (turn + 1) // bursts
    for i in range(number, last):
        os.write(1, b"writer %d step %d loss 0.1234\\n" % (index, i))
    number = last
    time.sleep(max(0, began + (turn + 1) / bursts - time.monotonic()))
"""


class PodApi(Api):
    def create_pod(self, name, command):
        self.call("POST", "/api/v1/namespaces/default/pods", {
            "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", "containers": [
                {"name": "main", "image": "host", "command": command}]}})

    def wait_phase(self, name, *phases):
        while True:
            pod = json.loads(self.call("GET", f"/api/v1/namespaces/default/pods/{name}"))
            if pod["status"].get("phase") in phases:
                return pod
            time.sleep(0.02)

    def log(self, name, query=""):
        return self.call("GET", f"/api/v1/namespaces/default/pods/{name}/log{query}")

    def delete(self, name):
        self.call("DELETE", f"/api/v1/namespaces/default/pods/{name}", {"gracePeriodSeconds": 0})


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_megabytes(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024


def shim_of(data, pod):
    return int((data / "pods" / pod["metadata"]["uid"] / "containers/main/0/pid").read_text().split()[0])


def say(text, value, unit, goal=None):
    missed = goal is not None and value > goal
    print(f"{text}: {value:.2f} {unit}" + (f" (goal: {goal:g}{', MISSED' if missed else ''})" if goal is not None else ""))
    return not missed


def bench_writers(api, data):
    rate = LINES_A_SECOND // WRITERS
    names = [f"writer-{i}" for i in range(WRITERS)]
    for i, name in enumerate(names):
        api.create_pod(name, ["python3", "-c", WRITER, str(i), str(rate), str(SECONDS)])
    shims = [shim_of(data, api.wait_phase(name, "Running")) for name in names]
    began, before = time.monotonic(), sum(map(cpu_seconds, [*shims, api.pid]))
    time.sleep(SECONDS * 0.8)  # within the time that all of them write
    cores = (sum(map(cpu_seconds, [*shims, api.pid])) - before) / (time.monotonic() - began)
    lost = 0
    for i, name in enumerate(names):
        api.wait_phase(name, "Succeeded", "Failed")
        expected = b"".join(b"writer %d step %d loss 0.1234\n" % (i, n) for n in range(rate * SECONDS))
        lost += api.log(name) != expected
        api.delete(name)
    good = say(f"{WRITERS} writers, {LINES_A_SECOND} lines/s in all: shims and server", cores, "cores", 0.5)
    return say("logs that differ from what was written", lost, "", 0) and good


def bench_large(api, data):
    lines = LARGE // 100
    api.create_pod("large", ["sh", "-c", f"yes $(head -c 58 /dev/zero | tr '\\0' x) | head -n {lines}"])
    api.wait_phase("large", "Succeeded", "Failed")
    api.log("large", "?tailLines=10")
    times = []
    for _ in range(20):
        began = time.monotonic()
        assert api.log("large", "?tailLines=10").count(b"\n") == 10
        times.append((time.monotonic() - began) * 1000)
    good = say("--tail 10 of a log of 1 GB, median", sorted(times)[10], "ms", 10)
    began = time.monotonic()
    assert api.log("large", "?sinceSeconds=1000000").count(b"\n") == lines
    seconds = time.monotonic() - began
    say("the whole of it", LARGE / 1e6 / seconds, "MB/s of log file")
    api.delete("large")
    return good


def bench_long_line(api, data):
    api.create_pod("line", ["sh", "-c", f"head -c {LARGE} /dev/zero | tr '\\0' x; echo; sleep 2"])
    shim = shim_of(data, api.wait_phase("line", "Running"))
    peak = 0
    while Path(f"/proc/{shim}").exists():
        try:
            peak = max(peak, peak_megabytes(shim) or 0)
        except FileNotFoundError:
            break
        time.sleep(0.1)
    api.wait_phase("line", "Succeeded", "Failed")
    before = peak_megabytes(api.pid)
    api.connection.request("GET", "/api/v1/namespaces/default/pods/line/log", headers=api.headers)
    answer = api.connection.getresponse()
    size = 0
    while piece := answer.read(1 << 20):
        size += len(piece)
    good = say("bytes of a line of 1 GB that differ", abs(size - LARGE - 1), "", 0)
    good = say("memory of its shim, peak", peak, "MB", 8) and good
    good = say("memory of the server, grown by reading it", peak_megabytes(api.pid) - before, "MB", 16) and good
    api.delete("line")
    return good


def main():
    data = Path(sys.argv[1])
    api = PodApi(data)
    results = [bench(api, data) for bench in [bench_writers, bench_large, bench_long_line]]
    sys.exit(0 if all(results) else 1)


main()
