"""Seed 004 as a newcomer does it, with the mouse, on a machine without GPUs where only `make run` was called: nothing is
mapped, the volume is made in the console, its YAML is pasted. As it is it waits, and says what to change."""

import pytest
from journeys import FILES, write_some_of_mnist
from makers import Maker
from pages import chromium, expect_soon  # noqa: F401 (a fixture)
from servers import run_server

pytestmark = pytest.mark.usefixtures("torch")
WITH_GPUS = (FILES / "get-started/job_gpu.yaml").read_text()
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
