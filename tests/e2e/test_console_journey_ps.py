"""J2 of spec/t9k-jobs.md, section 14, with the mouse: the parameter server with four workers is made in the web console
by pasting its YAML, in Chinese, and followed there until it has succeeded; then cloned, in English, and deleted."""

import re

import pytest
import yaml
from jobs import h5
from journeys import FILES, files, job_of, prepare
from makers import Maker
from pages import chromium, expect_soon  # noqa: F401 (a fixture)

pytestmark = pytest.mark.usefixtures("torch")
YAML = (FILES / "ps/job_cpu.yaml").read_text()
NAME = yaml.safe_load(YAML)["metadata"]["name"]
REPLICAS = ["ps-0", *(f"worker-{index}" for index in range(4))]


@pytest.fixture(scope="module")
def tutorial(torch, shared_server):
    prepare(shared_server, "ps")
    return shared_server


def open_job(maker, name):
    row = maker.page.get_by_role("row", name=name)
    row.get_by_title("Running").wait_for(timeout=30_000)
    for text in ["PyTorchTrainingJob", "16.00 / 32.00", "12.00Gi / 24.00Gi"]:
        assert text in row.inner_text(), row.inner_text()
    maker.page.get_by_role("link", name=name, exact=True).click()
    facts = maker.page.locator(".facts")
    facts.wait_for()
    assert re.search(r"ps: 1\b", facts.inner_text()) and re.search(r"worker: 4\b", facts.inner_text()), facts.inner_text()


def see_replicas(maker, server, name, word):
    maker.page.get_by_role("link", name=word, exact=True).click()
    start = f"{name}-{h5(name, job_of(server, name)['metadata']['uid'])}-"
    maker.expect_rows(*(start + replica for replica in REPLICAS))
    rows = maker.page.locator("main tbody tr:not(.unfolded)")
    masters = [row for row in rows.all_inner_texts() if "job-role: master" in row]
    assert len(masters) == 1 and start + "ps-0" in masters[0], rows.all_inner_texts()


def test_ps_job_is_pasted_and_followed_to_its_end(chromium, tutorial):  # noqa: F811
    maker = Maker(chromium, tutorial, "zh")
    page = maker.page
    maker.open_form("PyTorch")
    maker.open_preview()
    maker.paste(YAML)
    expect_soon("no problem", lambda: maker.problems.inner_text() == "", maker.problems.inner_text)
    maker.create()
    maker.expect_listed(NAME)
    open_job(maker, NAME)
    see_replicas(maker, tutorial, NAME, "副本")
    page.get_by_role("link", name="日志", exact=True).click()
    for said in [r"Worker with rank 4 is placed on cpu", r"epoch 1/5, batch +500/1500 with loss"]:
        page.get_by_text(re.compile(said)).first.wait_for(timeout=60_000)
    page.get_by_role("link", name="PyTorchTrainingJob", exact=True).click()
    page.locator(".facts").get_by_title("Succeeded").wait_for(timeout=180_000)
    assert "log" in files(tutorial, "ps")
    with page.context.expect_page() as opened:
        page.locator(".facts").get_by_role("link", name="Running").click(timeout=60_000)
    opened.value.get_by_text("worker_1").first.wait_for(timeout=30_000)
    maker.close()


def test_its_clone_runs_and_is_deleted(chromium, tutorial):  # noqa: F811
    maker = Maker(chromium, tutorial, "en")
    page = maker.page
    maker.go("Job")
    page.get_by_role("row", name=NAME).get_by_role("button", name="Actions for").click()
    page.get_by_role("link", name="Clone").or_(page.get_by_role("button", name="Clone")).click()
    for card in ["ps", "worker"]:
        page.get_by_text(card, exact=True).first.wait_for()
    maker.text("Name", "ps-again")
    maker.create()
    maker.expect_listed("ps-again")
    open_job(maker, "ps-again")
    see_replicas(maker, tutorial, "ps-again", "Replicas")
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_url("**/#/jobs")
    maker.expect_rows(NAME)
    maker.close()
