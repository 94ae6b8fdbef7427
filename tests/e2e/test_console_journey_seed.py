"""Seed 004 as a newcomer does it, with the mouse, on a machine without GPUs where only `make run` was called: nothing is
mapped, the volume is made in the console, its YAML is pasted. As it is it waits, and says what to change; without its GPU
lines, and with gloo in place of nccl, four workers train as user 1000, and its curves are looked at."""

import re

import pytest
from jobs import h5
from journeys import FILES, job_of, write_some_of_mnist
from makers import Maker
from pages import chromium, expect_soon  # noqa: F401 (a fixture)
from servers import run_server

pytestmark = pytest.mark.usefixtures("torch")
WITH_GPUS = (FILES / "get-started/job_gpu.yaml").read_text()
WITHOUT = re.sub(r" *nvidia.com/gpu: 4\n", "", WITH_GPUS).replace("nccl", "gloo")
SCRIPT = FILES / "ddp/torch_mnist_trainingjob.py"
NAME = "mnist"


@pytest.fixture
def newcomer(chromium, torch):  # noqa: F811
    for server in run_server(start=False):
        # Small machines have less memory than the job asks for.
        server.up("--overcommit-memory")
        maker = Maker(chromium, server)
        make_volume(maker)
        put_script_and_data(server)
        yield maker
        maker.close()


def make_volume(maker):
    page = maker.page
    maker.go("Volumes")
    page.get_by_role("link", name="Create PVC").click()
    maker.text("Name", NAME)
    page.get_by_role("textbox", name="Size").fill("1Gi")
    maker.create()
    page.get_by_role("row", name=NAME).get_by_text("Bound").first.wait_for()


def put_script_and_data(server):
    """As its notebook leaves them: root's."""
    small = server.folder / "small"
    write_some_of_mnist(small / "MNIST/raw")
    for source, target in [(small, "data"), (SCRIPT, SCRIPT.name)]:
        copied = server.cli("data", "cp", source, f"{NAME}:{target}")
        assert copied.code == 0, repr(copied)


def paste(maker, text):
    maker.open_form("PyTorch")
    maker.open_preview()
    maker.paste(text)
    expect_soon("no problem", lambda: maker.problems.inner_text() == "", maker.problems.inner_text)
    maker.create()
    maker.expect_listed(NAME)


def test_the_seeds_job_trains_without_its_gpu_lines(newcomer):
    page, server = newcomer.page, newcomer.server
    paste(newcomer, WITHOUT)
    page.get_by_role("link", name=NAME, exact=True).click()
    facts = page.locator(".facts")
    expect_soon("its four workers", lambda: re.search(r"node: 1 × 4", facts.inner_text()), facts.inner_text)
    page.get_by_role("link", name="Replicas", exact=True).click()
    row = page.get_by_role("row", name=f"{NAME}-{h5(NAME, job_of(server, NAME)['metadata']['uid'])}-node-0")
    row.get_by_role("button", name="Actions for").click()
    page.get_by_role("button", name="Log", exact=True).click()
    first = page.get_by_text(re.compile(r"epoch 1/10, batch +125/375 with loss"))
    expect_soon("the line of each of the four", lambda: first.count() == 4, page.get_by_role("log").inner_text, 90)
    newcomer.close_dialog()
    page.go_back()
    see_tensorboard(page)
    facts.get_by_title("Succeeded").wait_for(timeout=180_000)
    assert "node: 1 × 4 processes 1 Succeeded" in facts.inner_text(), facts.inner_text()
    newcomer.go("Job")
    page.get_by_role("searchbox", name="Type a name to search").fill("Done")
    newcomer.expect_rows(NAME)
    page.get_by_role("row", name=NAME).get_by_title("Succeeded").wait_for()
    listed = server.cli("data", "ls", f"{NAME}:", "-o", "name").out.split()
    assert {"log", "model_state_dict.pt"} <= set(listed), listed


def see_tensorboard(page):
    from playwright.sync_api import TimeoutError  # there where this is run, see pages.chromium
    link = page.locator(".facts").get_by_role("link", name="Running")
    link.wait_for(timeout=60_000)
    with page.context.expect_page() as opened:
        link.click()
    board = opened.value
    shown = board.get_by_text("train/loss").first
    for _ in range(12):  # it shows what there was when it was opened
        try:
            shown.wait_for(timeout=5_000)
            break
        except TimeoutError:
            board.reload()
    shown.wait_for()
    board.close()
    page.bring_to_front()


def test_with_its_gpu_lines_it_waits_and_says_what_to_change(newcomer):
    page = newcomer.page
    paste(newcomer, WITH_GPUS)
    page.get_by_role("row", name=NAME).get_by_title("Pending").wait_for()
    page.get_by_role("link", name=NAME, exact=True).click()
    cause = page.locator(".cause")
    said = ("What it waits for: job mnist could never fit: needs 4 × nvidia.com/gpu, node-0 has 0: to train on the "
            "processor, take nvidia.com/gpu out of its resources and use gloo in place of nccl; ")
    expect_soon("what to change", lambda: cause.inner_text().startswith(said), cause.inner_text)
    assert "nodes are available" not in cause.inner_text()
    newcomer.check_accessibility()
    page.get_by_role("button", name="In full").click()
    expect_soon("the rest", lambda: "0/1 nodes are available" in cause.inner_text(), cause.inner_text)
