"""Whatever the create forms offer runs as it stands: each sample is made in the browser, unchanged, and followed to its end.
What a machine lacks is said before; what it cannot run is disabled and says why."""

import subprocess

import pytest
from harness import ROOT, VENV
from makers import Maker
from pages import chromium, expect_soon  # noqa: F401 (a fixture)
from servers import run_server

pytestmark = pytest.mark.usefixtures("torch")
FRAMEWORKS = ROOT / ".cache/frameworks"
SAMPLES = "Samples ▾"
# The form, the sample, the job's name, what it needs besides torch, what its log says.
ALL = [("PyTorch", "DDP with torchrun", "ddp", "", "rank 3 of 4 has joined"),
       ("PyTorch", "DDP without torchrun", "ddp-env", "", "step 100/100"),
       ("PyTorch", "Parameter server", "ps", "", "step 50/50"),
       ("PyTorch", "Kubeflow's PyTorchJob", "kubeflow-ddp", "", "step 100/100"),
       ("TensorFlow", "Several workers", "multi-worker", "tensorflow", "step 100/100"),
       ("TensorFlow", "Kubeflow's TFJob", "kubeflow-multi-worker", "tensorflow", "step 100/100"),
       ("XGBoost", "Master and workers", "trees", "xgboost", "rank 0 of 3 has joined"),
       ("MPI", "Horovod", "horovod", "horovod", "step 100/100 of 2 processes"),
       ("MPI", "Kubeflow's MPIJob", "kubeflow-horovod", "horovod", "step 100/100 of 2 processes"),
       ("Generic", "Server and clients", "server-and-clients", "", "the sum is 42")]


@pytest.fixture(scope="module")
def shop(torch):
    """As `make run` starts it: torch is what its python has, nothing is mapped."""
    yield from run_server()


@pytest.fixture
def maker(chromium, shop):  # noqa: F811
    made = Maker(chromium, shop)
    yield made
    made.close()


def provide(server, need, request):
    """By what the form says that one should type, in short."""
    if need == "horovod":
        request.getfixturevalue("horovod")
    elif need:
        probe = subprocess.run([FRAMEWORKS / "bin/python", "-c", f"import {need}"], capture_output=True, text=True) \
            if FRAMEWORKS.exists() else None
        if probe is None or probe.returncode != 0:
            pytest.skip(f"{FRAMEWORKS} has no {need}: make frameworks")
        mapped = server.cli("image", "map", f"{need}*", "--venv", FRAMEWORKS)
        assert mapped.code == 0, repr(mapped)


def take_sample(maker, form, sample):
    maker.open_form(form)
    maker.page.get_by_role("button", name=SAMPLES).click()
    maker.page.get_by_role("button", name=sample, exact=True).click()


def test_the_list_here_is_that_of_the_forms(maker):
    page = maker.page
    for form in dict.fromkeys(each[0] for each in ALL):
        maker.open_form(form)
        page.get_by_role("button", name=SAMPLES).click()
        # Without those that say why not.
        offered = page.locator(".menu:popover-open button.item:not([aria-disabled])").all_inner_texts()
        assert offered == [sample for kind, sample, *_ in ALL if kind == form]
        maker.check_accessibility()
        page.keyboard.press("Escape")


@pytest.mark.parametrize(("form", "sample", "name", "need", "says"), ALL, ids=[each[2] for each in ALL])
def test_sample_runs_as_it_stands(maker, shop, request, form, sample, name, need, says):
    provide(shop, need, request)
    page = maker.page
    take_sample(maker, form, sample)
    if not sample.startswith("Kubeflow"):
        expect_soon("its name", lambda: page.get_by_role("textbox", name="Name", exact=True).first.input_value() == name,
                    lambda: page.get_by_role("textbox", name="Name", exact=True).first.input_value())
        page.get_by_text("Created with it: ConfigMap").wait_for()
    assert page.get_by_role("region", name="What the image lacks").count() == 0
    maker.check_accessibility()
    maker.create()
    maker.expect_listed(name)
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))
    row.locator("[title=Succeeded], [title=Error]").wait_for(timeout=150_000)
    log = shop.cli("logs", name)
    assert row.get_by_title("Succeeded").count() == 1, shop.cli("get", name).out + log.out
    assert says in log.out, repr(log)


def test_sample_is_made_again_under_another_name(maker, shop):
    """Its script is there already, and says the same."""
    take_sample(maker, "Generic", "Server and clients")
    maker.text("Name", "again")
    maker.create()
    maker.expect_listed("again")
    take_sample(maker, "Generic", "Server and clients")
    maker.text("Name", "once-more")
    maker.create()
    maker.expect_listed("once-more")
    shop.wait_phase("once-more", "Succeeded", "genericjob", timeout=60)


def test_what_the_image_lacks_is_said_before_it_is_created(maker, shop):
    page = maker.page
    take_sample(maker, "TensorFlow", "Several workers")
    maker.text("Image", "elsewhere/tensorflow:1")
    lacks = page.get_by_role("region", name="What the image lacks")
    lacks.wait_for()
    assert "TensorFlow is not in the environment that elsewhere/tensorflow:1 means" in lacks.inner_text()
    assert "trainyard image map 'elsewhere/tensorflow*' --venv" in lacks.inner_text()
    maker.check_accessibility()
    maker.open_preview()
    page.get_by_role("dialog").get_by_role("region", name="What the image lacks").wait_for()
    page.get_by_role("button", name="Cancel").click()
    # What it says, in short; then back from the terminal.
    fake = shop.folder / "tensorflow"
    (fake / "lib/python3.11/site-packages/tensorflow").mkdir(parents=True)
    (fake / "bin").mkdir()
    (fake / "bin/python").symlink_to(VENV / "bin/python")
    (fake / "pyvenv.cfg").write_text("home = /usr/bin\n")
    mapped = shop.cli("image", "map", "elsewhere/*", "--venv", fake)
    assert mapped.code == 0, repr(mapped)
    page.evaluate("dispatchEvent(new Event('focus'))")
    lacks.wait_for(state="detached")


@pytest.mark.parametrize("name", ["DeepSpeed", "ColossalAI"])
def test_what_needs_cuda_says_so(maker, name):
    page = maker.page
    maker.open_form("PyTorch")
    page.get_by_role("button", name=SAMPLES).click()
    entry = page.get_by_role("button", name=name)
    assert entry.get_attribute("aria-disabled") == "true"
    assert "computes on NVIDIA's GPUs, with CUDA" in entry.inner_text()


def test_placeholders_are_what_one_can_type(maker, shop):
    """Whoever types what the empty fields show gets a job that runs."""
    page = maker.page
    maker.open_form("Generic")
    maker.text("Name", "as-shown")
    maker.text("Image", "host")
    for label in ["Command", "CPU limit", "Memory limit"]:
        field = page.get_by_role("textbox", name=label, exact=True)
        field.fill(field.get_attribute("placeholder"))
    maker.create()
    maker.expect_listed("as-shown")
    shop.wait_phase("as-shown", "Succeeded", "genericjob", timeout=60)
    assert shop.cli("logs", "as-shown").out.strip().endswith("42")
