"""Training curves: event files that the real torch.utils.tensorboard writes in real jobs, read by the server and drawn in
Chromium, beside what the ranks used and said at the same time."""

import math
import os
import re

import pytest
from jobs import job, replicas, shell_job, with_volume
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)

# Writes a run for each rank. Each step is told in the log too, and takes a while, so that steps have times of their own.
TRAIN = """
import argparse, os, pathlib, time
from torch.utils.tensorboard import SummaryWriter
options = argparse.ArgumentParser()
options.add_argument("--log_dir")
options.add_argument("--steps", type=int, default=60)
options.add_argument("--scale", type=float, default=1)
options = options.parse_args()
rank, ranks = os.environ.get("RANK", "0"), int(os.environ.get("WORLD_SIZE", "1"))
ready = pathlib.Path(options.log_dir, "ready")
ready.mkdir(parents=True, exist_ok=True)
(ready / rank).touch()
while len(list(ready.iterdir())) < ranks:
    time.sleep(0.05)
with SummaryWriter(f"{options.log_dir}/rank-{rank}", flush_secs=1) as writer:
    for step in range(options.steps):
        writer.add_scalar("train/loss", options.scale / (1 + step), step)
        writer.add_scalar("train/accuracy", 1 - 1 / (1 + step), step)
        writer.add_scalar("lr", 0.1 if step < 40 else float("nan"), step)
        print(f"rank {rank} is at step {step}", flush=True)
        if step % 5 == 0:
            writer.flush()
        time.sleep(0.05 if options.steps < 1000 else 0.4)
"""
API = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs"
KIND = "pytorchtrainingjobs.batch.tensorstack.dev"
MEMORY = {"resources": {"requests": {"memory": "64Mi"}}}


def trainer(name, folder, *more, count=1):
    run = f"exec python3 /volume/train.py --log_dir /volume/{folder} {' '.join(more)}"
    return with_volume(job(name, replicas(run, count=count, restart="Never", **MEMORY)), "curves")


@pytest.fixture(scope="module")
def trained(shared_server):
    """`first` has trained with two ranks and says where its curves are; `second` says it by a flag; `going` trains on."""
    server = shared_server
    folder = server.folder / "curves"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "train.py").write_text(TRAIN)
    made = server.cli("data", "create", "curves", "--path", folder)
    assert made.code == 0, repr(made)
    first = trainer("first", "first", count=2)
    first["metadata"]["annotations"] = {"trainyard.dev/logdir": "curves/first"}
    server.create(first)
    server.create(trainer("second", "second", "--scale=5"))
    server.create(shell_job("bare", "true", restart="Never"))
    server.wait_phase("first", "Succeeded", timeout=90)
    server.wait_phase("second", "Succeeded", timeout=90)
    server.create(trainer("going", "going", "--steps=100000"))
    server.wait_phase("going", "Running")
    return server


@pytest.fixture
def visitor(chromium, trained):  # noqa: F811
    made = Visitor(chromium, trained, "en")
    yield made
    made.close()


def curves_of(server, name, query="", token=None):
    return server.api(f"{API}/{name}/curves{query}", token or server.token())


def told(server, name, query=""):
    status, answer = curves_of(server, name, query)
    assert status == 200, answer
    return answer


def open_metrics(visitor, name, query="", ready=True):
    base = visitor.page.url.split("#")[0]
    visitor.page.goto(f"{base}#/jobs/default/{KIND}/{name}/metrics{query}")
    if ready:
        chart(visitor.page, "train/loss").locator("canvas").wait_for(timeout=20_000)


def chart(page, tag):
    return page.get_by_role("figure", name=tag, exact=True)


def values(figure):
    return figure.locator(".values li").all_inner_texts()


# ---- the API


def test_api_tells_runs_tags_and_every_point(trained):
    there = told(trained, "first")
    assert there["folders"] == [{"volume": "curves", "path": "first"}] and there["warnings"] == []
    assert [run["name"] for run in there["runs"]] == ["rank-0", "rank-1"]
    facts = {curve["tag"]: curve for curve in there["runs"][0]["curves"]}
    assert sorted(facts) == ["lr", "train/accuracy", "train/loss"]
    assert facts["train/loss"]["points"] == 60 and facts["train/loss"]["last"]["step"] == 59
    assert facts["train/loss"]["greatest"] == 1
    assert facts["lr"]["last"]["value"] == "NaN"
    (curve,) = told(trained, "first", "?tag=train/loss&run=rank-1")["curves"]
    assert curve["steps"] == list(range(60))
    assert all(math.isclose(value, 1 / (1 + step), rel_tol=1e-6) for step, value in enumerate(curve["values"]))
    assert curve["times"] == sorted(curve["times"])


