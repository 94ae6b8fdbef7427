#!/usr/bin/env python3
"""bench/console.py DATA_DIR: the web console in Chromium, on a server that runs with --fake-runtime: what its first page
weighs, when it is seen, and what 10,000 jobs cost the browser while 50 of them change each second. Says what misses its goal."""

import argparse
import gzip
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import threading
import time

from playwright.sync_api import sync_playwright
from server_api import Api

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIST = ROOT / "console/dist"
JOBS = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]

# Notes when the first row of a table is on the screen: the frame after it was put there.
FIRST_ROW = """
new MutationObserver((_, observer) => {
  if (!document.querySelector('main tbody tr th')) return;
  observer.disconnect();
  requestAnimationFrame(() => { setTimeout(() => { window.firstRow = performance.now(); }); });
}).observe(document, { childList: true, subtree: true });
"""
FRAMES = """
seconds => new Promise(done => {
  const frames = [];
  let last = performance.now();
  const end = last + seconds * 1000;
  const frame = now => {
    frames.push(now - last);
    last = now;
    if (now < end) requestAnimationFrame(frame); else done(frames.slice(1));
  };
  requestAnimationFrame(frame);
})
"""

missed = []


def tell(what, value, unit, goal):
    """One line; below the goal or missed."""
    good = value < goal
    print(f"{what}: {value:,.1f} {unit} (goal: below {goal:,}){'' if good else '  MISSED'}", flush=True)
    if not good:
        missed.append(what)


def held_job(name, number):
    """Held, so that it costs no pods: the list shows it like any other."""
    limits = {"cpu": "2", "memory": "4Gi"}
    container = {"name": "pytorch", "image": "pytorch:latest", "command": ["python", "train.py", f"--seed={number}"],
                 "resources": {"requests": limits, "limits": limits}}
    group = {"type": "worker", "replicas": 2, "restartPolicy": "OnFailure", "template": {"spec": {"containers": [container]}}}
    return {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob",
            "metadata": {"name": name, "labels": {"team": f"team-{number % 7}", "step": "0"}},
            "spec": {"runMode": {"pause": {"enabled": True}}, "replicaSpecs": [group]}}


def fill(data, first, last, connections=4):
    def some(offset):
        api = Api(data)
        for number in range(first + offset, last, connections):
            api.call("POST", JOBS, held_job(f"job-{number:05}", number))

    threads = [threading.Thread(target=some, args=(offset,)) for offset in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Updates:
    """Changes random jobs, so many a second, until it is left; every fifth is on the first page."""

    def __init__(self, data, jobs, rate):
        self.api = Api(data)
        self.api.headers = {**self.api.headers, "Content-Type": "application/merge-patch+json"}
        self.jobs, self.rate, self.made = jobs, rate, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        began = time.monotonic()
        while not self.ended.is_set():
            newest = self.made % 5 == 0
            number = self.jobs - 1 - random.randrange(10) if newest else random.randrange(self.jobs)
            change = {"metadata": {"labels": {"step": str(self.made)}}}
            self.api.call("PATCH", f"{JOBS}/job-{number:05}", change)
            self.made += 1
            time.sleep(max(0, began + self.made / self.rate - time.monotonic()))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


class Console:
    def __init__(self, browser, trainyard, data):
        self.browser = browser
        self.context = browser.new_context(locale="en", viewport={"width": 1440, "height": 900})
        said = subprocess.run([trainyard, "open", "--data-dir", data], check=True, capture_output=True, text=True)
        page = self.context.new_page()
        page.goto(said.stdout.strip())
        page.wait_for_selector("nav.side")
        self.url = page.url.split("#")[0]
        # It stays open: new tabs are logged in by one that is.
        page.goto(f"{self.url}#/about")

    def open(self):
        """The job list in a browser that knows nothing yet."""
        page = self.context.new_page()
        self.context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
        page.add_init_script(FIRST_ROW)
        page.goto(f"{self.url}#/jobs")
        page.wait_for_selector("main tbody tr th", timeout=60_000)
        # Not wait_for_function: the page's policy forbids what it does.
        while not page.evaluate("window.firstRow"):
            page.wait_for_timeout(20)
        return page

    def renderer_seconds(self):
        session = self.browser.new_browser_cdp_session()
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
        session.detach()
        return sum(process["cpuTime"] for process in processes if process["type"] == "renderer")


def weigh(page):
    loaded = page.evaluate("performance.getEntries().filter(e => e.encodedBodySize).map(e => [e.name, e.encodedBodySize])")
    tell("first page, gzip", sum(size for _, size in loaded) / 1000, "kB", 40)
    files = [file for file in DIST.rglob("*") if file.is_file()]
    tell("whole console, gzip", sum(len(gzip.compress(file.read_bytes(), 9)) for file in files) / 1000, "kB", 400)


def time_first_page(console, rounds):
    paints, rows = [], []
    for _ in range(rounds):
        page = console.open()
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        rows.append(page.evaluate("window.firstRow"))
        page.close()
    return statistics.median(paints), statistics.median(rows)


def measure_updates(console, data, jobs, rate, seconds):
    page = console.open()
    page.wait_for_timeout(3000)
    with Updates(data, jobs, rate) as updates:
        page.wait_for_timeout(2000)
        made, cpu, began = updates.made, console.renderer_seconds(), time.monotonic()
        page.wait_for_timeout(seconds * 1000)
        passed = time.monotonic() - began
        cpu = console.renderer_seconds() - cpu
        print(f"{(updates.made - made) / passed:.0f} updates a second of {jobs:,} jobs", flush=True)
        tell("browser's CPU, of one core", 100 * cpu / passed, "%", 30)
        frames = page.evaluate(FRAMES, seconds)
    ordered = sorted(frames)
    print(f"frames: {len(frames) / seconds:.0f} a second, 99 of 100 below {ordered[int(len(ordered) * 0.99)]:.0f} ms", flush=True)
    tell("longest frame", ordered[-1], "ms", 100)
    shown = page.locator("main tbody tr th").count()
    assert shown > 0, "the list is empty"
    heap = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
    print(f"JavaScript heap: {heap:.0f} MB", flush=True)
    page.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--rate", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--few", type=int, default=100, help="jobs that are there when the first page is timed")
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, ["chromium", "google-chrome", "chromium-headless-shell"])), None)
    if not program:
        sys.exit("there is no chromium on this machine: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        have = len(json.loads(Api(options.data).call("GET", JOBS))["items"])
        fill(options.data, have, max(have, options.few))
        console = Console(browser, ROOT / "build/release/trainyard", options.data)
        page = console.open()
        weigh(page)
        page.close()
        paint, row = time_first_page(console, options.rounds)
        tell(f"first paint, median of {options.rounds}", paint, "ms", 300)
        tell(f"{max(have, options.few):,} jobs on the screen, median", row, "ms", 600)
        fill(options.data, max(have, options.few), options.jobs)
        _, row = time_first_page(console, 3)
        print(f"{options.jobs:,} jobs on the screen, median of 3: {row:.0f} ms", flush=True)
        measure_updates(console, options.data, options.jobs, options.rate, options.seconds)
        browser.close()
    if missed:
        sys.exit("missed: " + ", ".join(missed))


if __name__ == "__main__":
    main()
