"""J1 of spec/t9k-jobs.md, section 14, with the mouse: the DDP example is made in the web console, with real torch, and
followed there until it has succeeded. Once by pasting its YAML, in Chinese, once by the form, in English."""

import re

import pytest
import yaml
from jobs import h5
from journeys import FILES, files, job_of, prepare
from makers import Maker
from pages import chromium, expect_soon  # noqa: F401 (a fixture)

pytestmark = pytest.mark.usefixtures("torch")
YAML = (FILES / "ddp/job_cpu.yaml").read_text()
FOLDER = "tutorial-examples/job/pytorchtrainingjob/ddp"
WORDS = {"en": {"replicas": "Replicas", "log": "Log", "actions": "Actions for", "volumes": "Volumes"},
         "zh": {"replicas": "副本", "log": "日志", "actions": "操作", "volumes": "存储卷"}}


@pytest.fixture(scope="module")
def tutorial(torch, shared_server):
    prepare(shared_server, "ddp")
    return shared_server


def make_by_pasting(maker):
    maker.open_form("PyTorch")
    maker.open_preview()
    maker.paste("# From the tutorial.\n" + YAML)
    expect_soon("no problem", lambda: maker.problems.inner_text() == "", maker.problems.inner_text)
    maker.create()
    return yaml.safe_load(YAML)["metadata"]["name"]


def make_by_form(maker):
    """The same job, field by field."""
    name = "ddp-by-form"
    wanted = yaml.safe_load(YAML)["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]
    maker.open_form("PyTorch")
    maker.text("Name", name)
    maker.switch("Use TorchRun")
    maker.number("Max restarts", "3")
    maker.text("Max processes per node", "4")
    maker.switch("Add TensorBoard")
    maker.choose("PersistentVolumeClaim of the logs", "tutorial")
    maker.add("Log folders")
    maker.text("Log folders 1", f"{FOLDER}/log")
    maker.text("Type", "node")
    maker.choose("Restart policy", "ExitCode")
    maker.text("Image", wanted["image"], 1)
    maker.text("Arguments", " ".join(wanted["args"]))
    for label, value in [("CPU limit", "32"), ("Memory limit", "16Gi")]:
        maker.text(label, value, 1)  # the first is the TensorBoard's
    maker.text("CPU request", "16")
    maker.text("Memory request", "8Gi")
    maker.text("Working directory", wanted["workingDir"])
    maker.add("Volumes")
    maker.choose("PersistentVolumeClaim", "tutorial")
    maker.text("Binding path", "/t9k/mnt")
    maker.switch("Shared memory")
    maker.create()
    return name


@pytest.mark.parametrize(("language", "make"), [("zh", make_by_pasting), ("en", make_by_form)])
def test_ddp_job_is_made_and_followed_to_its_end(chromium, tutorial, language, make):  # noqa: F811
    maker = Maker(chromium, tutorial, language)
    page, words = maker.page, WORDS[language]
    name = make(maker)
    maker.expect_listed(name)
    row = page.get_by_role("row", name=name)
    row.get_by_title("Running").wait_for(timeout=30_000)
    for text in ["PyTorchTrainingJob", "16.00 / 32.00", "8.00Gi / 16.00Gi"]:
        assert text in row.inner_text(), row.inner_text()
    page.get_by_role("link", name=name, exact=True).click()
    job = job_of(tutorial, name)
    see_facts(page, job)
    see_replica_and_log(maker, words, job)
    page.go_back()
    page.locator(".facts").get_by_title("Succeeded").wait_for(timeout=180_000)
    assert {"model_state_dict.pt", "log"} <= files(tutorial, "ddp")
    see_tensorboard(page)
    maker.close()


def see_facts(page, job):
    facts = page.locator(".facts")
    facts.wait_for()
    seen = facts.inner_text()
    for text in [job["metadata"]["name"], job["metadata"]["uid"], "Running", "tutorial"]:
        assert text in seen, seen
    assert re.search(r"node: 1 × 4", seen), seen
    for condition in ["Running", "Initialized", "ReplicaFailure"]:
        page.get_by_role("row", name=condition).first.wait_for()
    for event in ["Created", "Start"]:
        page.get_by_role("cell", name=event, exact=True).first.wait_for()


def see_replica_and_log(maker, words, job):
    page = maker.page
    page.get_by_role("link", name=words["replicas"], exact=True).click()
    name = job["metadata"]["name"]
    pod = f"{name}-{h5(name, job['metadata']['uid'])}-node-0"
    row = page.get_by_role("row", name=pod)
    row.wait_for()
    expect_soon("its labels", lambda: "job-role: master" in row.inner_text(), row.inner_text)
    row.get_by_role("button", name=words["actions"]).click()
    page.get_by_role("button", name=words["log"], exact=True).click()
    page.get_by_text(re.compile(r"epoch 1/10, batch +125/375 with loss")).first.wait_for(timeout=60_000)
    maker.close_dialog()


def see_tensorboard(page):
    link = page.locator(".facts").get_by_role("link", name="Running")
    link.wait_for(timeout=60_000)
    with page.context.expect_page() as opened:
        link.click()
    board = opened.value
    board.get_by_text(re.compile("time series|scalars", re.I)).first.wait_for(timeout=30_000)
    board.close()
