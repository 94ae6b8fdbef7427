"""J4 of spec/t9k-jobs.md, section 14, with the mouse and from an empty data folder: a volume, a notebook, the script
written in its JupyterLab, a job of 4 GPUs made by pasting its YAML, followed to its end, and its files moved. In
Chinese, and in English."""

import re

import pytest
from harness import VENV
from jobs import h5
from journeys import FILES, job_of, write_some_of_mnist
from jupyter import make_jupyter
from makers import Maker
from pages import chromium, expect_soon  # noqa: F401 (a fixture)
from servers import run_server

pytestmark = pytest.mark.usefixtures("torch")
YAML = (FILES / "get-started/job.yaml").read_text()
SCRIPT = (FILES / "ddp/torch_mnist_trainingjob.py").read_text()
NAME, FILE = "mnist", "torch_mnist_trainingjob.py"
WORDS = {
    "en": {"volumes": "Volumes", "create volume": "Create PVC", "name": "Name", "size": "Size", "create": "Create",
           "create notebook": "Create Notebook", "claim": "Volume (PersistentVolumeClaim)", "template": "Template",
           "open": "Open", "replicas": "Replicas", "log": "Log", "actions": "Actions for"},
    "zh": {"volumes": "持久卷", "create volume": "创建 PVC", "name": "名称", "size": "大小", "create": "创建",
           "create notebook": "创建 Notebook", "claim": "存储卷（PersistentVolumeClaim）", "template": "模板",
           "open": "打开", "replicas": "副本", "log": "日志", "actions": "操作"}}


@pytest.fixture
def fresh(torch):
    """A server with nothing in it but what its machine has: four GPUs, JupyterLab, an image with torch."""
    for server in run_server(start=False):
        # A large notebook and the job ask for more memory than small machines have.
        server.up("--fake-gpus", "4", "--overcommit-memory")
        make_jupyter(server)
        mapped = server.cli("image", "map", "t9kpublic/pytorch-*", "--venv", VENV)
        assert mapped.code == 0, repr(mapped)
        yield server


@pytest.mark.parametrize("language", ["zh", "en"])
def test_from_nothing_to_a_trained_model(chromium, fresh, language):  # noqa: F811
    maker = Maker(chromium, fresh, language)
    words = WORDS[language]
    make_volume(maker, words)
    put_first_model(fresh)
    lab = open_notebook(maker, words)
    write_script(lab)
    make_job(maker)
    follow_job(maker, words, fresh)
    move_files(lab, fresh)
    maker.close()


# ---- storage and notebook ------------------------------------------------------------------------


def make_volume(maker, words):
    page = maker.page
    maker.go(words["volumes"])
    page.get_by_role("link", name=words["create volume"]).click()
    maker.text(words["name"], NAME)
    page.get_by_role("textbox", name=words["size"]).fill("1Gi")
    page.get_by_role("button", name=words["create"], exact=True).click()
    page.get_by_role("row", name=NAME).get_by_text("Bound").first.wait_for()


def put_first_model(server):
    """What the tutorial before this one has left: its files in a folder, and the data that both train on."""
    small = server.folder / "small"
    write_some_of_mnist(small / "MNIST/raw")
    (server.folder / "first").mkdir()
    (server.folder / "first/model_state_dict.pt").write_text("of the first model")
    for source, target in [(small, "data"), (server.folder / "first", "first-model")]:
        copied = server.cli("data", "cp", source, f"{NAME}:{target}")
        assert copied.code == 0, repr(copied)


def open_notebook(maker, words):
    """Its JupyterLab, in a tab of its own."""
    page = maker.page
    maker.go("Notebook")
    page.get_by_role("link", name=words["create notebook"]).click()
    maker.text(words["name"], NAME)
    page.get_by_label(words["claim"]).select_option(NAME)
    page.get_by_label(words["template"], exact=True).select_option("large")
    page.get_by_role("button", name=words["create"], exact=True).click()
    row = page.get_by_role("row", name=NAME)
    link = row.get_by_role("link", name=words["open"])
    link.wait_for(timeout=60_000)
    for text in ["Running", "16.00", "32.00Gi"]:
        assert text in row.inner_text() or row.get_by_title(text).count(), row.inner_text()
    with maker.context.expect_page() as opening:
        link.click()
    lab = opening.value
    lab.set_default_timeout(30_000)
    # JupyterLab lists the folder every few seconds; when it renames a file just then, it takes the folder for lost.
    lost = lab.get_by_role("dialog", name="Directory not found")
    lab.add_locator_handler(lost, lambda: lost.get_by_role("button", name="Dismiss").click())
    lab.get_by_role("listitem", name=re.compile("first-model")).wait_for()
    return lab


