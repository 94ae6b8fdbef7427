"""The benches measure beside whatever else the machine does."""

import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import torchrun as bench  # noqa: E402  (bench/torchrun.py)


def test_processes_that_end_while_they_are_looked_at_do_no_harm(tmp_path):
    ended = threading.Event()

    def come_and_go():
        while not ended.is_set():
            for child in [subprocess.Popen(["/bin/true"]) for _ in range(20)]:
                child.wait()

    crowd = [threading.Thread(target=come_and_go) for _ in range(2)]
    for thread in crowd:
        thread.start()
    try:
        for _ in range(300):
            assert not bench.is_running(tmp_path)
    finally:
        ended.set()
        for thread in crowd:
            thread.join()
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", str(tmp_path)]) as run:
        try:
            bench.wait_for(lambda: bench.is_running(tmp_path), "its command line")
        finally:
            run.kill()
