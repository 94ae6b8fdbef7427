"""The pages of the web console for TensorBoards, notebooks and pods, in Chromium: with the real tensorboard and the real
JupyterLab, which open by a click."""

import http.client
import re

import pytest
from apps_client import make_curve, tensorboard, wait_condition
from jobs import pod, shell_job
from jupyter import make_jupyter, notebook
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)


@pytest.fixture(scope="module")
def shown(shared_server):
    """A server with a TensorBoard that runs."""
    server = shared_server
    make_curve(server, "runs")
    server.create(tensorboard("board", resources={"limits": {"cpu": "1", "memory": "1Gi"}}))
    wait_condition(server, "tensorboard", "board", "Ready", "True", timeout=60)
    return server


@pytest.fixture
def visitor(chromium, shown):  # noqa: F811
    made = Visitor(chromium, shown, "en")
    yield made
    made.close()


def opened_by(visitor, link):
    """The tab that a click on the link opens."""
    with visitor.context.expect_page() as opening:
        link.click()
    return opening.value


# ---- TensorBoards --------------------------------------------------------------------------------


def test_a_tensorboard_opens_by_a_click(visitor, shown):
    page = visitor.page
    visitor.go("TensorBoard")
    row = page.get_by_role("row", name="board")
    assert "/pvc-runs/mnist" in row.inner_text()
    visitor.check_accessibility()
    tab = opened_by(visitor, row.get_by_role("link", name="Open"))
    port = shown.apps.split(":")[1]
    tab.wait_for_url(re.compile(rf"http://[0-9a-f]{{32}}\.localhost:{port}/default/tensorboard/board/"))
    tab.get_by_text("train/loss").first.wait_for()
    assert tab.evaluate("window.opener") is None, "what runs there must not reach the console"


def test_nobody_else_gets_into_a_tensorboard_by_that_link(visitor, shown):
    """Not who has only the cookie, and not a page of an app."""
    path = "/open/default/tensorboard/board"
    link = shown.cli("open", "tensorboard", "board").out.strip()
    [cookie] = [c for c in visitor.context.cookies() if c["name"] == "trainyard_session"]
    stranger = http.client.HTTPConnection(shown.console, timeout=30)
    stranger.request("POST", path, "{}", {"Cookie": f"trainyard_session={cookie['value']}"})
    answer = stranger.getresponse()
    assert answer.status == 401 and b"login?token" not in answer.read()
    tab = visitor.context.new_page()
    tab.goto(link)
    tab.get_by_text("train/loss").first.wait_for()
    asked = f"fetch('http://{shown.console}{path}', {{method: 'POST', credentials: 'include', mode: 'no-cors'}})"
    assert tab.evaluate(f"{asked}.then(answer => answer.type, () => 'refused')") in ("opaque", "refused"), \
        "it reads nothing of the answer"
    tab.close()


def test_a_tensorboard_is_paused_and_resumed_and_deleted(visitor, shown):
    page = visitor.page
    shown.create(tensorboard("other"))
    visitor.go("TensorBoard")
    row = page.get_by_role("row", name="other")
    row.get_by_role("link", name="Open").wait_for()
    row.get_by_role("button", name="Pause").click()
    row.get_by_title("Suspended").wait_for()
    assert row.get_by_role("link", name="Open").count() == 0
    row.get_by_role("link", name="other").click()
    page.get_by_role("heading", level=1, name="other").wait_for()
    page.get_by_role("rowheader", name="Suspended").wait_for()
    visitor.check_accessibility()
    page.get_by_role("button", name="Resume").first.click()
    wait_condition(shown, "tensorboard", "other", "Ready", "True", timeout=60)
    page.get_by_role("link", name="Running").wait_for()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    visitor.expect_rows("board")


