"""Ranks that hang, and one that is slow, in real torch jobs: the job's condition names the rank and where it is. All
run at the same time on a server that is told to be impatient; a healthy job beside them is never suspected."""

import os
import re
import shutil
import signal
import time

import pytest
from harness import ROOT, VENV, wait_for
from jobs import conditions, job, replicas, with_volume
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)
from processes import pids_running
from servers import run_server

pytestmark = pytest.mark.usefixtures("torch")

# How long the healthy job is watched: a minute, or as long as `make soak` says, which runs it alone.
MINUTES = float(os.environ.get("TRAINYARD_SOAK_MINUTES", "1"))
VICTIM = 1
# What each kind of trouble must be told as, beside the rank.
TROUBLES = {
    "stopped": ("RankIsStopped", r"is stopped \(SIGSTOP\)"),
    "deadlock": ("RankIsBehind", r"train\.py:\d+ in deadlock"),
    "loader": ("RankIsBehind", r"poll.*torch/utils/data/dataloader\.py:|train\.py"),
    "pipe": ("RankIsBehind", r"blocked writing to a pipe, which is full.*train\.py:\d+ in full_pipe"),
    "loop": ("RankIsBehind", r"train\.py:\d+ in endless_loop"),
    "rendezvous": ("RankIsMissing", r"sleeps, at train\.py:\d+ in <module>"),
    "read": ("RankIsBehind", r"blocked .*FIFO.*train\.py:\d+ in blocked_read"),
    "slow": ("RankIsSlow", r"slower than the others: most of the time"),
    "uneven": ("RankIsSlow", r"slower than the others: by their logs"),
}
CONDITION = {"slow": "Straggling", "uneven": "Straggling"}


def training(kind, count=2):
    script = f"exec {VENV}/bin/python /volume/train.py {kind} {VICTIM}"
    return with_volume(job(kind, replicas(script, count=count, restart="Never",
                                          env=[{"name": "OMP_NUM_THREADS", "value": "1"}])), "hangs")


@pytest.fixture(scope="module")
def server(tools):
    servers = run_server(start=False)
    server = next(servers)
    try:
        server.up("--stall-after", "4s", "--overcommit-memory")
        folder = server.folder / "hangs"
        shutil.copytree(ROOT / "tests/e2e/data/hangs", folder)
        os.mkfifo(folder / "fifo")
        assert server.cli("data", "create", "hangs", "--path", folder).code == 0
        server.began = time.monotonic()
        for kind in ["healthy", *(TROUBLES if MINUTES <= 1 else [])]:
            server.create(training(kind))
        yield server
    finally:
        servers.close()


def told(server, kind):
    """The job's condition that tells of its trouble, when it is true."""
    status, reason, message = conditions(server.get("pytorchtrainingjob", kind)).get(
        CONDITION.get(kind, "Stalled"), ("", "", ""))
    return (reason, message) if status == "True" else None


def process_of(kind, rank):
    """The process of a rank; its RANK is in its environment."""
    for pid in pids_running(f"train.py {kind} {VICTIM}"):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment:
                if f"RANK={rank}".encode() in environment.read().split(b"\0"):
                    return pid
        except OSError:
            continue
    return None


def wait_told(server, kind, timeout=150):
    reason, message = wait_for(f"{kind} to be told of", lambda: told(server, kind), timeout)
    return reason, message


def begun(server, kind):
    return "begins" in server.cli("logs", kind).out


def test_a_stopped_rank_is_named_until_it_goes_on(server):
    wait_for("the job to train", lambda: server.cli("logs", "stopped").out.count("begins") == 2, 120)
    pid = process_of("stopped", VICTIM)
    os.kill(pid, signal.SIGSTOP)
    try:
        reason, message = wait_told(server, "stopped")
        assert reason == "RankIsStopped" and re.match(rf"rank {VICTIM} \(stopped-\w+-worker-1\) is stopped", message)
        assert message in " ".join(server.cli("get", "stopped").out.split())
        stacks = server.cli("stacks", "stopped")
        assert stacks.code == 0 and f"rank {VICTIM}" in stacks.out and "is stopped (SIGSTOP)" in stacks.out, repr(stacks)
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_for("the condition to go", lambda: not told(server, "stopped"), 30)
    assert "MovesAgain" in server.kubectl("get", "events")
    assert server.get("pytorchtrainingjob", "stopped")["status"]["phase"] == "Running"


