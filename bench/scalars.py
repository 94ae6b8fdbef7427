#!/usr/bin/env python3
"""bench/scalars.py [MEGABYTES]: how fast the curves of event files are read, beside TensorBoard's
own two readers, over the same files. Needs build/release/bench/events, and TensorBoard in .venv.
Exit code 1 when a goal is missed.

The files are written first, and so are in the machine's memory for all. TensorBoard's Python loader
would take many minutes for all of them: it reads one run, and bytes a second are compared."""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
PYTHON = ROOT / ".venv/bin/python"
RUNS = 16
PYTHON_BYTES = 8_000_000

# As TensorBoard does it without its data server, with the samples that it keeps by default.
LOAD = """
import sys, time
from tensorboard.backend.event_processing import plugin_event_multiplexer
began = time.monotonic()
loader = plugin_event_multiplexer.EventMultiplexer(tensor_size_guidance={"scalars": 1000})
loader.AddRunsFromDirectory(sys.argv[1])
loader.Reload()
print(time.monotonic() - began)
"""


def say(text, value, unit, goal=None, least=False):
    missed = goal is not None and (value < goal if least else value > goal)
    word = "at least" if least else "below"
    told = f" (goal: {word} {goal:g}{', MISSED' if missed else ''})" if goal is not None else ""
    print(f"{text}: {value:.2f} {unit}{told}", flush=True)
    return not missed


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def ours(*args):
    """Seconds, megabytes at most, output. The output must not become large in here: a child's memory
    is counted from before it is another program."""
    with tempfile.TemporaryFile() as out:
        began = time.monotonic()
        child = subprocess.Popen([BUILD / "trainyard", "scalars", *map(str, args)], stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"trainyard scalars: exit code {child.returncode}")
        size = out.tell()
        out.seek(0)
        return seconds, usage.ru_maxrss / 1024, out.read().decode() if size < 50_000_000 else ""


def best(*args):
    return min((ours(*args) for _ in range(3)), key=lambda result: result[0])


def python_loader(folder):
    return float(subprocess.check_output([PYTHON, "-c", LOAD, folder]))


def data_server(folder):
    find = "import tensorboard_data_server; print(tensorboard_data_server.server_binary())"
    program = subprocess.check_output([PYTHON, "-c", find], text=True).strip()
    server = subprocess.Popen([program, "--logdir", folder, "--reload", "once", "--port", "0", "-v"],
                              stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            found = re.search(r"Finished load cycle \(([\d.]+)(m?s)\)", line)
            if found:
                return float(found[1]) / (1000 if found[2] == "ms" else 1)
        sys.exit("tensorboard-data-server ended before it had read the files")
    finally:
        server.kill()
        server.wait()


def write(folder, runs, size):
    subprocess.check_call([BUILD / "bench/events", folder, str(runs), str(size)])


def main():
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        large, small, many = (Path(scratch) / name for name in ["large", "small", "many"])
        write(large, RUNS, megabytes * 1_000_000 // RUNS)
        write(small, 1, min(PYTHON_BYTES, megabytes * 1_000_000))
        total = size_of(large)
        seconds, memory, table = best("--logdir", large)
        points = sum(int(line.split()[2]) for line in table.splitlines()[1:])
        print(f"{total / 1e6:.0f} MB in {RUNS} runs, {points} points")
        say("  trainyard scalars", seconds, "s")
        good = say("  its memory", memory, "MB", 300)
        rival = data_server(large)
        good = say("  tensorboard-data-server", rival, "s") and good
        good = say("  times as fast", rival / seconds, "", 1, least=True) and good
        slow = python_loader(small) / size_of(small) * total
        say(f"  TensorBoard's Python loader, by a run of {size_of(small) / 1e6:.0f} MB", slow, "s")
        good = say("  times as fast", slow / seconds, "", 50, least=True) and good
        say("  trainyard scalars --csv, all points as text", ours("--logdir", large, "--csv")[0], "s")
        write(many, 1000, megabytes * 1000)
        seconds, memory, drawn = best("--logdir", many, "--plot")
        print(f"1,000 runs of {size_of(many) / 1e9:.2f} MB, {drawn.count('└')} plots")
        good = say("  trainyard scalars --plot", seconds, "s", 3) and good
        good = say("  its memory", memory, "MB", 300) and good
    sys.exit(0 if good else 1)


main()