def test_a_jobs_tensorboard_opens_from_its_details(visitor, shown):
    page = visitor.page
    made = shell_job("curves", "sleep 600")
    made["spec"]["tensorboardSpec"] = {"logDir": {"pvc": [{"name": "runs", "subPath": ["mnist"]}]}}
    shown.create(made)
    visitor.go("Job")
    page.get_by_role("link", name="curves").click()
    board = page.locator("dl.facts div", has_text="TensorBoard")
    link = board.get_by_role("link", name="Running")
    link.wait_for(timeout=30_000)
    tab = opened_by(visitor, link)
    tab.get_by_text("train/loss").first.wait_for()
    name = shown.get("pj", "curves")["status"]["tensorboard"]["dependent"]["name"]
    shown.kubectl("patch", "tensorboard", name, "--type", "merge", "-p", '{"spec":{"suspend":true}}')
    board.get_by_text("Suspended").wait_for()
    board.get_by_role("button", name="Resume").click()
    link.wait_for(timeout=30_000)


def test_a_tensorboard_that_cannot_start_says_why(visitor, shown):
    page = visitor.page
    shown.create(tensorboard("lost", claim="nowhere"))
    visitor.go("TensorBoard")
    row = page.get_by_role("row", name="lost")
    row.get_by_text(re.compile("nowhere")).first.wait_for()
    row.get_by_role("link", name="lost").click()
    page.get_by_text("What it waits for").wait_for()
    shown.kubectl("delete", "tensorboard", "lost")
    page.get_by_text("There is no TensorBoard lost in project default.").wait_for()


def test_a_tensorboard_is_made_by_its_form(visitor, shown):
    page = visitor.page
    visitor.go("TensorBoard")
    page.get_by_role("link", name="Create TensorBoard").click()
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_text("This field is required.").first.wait_for()
    visitor.check_accessibility()
    visitor.text("Name", "board")
    page.get_by_label("PersistentVolumeClaim of the logs").select_option("runs")
    page.get_by_role("button", name="Add: Log folders").click()
    page.get_by_label("Log folders 1", exact=True).fill("mnist")
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_text(re.compile('"board" already exists')).wait_for()
    assert page.get_by_label("Log folders 1", exact=True).input_value() == "mnist", "what was typed stays"
    visitor.complaints.clear()  # the browser tells of each refused request
    visitor.text("Name", "formed")
    page.get_by_role("button", name="Create", exact=True).click()
    row = page.get_by_role("row", name="formed")
    row.get_by_text("/pvc-runs/mnist").wait_for()
    made = shown.get("tensorboard", "formed")["spec"]
    assert made["logDir"] == {"pvc": [{"name": "runs", "subPath": ["mnist"]}]}, made
    row.get_by_role("link", name="Open").wait_for(timeout=60_000)
    shown.kubectl("delete", "tensorboard", "formed")


# ---- Notebooks -----------------------------------------------------------------------------------


def test_a_notebook_without_jupyterlab_says_what_to_type(visitor, shown):
    page = visitor.page
    assert shown.cli("data", "create", "home").code == 0
    shown.create(notebook("bare", image="python:3.11"))
    visitor.go("Notebook")
    page.get_by_role("row", name="bare").get_by_text("trainyard notebook setup").wait_for(timeout=30_000)
    shown.kubectl("delete", "notebook", "bare")


def test_a_notebook_is_made_by_its_form_and_opens_by_a_click(visitor, shown):
    page = visitor.page
    make_jupyter(shown)
    visitor.go("Notebook")
    page.get_by_role("link", name="Create Notebook").click()
    visitor.text("Name", "lab")
    page.get_by_text("On this machine: venv").wait_for()
    page.get_by_label("Volume (PersistentVolumeClaim)").select_option("home")
    page.get_by_label("Template", exact=True).select_option("small")
    visitor.check_accessibility()
    page.get_by_role("button", name="Create", exact=True).click()
    row = page.get_by_role("row", name="lab")
    opening = row.get_by_role("link", name="Open")
    opening.wait_for(timeout=60_000)
    for text in ["jupyter:latest", "1.00", "2.00Gi", "home"]:
        assert text in row.inner_text(), row.inner_text()
    visitor.check_accessibility()
    tab = opened_by(visitor, opening)
    tab.get_by_text("Launcher").first.wait_for(timeout=30_000)
    row.get_by_role("link", name="lab").click()
    page.get_by_role("rowheader", name="Idle").wait_for()
    visitor.check_accessibility()
    pod_links = page.locator("dl.facts div", has_text="managed-notebook-")
    pod_links.get_by_role("button", name="Log").click()
    page.get_by_role("dialog").get_by_text("Jupyter Server").first.wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Suspended").first.wait_for()