@pytest.mark.parametrize("kind", [kind for kind in TROUBLES if kind != "stopped"])
def test_the_rank_is_named(server, kind):
    reason, message = wait_told(server, kind)
    expected, words = TROUBLES[kind]
    assert message.startswith(f"rank {VICTIM} ("), message
    assert reason == expected and re.search(words, message), (reason, message)
    assert server.get("pytorchtrainingjob", kind)["status"]["phase"] == "Running", "nothing is ever ended for it"
    events = server.kubectl("get", "events", "--field-selector", f"involvedObject.name={kind}")
    assert message[:40] in events, events
    if kind == "loop":  # it has been told, and would keep a core from all other tests
        server.kubectl("delete", "pytorchtrainingjob", kind)


def test_stacks_are_shown_together_where_they_are_alike(server):
    wait_told(server, "deadlock")
    shown = server.cli("stacks", "deadlock")
    assert shown.code == 0, repr(shown)
    assert re.search(r"^rank 1 \(deadlock-\w+-worker-1\): waits for another thread", shown.out, re.M), repr(shown)
    assert re.search(r"^    /volume/train\.py:\d+ in deadlock$", shown.out, re.M), repr(shown)
    assert re.search(r"^    .*/torch/.*\.py:\d+ in backward$", shown.out, re.M), repr(shown)
    pods = server.cli("stacks", "deadlock", "-o", "json").json()["pods"]
    assert {p["processes"][0]["rank"] for p in pods} == {0, 1}
    frames = next(t for t in pods[1]["processes"][0]["threads"] if t["main"])["frames"]
    assert frames[0]["function"] == "deadlock" and frames[0]["file"] == "/volume/train.py"
    # Who was asked is no less stuck for it.
    assert told(server, "deadlock")


def test_a_file_that_answers_at_last_ends_the_trouble(server):
    wait_told(server, "read")
    with open(server.folder / "hangs/fifo", "wb") as fifo:
        fifo.write(b"x")
    wait_for("the condition to go", lambda: not told(server, "read"), 30)


def test_a_healthy_job_with_bursts_is_never_suspected(server):
    wait_for("time to pass", lambda: time.monotonic() - server.began > 60 * MINUTES, 60 * MINUTES + 30)
    wait_for("all its bursts", lambda: "step 120" in server.cli("logs", "healthy").out, 120)
    events = server.kubectl("get", "events", "--field-selector", "involvedObject.name=healthy")
    assert "Stalled" not in events and "Straggling" not in events, events
    seen = conditions(server.get("pytorchtrainingjob", "healthy"))
    assert "Stalled" not in seen and seen["Running"][0] == "True", seen


def test_the_console_shows_stacks_and_progress(server, chromium):  # noqa: F811
    wait_told(server, "deadlock")
    wait_for("progress", lambda: re.search(r"^healthy .* step \d+, .*steps/s", server.cli("list", "-o", "wide").out, re.M), 60)
    assert re.search(r"^Progress: +step \d+", server.cli("get", "healthy").out, re.M)
    visitor = Visitor(chromium, server, "en")
    try:
        page = visitor.page
        base = page.url.split("#")[0]
        page.goto(f"{base}#/jobs")
        row = page.get_by_role("row", name=re.compile("healthy"))
        expect_soon("the job's progress", lambda: re.search(r"step \d+", row.first.inner_text()), row.first.inner_text)
        page.goto(f"{base}#/jobs/default/pytorchtrainingjobs.batch.tensorstack.dev/deadlock/facts")
        page.get_by_text("rank 1 (deadlock-").first.wait_for()
        page.get_by_role("button", name="Stacks").click()
        stack = page.get_by_role("region", name=re.compile(r"^rank 1 \(deadlock"))
        stack.wait_for()
        assert "train.py" in stack.inner_text() and "in deadlock" in stack.inner_text()
        visitor.check_accessibility()
        assert not visitor.complaints
    finally:
        visitor.close()
