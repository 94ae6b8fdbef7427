"""J3 of spec/t9k-jobs.md, section 14, with the mouse: the Horovod job is made in the web console by pasting its YAML, in
Chinese, and by the form, in English, and followed there until it has succeeded."""

import re
import shlex

import pytest
import yaml
from jobs import h5
from journeys import horovod_image, job_of
from makers import Maker
from pages import chromium, expect_soon  # noqa: F401 (a fixture)

pytestmark = pytest.mark.usefixtures("horovod")
WORDS = {"en": {"replicas": "Replicas", "log": "Log", "actions": "Actions for", "monitoring": "Resource monitoring",
                "volumes": "Volumes", "cards": ["Cluster resources", "Network bandwidth", "Storage I/O"]},
         "zh": {"replicas": "副本", "log": "日志", "actions": "操作", "monitoring": "资源监测",
                "volumes": "存储卷", "cards": ["集群资源", "网络带宽", "存储 I/O"]}}


@pytest.fixture(scope="module")
def tutorial(horovod, shared_server):
    """The server and the tutorial's YAML."""
    with horovod_image(shared_server) as (_, manifest):
        yield shared_server, manifest


def make_by_pasting(maker, manifest):
    maker.open_form("MPI")
    maker.open_preview()
    maker.paste("# From the tutorial.\n" + manifest)
    expect_soon("no problem", lambda: maker.problems.inner_text() == "", maker.problems.inner_text)
    maker.create()
    return yaml.safe_load(manifest)["metadata"]["name"]


def make_by_form(maker, manifest):
    """The same job, field by field; the launcher is left to the server."""
    name, wanted = "horovod-by-form", yaml.safe_load(manifest)["spec"]
    maker.open_form("MPI")
    maker.text("Name", name)
    maker.text("MPI home", wanted["mpiConfig"]["home"])
    maker.text("Program", shlex.join(wanted["mpiConfig"]["script"]))
    maker.text("Extra arguments of mpirun", shlex.join(wanted["mpiConfig"]["extraArgs"]))
    for index, (key, value) in enumerate(wanted["mpiConfig"]["mca"].items()):
        maker.add("MCA parameters")
        maker.text("Key", key, index)
        maker.text("Value", value, index)
    maker.switch("Clean up workers")
    maker.number("Replicas", "4")
    worker = wanted["replicaSpecs"][1]["template"]["spec"]["containers"][0]
    maker.text("Image", worker["image"])
    for label, value in [("CPU limit", "8"), ("Memory limit", "4Gi"), ("CPU request", "4"), ("Memory request", "2Gi")]:
        maker.text(label, value)
    maker.create()
    return name


@pytest.mark.parametrize(("language", "make"), [("zh", make_by_pasting), ("en", make_by_form)])
def test_horovod_job_is_made_and_followed_to_its_end(chromium, tutorial, language, make):  # noqa: F811
    server, manifest = tutorial
    maker = Maker(chromium, server, language)
    page, words = maker.page, WORDS[language]
    name = make(maker, manifest)
    maker.expect_listed(name)
    row = page.get_by_role("row", name=name)
    row.get_by_title("Running").wait_for(timeout=30_000)
    for text in ["MPIJob", "16.00 / 32.00", "8.00Gi / 16.00Gi"]:
        assert text in row.inner_text(), row.inner_text()
    page.get_by_role("link", name=name, exact=True).click()
    start = f"{name}-{h5(name, job_of(server, name, 'mpijob')['metadata']['uid'])}-"
    see_facts(page, words, name)
    see_replicas_and_log(maker, words, start)
    see_curves(page, words)
    page.get_by_role("link", name="MPIJob", exact=True).click()
    page.locator(".facts").get_by_title("Succeeded").wait_for(timeout=180_000)
    see_what_is_left(page, words, start)
    maker.close()


def see_facts(page, words, name):
    facts = page.locator(".facts")
    facts.wait_for()
    seen = facts.inner_text()
    for text in [name, "Running"]:
        assert text in seen, seen
    assert re.search(r"launcher: 1\b", seen) and re.search(r"worker: 4\b", seen), seen
    assert "TensorBoard" not in seen and words["volumes"] not in seen, seen
    for event in ["Created", "Start"]:
        page.get_by_role("cell", name=event, exact=True).first.wait_for()


def see_replicas_and_log(maker, words, start):
    page = maker.page
    page.get_by_role("link", name=words["replicas"], exact=True).click()
    maker.expect_rows(*(start + replica for replica in ["launcher", *(f"worker-{index}" for index in range(4))]))
    page.get_by_role("row", name=f"{start}launcher").get_by_role("button", name=words["actions"]).click()
    page.get_by_role("button", name=words["log"], exact=True).click()
    for said in [r"services are ready!", r"Permanently added .*-worker-3\.", r"epoch 1/10, batch +125/375 with loss"]:
        page.get_by_text(re.compile(said)).first.wait_for(timeout=60_000)
    maker.close_dialog()


def see_curves(page, words):
    page.get_by_role("link", name=words["monitoring"], exact=True).click()
    for card in words["cards"]:
        page.get_by_role("region", name=card, exact=True).wait_for(timeout=30_000)


def see_what_is_left(page, words, start):
    """The workers are deleted; the launcher and its log stay."""
    page.get_by_role("link", name=words["replicas"], exact=True).click()
    launcher = page.get_by_role("row", name=f"{start}launcher")
    launcher.get_by_title("Succeeded").wait_for()
    for index in range(4):
        page.get_by_role("row", name=f"{start}worker-{index}").get_by_title("Deleted").wait_for()
    launcher.get_by_role("button", name=words["actions"]).click()
    page.get_by_role("button", name=words["log"], exact=True).click()
    page.get_by_text(re.compile(r"test loss: \d+\.\d{4}, test accuracy: \d\.\d{4}")).first.wait_for()
    page.keyboard.press("Escape")