# ---- Pods ----------------------------------------------------------------------------------------


def test_pods_are_listed_filtered_and_looked_at(visitor, shown):
    page = visitor.page
    shown.create(pod("talks", "echo hello from talks; sleep 600", grace=1))
    shown.create(pod("broken", "echo oh no >&2; exit 3", terminationMessagePolicy="FallbackToLogsOnError"))
    shown.wait_phase("talks", "Running", "pod")
    visitor.go("Pod")
    row = page.get_by_role("row", name="talks")
    expect_soon("it to be ready", lambda: "1 / 1" in row.inner_text() and "Running" in row.inner_text(), row.inner_text)
    page.get_by_role("row", name="broken").get_by_text("oh no").wait_for()
    visitor.check_accessibility()
    page.get_by_role("button", name="Phase").click()
    page.get_by_label("Error").check()
    page.keyboard.press("Escape")
    visitor.expect_rows("broken")
    page.get_by_role("button", name="Clear all").click()
    page.get_by_role("button", name="Actions for talks").click()
    page.get_by_role("button", name="Log", exact=True).click()
    page.get_by_role("dialog").get_by_text("hello from talks").wait_for()
    page.keyboard.press("Escape")
    row.get_by_role("link", name="talks").click()
    page.get_by_role("rowheader", name="PodScheduled").wait_for()
    visitor.check_accessibility()
    page.get_by_role("link", name="Containers").click()
    page.get_by_text("echo hello from talks; sleep 600").wait_for()
    visitor.check_accessibility()
    page.get_by_role("link", name="Resource monitoring").click()
    page.get_by_role("heading", name="Cluster resources").wait_for()
    visitor.check_accessibility()
    page.get_by_role("button", name="Terminal").click()
    page.get_by_role("dialog").get_by_role("textbox").first.wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect_soon("it to be gone", lambda: shown.get("pod", "talks") is None, lambda: shown.get("pod", "talks"), 40)


def test_a_pod_is_made_by_its_form_and_by_its_text(visitor, shown):
    page = visitor.page
    visitor.go("Pod")
    page.get_by_role("link", name="Create Pod").click()
    basic = page.locator(".fold", has_text="Basic information")
    basic.get_by_label("Name").fill("formed")
    container = page.locator(".fold", has_text="Container container-1")
    container.get_by_label("Image").fill("host")
    container.get_by_label("Command", exact=True).fill("sh -c 'echo made by a form'")
    container.get_by_label("CPU request").fill("10m")
    visitor.check_accessibility()
    page.get_by_role("button", name="Preview YAML").click()
    editor = page.get_by_role("dialog").get_by_role("textbox")
    editor.wait_for()
    assert "echo made by a form" in editor.inner_text()
    page.get_by_role("dialog").get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("row", name="formed").get_by_text("Completed").wait_for(timeout=20_000)
    assert shown.kubectl("logs", "formed").strip() == "made by a form"


def test_the_pages_speak_chinese(chromium, shown):  # noqa: F811
    visitor = Visitor(chromium, shown, "zh")
    page = visitor.page
    visitor.go("TensorBoard")
    page.get_by_role("link", name="创建 TensorBoard").wait_for()
    page.get_by_role("row", name="board").get_by_role("link", name="打开").wait_for()
    visitor.go("Pod")
    page.get_by_role("columnheader", name="就绪容器数").wait_for()
    visitor.check_accessibility()
    visitor.go("Notebook")
    page.get_by_role("link", name="创建 Notebook").click()
    for label in ["名称", "镜像类型", "存储卷（PersistentVolumeClaim）", "绑定路径", "模板"]:
        page.get_by_label(label, exact=True).wait_for()
    visitor.check_accessibility()
    visitor.close()
