"""The pages of the web console, in Chromium: what people see of the frame, the job list, a job and its replicas."""

import pytest
from jobs import job, pod_spec, replicas, shell_job
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)

LIMITS = {"resources": {"requests": {"cpu": "100m", "memory": "16Mi"}, "limits": {"cpu": "200m", "memory": "32Mi"}}}
PAGES = {"en": ["Overview", "Volumes", "Notebook", "Job", "TensorBoard", "Pod", "Secret", "ConfigMap", "Queue", "Node",
                "About"],
         "zh": ["总览", "持久卷", "Notebook", "Job", "TensorBoard", "Pod", "Secret", "ConfigMap", "队列", "节点", "关于"]}


def held_job(name):
    return {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "GenericJob", "metadata": {"name": name},
            "spec": {"runMode": {"pause": {"enabled": True}},
                     "replicaSpecs": [{"type": "worker", "template": {"spec": pod_spec("sleep 600")}}]}}


@pytest.fixture(scope="module")
def shown(shared_server):
    """A server with three jobs of two kinds: one has failed, one is held, one runs; so they are listed, whether they were
    made in one second or not."""
    server = shared_server
    running = job("ps-mnist", replicas("echo training; sleep 600", "ps", **LIMITS),
                  replicas("sleep 600", "worker", 2, **LIMITS))
    running["metadata"]["labels"] = {"team": "vision"}
    server.create(running)
    server.create(held_job("held"))
    server.create(shell_job("broken", "echo 'ValueError: bad rate' >&2; exit 3", restart="Never",
                            run_policy={"backoffLimit": 0}))
    server.wait_phase("ps-mnist", "Running")
    server.wait_phase("broken", "Failed")
    server.wait_phase("held", "Paused", "genericjob")
    return server


@pytest.fixture
def visitor(chromium, shown):  # noqa: F811
    made = Visitor(chromium, shown, "en")
    yield made
    made.close()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_is_there_in_both_languages(chromium, shown, language):  # noqa: F811
    visitor = Visitor(chromium, shown, language)
    page = visitor.page
    title = {"en": "Build Console", "zh": "模型构建控制台"}[language]
    assert page.title() == f"{PAGES[language][0]} · {title}", "it opens on the overview"
    assert page.locator("html").get_attribute("lang") == {"en": "en", "zh": "zh-CN"}[language]
    for name in PAGES[language]:
        visitor.go(name)
        page.get_by_role("heading", level=1, name=name, exact=True).wait_for()
        page.wait_for_function("title => document.title === title", arg=f"{name} · {title}")
    visitor.go("Job")
    visitor.expect_rows("broken", "held", "ps-mnist")
    visitor.check_accessibility()
    visitor.close()


def test_language_is_switched_at_once_and_remembered(visitor):
    page = visitor.page
    page.get_by_label("Language").select_option("zh")
    page.get_by_role("heading", level=1, name="总览").wait_for()
    page.reload()
    page.get_by_role("heading", level=1, name="总览").wait_for()


def test_dark_is_dark_and_readable_and_remembered(visitor):
    page = visitor.page
    visitor.go("Job")
    page.get_by_label("Appearance").select_option("dark")
    visitor.expect_rows("broken", "held", "ps-mnist")
    visitor.check_accessibility()
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_overview_counts_what_is_there(visitor, shown):
    page = visitor.page
    line = page.locator(".cards li", has_text="Job")
    expect_soon("3 jobs", lambda: line.inner_text().split() == ["Job", "3"], line.inner_text)
    shown.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "counted"}})
    line = page.locator(".cards li", has_text="ConfigMap")
    expect_soon("it to be counted", lambda: line.inner_text().split()[1] != "1", line.inner_text)
    visitor.check_accessibility()
    page.get_by_role("link", name="Events").click()
    page.get_by_role("cell", name="PyTorchTrainingJob/broken").first.wait_for()