def test_api_thins_and_tells_what_has_come_since(trained):
    (few,) = told(trained, "second", "?tag=train/loss&points=10")["curves"]
    assert len(few["steps"]) <= 10 and few["points"] == 60
    assert few["values"][0] == 5 and few["steps"][-1] == 59, "both ends and the greatest stay"
    (since,) = told(trained, "second", "?tag=train/loss&since=56")["curves"]
    assert since["steps"] == [57, 58, 59]
    before = told(trained, "going")["runs"]

    def grown():
        runs = told(trained, "going")["runs"]
        return runs and runs[0]["curves"][0]["points"] > (before and before[0]["curves"][0]["points"] or 0)
    expect_soon("more points", grown, lambda: told(trained, "going"), timeout=30)


def test_api_is_for_who_may_get_the_job_and_its_volume(trained):
    trained.kubectl("create", "serviceaccount", "stranger")
    token = trained.kubectl("create", "token", "stranger").strip()
    assert curves_of(trained, "first", token=token)[0] == 403
    trained.kubectl("create", "role", "jobs-only", "--verb=get", f"--resource={KIND}")
    trained.kubectl("create", "rolebinding", "jobs-only", "--role=jobs-only", "--serviceaccount=default:stranger")
    status, answer = curves_of(trained, "first", token=token)
    assert status == 403 and "persistentvolumeclaims" in answer["message"], answer
    trained.kubectl("create", "rolebinding", "stranger-looks", "--clusterrole=view", "--serviceaccount=default:stranger")
    assert curves_of(trained, "first", token=token)[0] == 200
    assert curves_of(trained, "nobody", token=token)[0] == 404


def test_bad_files_are_counted_and_no_link_leads_out(trained):
    folder = trained.folder / "curves/bad"
    (folder / "run").mkdir(parents=True)
    source = next((trained.folder / "curves/second/rank-0").iterdir()).read_bytes()
    damaged = bytearray(source)
    damaged[200] ^= 255
    (folder / "run/events.out.tfevents.1").write_bytes(damaged)
    os.symlink("/etc", folder / "out")
    made = shell_job("bad", "true", restart="Never")
    made["metadata"]["annotations"] = {"trainyard.dev/logdir": "curves/bad"}
    trained.create(made)
    answer = told(trained, "bad")
    assert [run["name"] for run in answer["runs"]] == ["run"]
    text = " ".join(answer["warnings"])
    assert "link" in text and re.search(r"checksum|skipped", text), answer["warnings"]
    outside = shell_job("outside", "true", restart="Never")
    outside["metadata"]["annotations"] = {"trainyard.dev/logdir": "curves/bad/out"}
    trained.create(outside)
    answer = told(trained, "outside")
    assert answer["runs"] == [] and answer["warnings"], "a link out of the volume leads nowhere"


# ---- the console


def test_metrics_tab_groups_smooths_and_hides(visitor):
    page = visitor.page
    open_metrics(visitor, "first")
    assert page.get_by_role("link", name="Metrics", exact=True).get_attribute("aria-current") == "page"
    for group in ["General", "train"]:
        page.get_by_role("region", name=group, exact=True).wait_for()
    loss = chart(page, "train/loss")
    expect_soon("both runs", lambda: len(values(loss)) == 2, loss.inner_text)
    # Smoothed, and the value itself beside it.
    smooth, raw = [float(text) for text in re.findall(r"\d\.\d+", values(loss)[0].split("rank-0")[1])]
    assert math.isclose(raw, 1 / 60, rel_tol=0.01) and smooth > raw
    page.get_by_label("Smoothing").fill("0")
    expect_soon("the values themselves", lambda: "0.01667" in values(loss)[0], lambda: values(loss))
    page.get_by_role("region", name="Runs").get_by_role("button", name="rank-1").click()
    expect_soon("one run", lambda: len(values(loss)) == 1, lambda: values(loss))
    page.get_by_label("Logarithmic").check()
    page.get_by_label("X axis").select_option("wall")
    expect_soon("the address", lambda: {"x=wall", "smooth=0", "log=1"} <= set(page.url.split("?")[-1].split("&")),
                lambda: page.url)
    odd = chart(page, "lr").locator(".odd")
    odd.wait_for()
    assert "NaN from step 40 on" in odd.inner_text()
    page.get_by_label("Search tags").fill("accur")
    expect_soon("one chart of a tag", lambda: chart(page, "train/loss").count() == 0, lambda: page.inner_text("main"))
    chart(page, "train/accuracy").wait_for()
    visitor.check_accessibility()


