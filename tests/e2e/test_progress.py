"""How far jobs have come, as event files of the real torch.utils.tensorboard and logs say together: in `trainyard get`,
`trainyard list -o wide`, and the console's list and details in Chromium."""

import re

import pytest
from jobs import job, replicas, with_volume
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)

# Its log says nothing, unless it is told to count epochs there.
TRAIN = """
import argparse, time
from torch.utils.tensorboard import SummaryWriter
options = argparse.ArgumentParser()
options.add_argument("--log_dir")
options.add_argument("--epochs", type=int, default=0)
options = options.parse_args()
with SummaryWriter(options.log_dir, flush_secs=1) as writer:
    for step in range(100000):
        if options.epochs and step % 20 == 0:
            print(f"epoch {1 + step // 20}/{options.epochs}", flush=True)
        writer.add_scalar("speed", 7, step)
        writer.add_scalar("train/loss", 0.25, step)
        writer.flush()
        time.sleep(0.1)
"""
KIND = "pytorchtrainingjobs.batch.tensorstack.dev"
SILENT = r"step \d+, [\d.]+ steps/s, train/loss 0.25, speed 7"
COUNTING = r"epoch \d+/1000, step \d+ \(\d+ %\), [\d.]+ epochs/(s|min), \w+ left, train/loss 0.25, speed 7"


def trainer(name, *more):
    run = f"exec python3 /volume/train.py --log_dir /volume/{name} {' '.join(more)}"
    return with_volume(job(name, replicas(run, restart="Never")), "progress")


@pytest.fixture(scope="module")
def training(shared_server):
    """`silent` says all in event files, `counting` tells its epochs in the log too; both train on."""
    server = shared_server
    folder = server.folder / "progress"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "train.py").write_text(TRAIN)
    made = server.cli("data", "create", "progress", "--path", folder)
    assert made.code == 0, repr(made)
    server.create(trainer("silent"))
    server.create(trainer("counting", "--epochs=1000"))
    server.wait_phase("silent", "Running")
    server.wait_phase("counting", "Running")
    return server


def wide(server):
    listed = server.cli("list", "-o", "wide")
    assert listed.code == 0, repr(listed)
    return listed.out


def test_lists_and_get_say_the_same(training):
    expect_soon("the silent job's progress", lambda: re.search(rf"^silent .* {SILENT}", wide(training), re.M),
                lambda: wide(training), timeout=60)
    expect_soon("epochs of the log, steps of the event files",
                lambda: re.search(rf"^counting .* {COUNTING}", wide(training), re.M), lambda: wide(training), timeout=60)
    for name, words in [("silent", SILENT), ("counting", COUNTING)]:
        told = training.cli("get", name).out
        assert re.search(rf"^Progress: +{words}$", told, re.M), told
    assert training.cli("logs", "silent").out == "", "its log has nothing to say"


def test_the_step_is_that_of_the_event_files(training):
    def rate():
        found = re.search(r"step (\d+), ([\d.]+) steps/s", training.cli("get", "silent").out)
        return found and float(found[2])
    # It waits a tenth of a second after each step, and needs some time for the step itself.
    expect_soon("a rate of nearly ten", lambda: 2 < (rate() or 0) < 10, rate, timeout=30)


def test_values_are_for_who_may_get_the_job_and_its_volume(training):
    training.kubectl("create", "serviceaccount", "reader")
    token = training.kubectl("create", "token", "reader").strip()
    path = "/api/v1/namespaces/default/pods?progress=true"

    def told():
        status, answer = training.api(path, token)
        return status, sorted(item["progress"]["words"] for item in answer.get("items", []))
    assert told()[0] == 403
    training.kubectl("create", "role", "reader", "--verb=get,list", "--resource=pods,pods/log", f"--resource={KIND}")
    training.kubectl("create", "rolebinding", "reader", "--role=reader", "--serviceaccount=default:reader")
    status, words = told()
    assert status == 200 and len(words) == 1 and re.match(r"epoch \d+/1000 ", words[0]), words
    assert "loss" not in words[0] and "step" not in words[0]
    training.kubectl("create", "rolebinding", "reader-looks", "--clusterrole=view", "--serviceaccount=default:reader")
    status, words = told()
    assert [bool(re.fullmatch(pattern, word)) for pattern, word in zip([COUNTING, SILENT], words)] == [True, True], words


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_console_shows_it_in_its_list_and_in_details(training, chromium, language):  # noqa: F811
    visitor = Visitor(chromium, training, language)
    try:
        page = visitor.page
        asked = []
        page.on("request", lambda request: "progress=true" in request.url and asked.append(request.url))
        base = page.url.split("#")[0]
        page.goto(f"{base}#/jobs")
        for name, note in [("silent", r"step \d+ · [\d.]+ steps/s · train/loss 0.25"),
                           ("counting", r"\d+ % · .+ · epoch \d+/1000, step \d+ · train/loss 0.25")]:
            row = page.get_by_role("row", name=re.compile(name)).first
            expect_soon(name, lambda: re.search(note, row.inner_text()), row.inner_text, timeout=30)
        uid = training.get("pytorchtrainingjob", "silent")["metadata"]["uid"]
        assert asked and any(f"job={uid}" in url for url in asked), asked
        assert all("job=" in url for url in asked), "only jobs in sight are asked for"
        page.goto(f"{base}#/jobs/default/{KIND}/silent/facts")
        facts = page.locator("dl.facts")
        expect_soon("details", lambda: re.search(r"step \d+ · [\d.]+ steps/s · train/loss 0.25, speed 7", facts.inner_text()),
                    facts.inner_text, timeout=30)
        visitor.check_accessibility()
        assert not visitor.complaints
    finally:
        visitor.close()