def test_project_is_chosen(visitor, shown):
    page = visitor.page
    shown.kubectl("create", "namespace", "elsewhere")
    visitor.go("Job")
    page.get_by_role("button", name="Project: default").click()
    page.get_by_role("button", name="elsewhere").click()
    page.get_by_text("There is no job in this project yet").wait_for()
    page.get_by_role("button", name="Project: elsewhere").click()
    page.get_by_role("button", name="All projects").click()
    visitor.expect_rows("broken", "held", "ps-mnist")
    assert page.get_by_role("columnheader", name="Project").is_visible(), "now it says whose each is"


# ---- the job list --------------------------------------------------------------------------------


def test_job_list_shows_all_kinds_with_their_status_and_what_they_ask_for(visitor):
    visitor.go("Job")
    visitor.expect_rows("broken", "held", "ps-mnist")
    row = visitor.page.get_by_role("row", name="ps-mnist")
    for text in ["team: vision", "PyTorchTrainingJob", "300.00m / 600.00m", "48.00Mi / 96.00Mi"]:
        assert text in row.inner_text(), row.inner_text()
    status = {name: visitor.page.get_by_role("row", name=name).locator(".phase").get_attribute("title")
              for name in ["ps-mnist", "broken", "held"]}
    assert status == {"ps-mnist": "Running", "broken": "Error", "held": "Paused"}


def test_job_list_is_searched_filtered_and_sorted(visitor):
    page = visitor.page
    visitor.go("Job")
    page.get_by_role("searchbox").fill("MNIST")
    visitor.expect_rows("ps-mnist")
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Phase").click()
    page.get_by_label("Running").check()
    page.get_by_label("Error").check()
    page.keyboard.press("Escape")
    visitor.expect_rows("broken", "ps-mnist")
    page.reload()
    visitor.expect_rows("broken", "ps-mnist")  # the address holds it
    page.get_by_role("button", name="Remove Phase: Error").click()
    visitor.expect_rows("ps-mnist")
    page.get_by_role("button", name="Clear all").click()
    page.get_by_role("button", name="Sort").click()
    page.get_by_role("button", name="Name: Ascending").click()
    visitor.expect_rows("broken", "held", "ps-mnist")
    assert page.get_by_text("Sort: Name: Ascending").is_visible()


def test_columns_are_chosen_and_remembered(visitor):
    page = visitor.page
    visitor.go("Job")
    page.get_by_role("button", name="Columns").click()
    page.get_by_label("Queue").check()
    page.get_by_label("Labels").uncheck()
    page.reload()
    page.get_by_role("columnheader", name="Queue").wait_for()
    assert page.get_by_role("columnheader", name="Labels").count() == 0


def test_pages_of_the_list(visitor, shown):
    page = visitor.page
    for number in range(12):
        shown.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"secret-{number:02}"}})
    visitor.go("Secret")
    page.get_by_text("1–10 of 12").wait_for()
    page.get_by_role("button", name="Next page").click()
    page.get_by_text("11–12 of 12").wait_for()
    assert len(visitor.rows()) == 2
    page.get_by_role("combobox", name="Rows per page").select_option("25")
    page.get_by_text("1–12 of 12").wait_for()


def test_job_appears_changes_and_goes_by_itself(visitor, shown):
    page = visitor.page
    visitor.go("Job")
    visitor.expect_rows("broken", "held", "ps-mnist")
    shown.create(held_job("fresh"))
    visitor.expect_rows("fresh", "broken", "held", "ps-mnist")
    row = page.get_by_role("row", name="fresh")
    row.get_by_role("button", name="Actions for fresh").click()
    page.get_by_role("button", name="Resume").click()
    row.get_by_title("Running").wait_for()
    row.get_by_role("button", name="Actions for fresh").click()
    page.get_by_role("button", name="YAML").click()
    assert "kind: GenericJob\n" in page.get_by_role("dialog").inner_text()
    page.keyboard.press("Escape")
    row.get_by_role("button", name="Actions for fresh").click()
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete fresh?")
    visitor.check_accessibility()
    dialog.get_by_role("button", name="Delete").click()
    visitor.expect_rows("broken", "held", "ps-mnist")