def test_zoom_by_drag_and_back(visitor):
    page = visitor.page
    open_metrics(visitor, "first")
    over = chart(page, "train/loss").locator(".u-over")
    over.wait_for()
    over.scroll_into_view_if_needed()
    reset = page.get_by_role("button", name="Reset zoom")
    assert reset.is_disabled()
    box = over.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 70, steps=4)
    page.mouse.up()
    expect_soon("a zoom", reset.is_enabled, page.url.__str__)
    assert page.get_by_role("region", name="Log lines").count() == 0, "the end of a drag is no click"
    reset.click()
    expect_soon("all again", reset.is_disabled, page.url.__str__)
    page.get_by_role("button", name="Zoom in").press("Enter")
    expect_soon("a zoom by key", reset.is_enabled, page.url.__str__)


def test_a_click_shows_what_all_ranks_said_then(visitor):
    page = visitor.page
    open_metrics(visitor, "first")
    loss = chart(page, "train/loss")
    over = loss.locator(".u-over")
    over.wait_for()
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 80)
    # The cursor is shared: another tag and the usage of the ranks have it, too.
    for other in ["train/accuracy", "CPU (cores)"]:
        expect_soon(f"the cursor of {other}", lambda: chart(page, other).locator(".under").inner_text() != "",
                    lambda: page.inner_text("main"))
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 80)
    lines = page.get_by_role("log", name=re.compile("Log lines of first around"))
    lines.wait_for()
    expect_soon("lines of both ranks", lambda: {"rank 0 is at step 30", "rank 1 is at step 30"} <= set(
        re.findall(r"rank \d is at step \d+", lines.inner_text())), lines.inner_text)
    page.get_by_role("region", name=re.compile("Log lines of first")).get_by_role("button", name="Close").click()
    assert lines.count() == 0
    loss.get_by_text("As a table").click()
    loss.get_by_role("button", name=re.compile("Log lines at")).first.press("Enter")
    expect_soon("lines of the first step", lambda: "is at step 0" in lines.inner_text(), lines.inner_text)
    visitor.check_accessibility()


def test_runs_of_another_job_are_laid_over(visitor):
    page = visitor.page
    open_metrics(visitor, "first", "?smooth=0")
    page.get_by_role("button", name="Compare jobs").click()
    page.get_by_label("second", exact=True).check()
    page.keyboard.press("Escape")
    loss = chart(page, "train/loss")
    expect_soon("three runs", lambda: [text.split("\n")[0] for text in values(loss)] == [
        "first · rank-0", "first · rank-1", "second · rank-0"], lambda: values(loss))
    assert f"with={KIND.replace('/', '%2F')}%2Fsecond" in page.url
    page.reload()
    expect_soon("the same from the address", lambda: len(values(loss)) == 3, lambda: values(loss))


def test_a_running_jobs_curves_grow_by_themselves(visitor):
    page = visitor.page
    open_metrics(visitor, "going", "?smooth=0")
    loss = chart(page, "train/loss")
    loss.get_by_text("As a table").click()
    before = loss.get_by_role("row").last.inner_text()
    expect_soon("more", lambda: loss.get_by_role("row").last.inner_text() != before, loss.inner_text, timeout=30)


def test_an_empty_tab_teaches(visitor):
    page = visitor.page
    open_metrics(visitor, "bare", ready=False)
    page.get_by_role("heading", name="No curves yet").wait_for()
    text = page.locator(".no-curves").inner_text()
    assert "tensorboardSpec" in text and "SummaryWriter" in text
    visitor.check_accessibility()


def test_chinese_and_dark(chromium, trained):  # noqa: F811
    visitor = Visitor(chromium, trained, "zh")
    page = visitor.page
    page.get_by_label("外观").select_option("dark")
    open_metrics(visitor, "first")
    for words in ["平滑", "对数坐标", "同一时间的资源使用", "对比作业"]:
        page.get_by_text(words).first.wait_for()
    visitor.check_accessibility()
    visitor.close()