# ---- JupyterLab ----------------------------------------------------------------------------------


def entry(lab, name):
    return lab.locator(".jp-DirListing-item", has=lab.get_by_text(name, exact=True))


def choose(lab, text):
    lab.locator(".lm-Menu-item").get_by_text(text, exact=True).click()


def write_script(lab):
    """+ › Other › Python File, paste, save under a name."""
    lab.bring_to_front()
    lab.locator(".jp-LauncherCard", has_text="Python File").click()
    editor = lab.locator(".jp-FileEditor .cm-content")
    editor.click()
    lab.evaluate("text => navigator.clipboard.writeText(text)", SCRIPT)
    lab.keyboard.press("Control+v")
    editor.get_by_text("LINES_EVERY, BATCH").first.wait_for()
    lab.keyboard.press("Control+s")
    dialog = lab.locator(".jp-Dialog")
    dialog.get_by_placeholder("File name").fill(FILE)
    dialog.locator("button.jp-mod-accept").click()
    entry(lab, FILE).wait_for()


def move_files(lab, server):
    """Into a new folder, by cut and paste."""
    lab.bring_to_front()
    lab.get_by_title("New Folder").first.click()
    name = lab.locator(".jp-DirListing-editor")
    name.fill("parallel-training")
    name.press("Enter")
    folder = entry(lab, "parallel-training")
    folder.wait_for()
    moved = [FILE, "log", "model_state_dict.pt"]
    entry(lab, moved[0]).click()
    for other in moved[1:]:
        entry(lab, other).click(modifiers=["Control"])
    entry(lab, moved[0]).click(button="right")
    choose(lab, "Cut")
    folder.dblclick()
    lab.locator(".jp-BreadCrumbs", has_text="parallel-training").wait_for()
    lab.locator(".jp-DirListing-content").click(button="right")
    choose(lab, "Paste")
    for each in moved:
        entry(lab, each).wait_for()
    expect_soon("the files in their folder", lambda: set(moved) <= set(listed(server, "parallel-training")),
                lambda: listed(server, "parallel-training"))
    assert not set(moved) & set(listed(server, "")), listed(server, "")
    assert listed(server, "first-model") == ["model_state_dict.pt"], "the first model is untouched"


def listed(server, folder):
    told = server.cli("data", "ls", f"{NAME}:{folder}", "-o", "name")
    assert told.code == 0, repr(told)
    return [line.rstrip("/") for line in told.out.split()]


# ---- the job -------------------------------------------------------------------------------------


def make_job(maker):
    maker.page.bring_to_front()
    maker.open_form("PyTorch")
    maker.open_preview()
    maker.paste(YAML)
    expect_soon("no problem", lambda: maker.problems.inner_text() == "", maker.problems.inner_text)
    maker.create()
    maker.expect_listed(NAME)


def follow_job(maker, words, server):
    page = maker.page
    row = page.get_by_role("row", name=NAME)
    row.get_by_title("Running").wait_for(timeout=30_000)
    for text in ["PyTorchTrainingJob", "4.00 / 8.00", "8.00Gi / 16.00Gi"]:
        assert text in row.inner_text(), row.inner_text()
    page.get_by_role("link", name=NAME, exact=True).click()
    facts = page.locator(".facts")
    expect_soon("its replicas", lambda: re.search(r"node: 1 × 4", facts.inner_text()), facts.inner_text)
    see_log(maker, words, server)
    see_tensorboard(page)
    facts.get_by_title("Succeeded").wait_for(timeout=180_000)


def see_log(maker, words, server):
    """Four processes tell the same line each."""
    page = maker.page
    page.get_by_role("link", name=words["replicas"], exact=True).click()
    pod = f"{NAME}-{h5(NAME, job_of(server, NAME)['metadata']['uid'])}-node-0"
    row = page.get_by_role("row", name=pod)
    row.get_by_role("button", name=words["actions"]).click()
    page.get_by_role("button", name=words["log"], exact=True).click()
    first = page.get_by_text(re.compile(r"epoch 1/10, batch +125/375 with loss"))
    expect_soon("the line of each of the four", lambda: first.count() == 4, first.all_inner_texts, 60)
    maker.close_dialog()
    page.go_back()


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