def test_the_way_back_closes_a_dialog_and_stays_on_the_page(visitor):
    page = visitor.page
    visitor.go("Job")
    page.get_by_role("link", name="held", exact=True).click()
    dialog = page.get_by_role("dialog")
    for _ in range(2):
        page.get_by_role("button", name="YAML").click()
        dialog.wait_for()
        page.go_back()
        dialog.wait_for(state="detached")
        assert page.evaluate("location.hash").endswith("/held"), "the page under it is the same"
    page.get_by_role("button", name="YAML").click()
    dialog.wait_for()
    visitor.close_dialog()
    page.go_back()
    page.wait_for_url("**/#/jobs")


# ---- a job ---------------------------------------------------------------------------------------


def test_a_job_that_waits_does_not_say_that_it_runs(visitor, shown):
    shown.create(job("large", replicas("true", "worker", resources={"limits": {"nvidia.com/gpu": "1"}})))
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/large")
    page.get_by_role("row", name="ReplicaFailure").get_by_text("No pod has failed.").wait_for()
    assert "running normally" not in page.locator("main").inner_text()
    shown.kubectl("delete", "pytorchtrainingjob", "large")


def test_of_a_job_that_is_over_the_page_says_what_became_of_it(visitor, shown):
    shown.create(job("brief", replicas("true", "worker", 2)))
    shown.wait_phase("brief", "Succeeded")
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/brief")
    page.locator(".facts").get_by_text("2 Succeeded").wait_for()
    assert "running" not in page.locator(".facts").inner_text()
    shown.kubectl("delete", "pytorchtrainingjob", "brief")


def test_failed_job_says_why(visitor):
    page = visitor.page
    visitor.go("Job")
    page.get_by_role("link", name="broken").click()
    page.get_by_text("Why it failed").wait_for()
    assert "ValueError: bad rate" in page.locator(".cause").inner_text()
    page.locator(".cause .telling").wait_for()
    visitor.check_accessibility()
    page.get_by_role("link", name="Replicas").click()
    replica = page.get_by_role("row", name="worker-0").filter(has_text="exit code 3")
    expect_soon("its last words", lambda: "ValueError: bad rate" in replica.inner_text(), replica.inner_text)


def test_replicas_and_their_logs(visitor, shown):
    page = visitor.page
    visitor.go("Job")
    page.get_by_role("link", name="ps-mnist").click()
    facts = page.locator(".facts")
    facts.wait_for()
    assert "ps: 1" in facts.inner_text() and "worker: 2" in facts.inner_text()
    page.get_by_role("link", name="Replicas").click()
    expect_soon("three replicas", lambda: len(visitor.rows()) == 3, visitor.rows)
    first = page.locator("tbody tr").first
    expect_soon("the master", lambda: "job-role: master" in first.inner_text(), first.inner_text)
    assert page.get_by_text("job-role: master").count() == 1
    visitor.check_accessibility()
    first.get_by_role("button", name="Actions for").click()
    page.get_by_role("button", name="Log", exact=True).click()
    page.get_by_role("log").get_by_text("training").wait_for()
    visitor.check_accessibility()


def test_link_without_a_kind_finds_the_job(visitor, shown):
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/held")
    page.get_by_role("heading", level=1, name="held").wait_for()
    page.get_by_role("link", name="GenericJob").wait_for()
    page.goto(f"http://{shown.console}/#/jobs/default/nothing")
    page.get_by_text("There is no job nothing in project default.").wait_for()


# ---- people --------------------------------------------------------------------------------------


def test_account_says_who_and_signs_out(visitor):
    page = visitor.page
    page.get_by_role("button", name="Account").click()
    page.get_by_text("system:masters").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="You are not signed in").wait_for()
    page.close()
    visitor.complaints.clear()  # the browser tells of each refused request
