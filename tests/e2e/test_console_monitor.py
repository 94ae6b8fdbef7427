"""Resource monitoring in the web console: real jobs that burn CPU, and their curves in Chromium and in the API."""

import re
import time

import pytest
from jobs import job, replicas, shell_job
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)

BURN = "end=$(($(date +%s) + 6)); while [ $(date +%s) -lt $end ]; do :; done; times"
LIMITS = {"resources": {"requests": {"cpu": "100m", "memory": "16Mi"}, "limits": {"cpu": "1500m", "memory": "64Mi"}}}
API = "/apis/usage.trainyard.dev/v1/namespaces/default/podusages"


@pytest.fixture(scope="module")
def burnt(shared_server):
    """One job that has burnt CPU for some seconds and is over, and one of two replicas that goes on, with a GPU each."""
    server = shared_server
    server.create(shell_job("burner", BURN, restart="Never", **LIMITS))
    server.create(job("going", replicas("while :; do echo x > /tmp/f; done", count=2,
                                        resources={"limits": {"cpu": "200m", "memory": "64Mi"}})))
    server.wait_phase("burner", "Succeeded")
    server.wait_phase("going", "Running")
    return server


@pytest.fixture
def visitor(chromium, burnt):  # noqa: F811
    made = Visitor(chromium, burnt, "en")
    yield made
    made.close()


def usage_of(server, name, query="&sum=true"):
    uid = server.get("pj", name)["metadata"]["uid"]
    status, told = server.api(f"{API}?owner={uid}{query}", server.token())
    assert status == 200, told
    return told


def known(values):
    return [value for value in values if value is not None]


def open_tab(visitor, name, tab="monitoring"):
    base = visitor.page.url.split("#")[0]
    visitor.page.goto(f"{base}#/jobs/default/pytorchtrainingjobs.batch.tensorstack.dev/{name}/{tab}")


def card(page, name):
    return page.get_by_role("region", name=name, exact=True)


def test_curves_of_an_ended_job_reach_from_start_to_finish_and_stay(burnt):
    told = usage_of(burnt, "burner")
    assert told["recordedSince"]
    (sum_,) = told["items"]
    cpu = known(sum_["usage"]["cpu"]["mean"])
    assert sum_["stepSeconds"] == 1 and len(cpu) >= 3, sum_
    burnt_seconds = sum(60 * int(m) + float(s) for m, s in re.findall(r"(\d+)m([\d.]+)s", burnt.cli("logs", "burner").out))
    # Its first second and its last are not known; a step that is known in part counts as a whole one here, and the shell
    # counts in ticks what many short processes used.
    assert 0.3 * burnt_seconds < sum(cpu) < 1.7 * burnt_seconds, (burnt_seconds, cpu)
    assert set(known(sum_["limits"]["cpu"])) == {1.5} and set(known(sum_["requests"]["cpu"])) == {0.1}
    assert max(known(sum_["usage"]["memory"]["mean"])) > 100_000
    assert sum_["end"] > sum_["begin"]
    time.sleep(1.5)
    assert usage_of(burnt, "burner") == told, "it no longer moves"


def test_single_replicas_and_steps_are_told_apart(burnt):
    expect_soon("two pods", lambda: len(usage_of(burnt, "going", "")["items"]) == 2,
                lambda: usage_of(burnt, "going", ""))
    one = usage_of(burnt, "burner", "&points=2&sum=true&metrics=cpu")["items"][0]
    assert list(one["usage"]) == ["cpu"]
    assert len(one["usage"]["cpu"]["mean"]) <= 2
    assert max(known(one["usage"]["cpu"]["high"])) >= max(known(one["usage"]["cpu"]["mean"]))


def test_usage_outlives_the_pod(burnt):
    burnt.create(shell_job("removed", "while :; do :; done", **LIMITS))
    burnt.wait_phase("removed", "Running")
    expect_soon("something recorded", lambda: usage_of(burnt, "removed")["items"] and known(
        usage_of(burnt, "removed")["items"][0]["usage"]["cpu"]["mean"]), lambda: usage_of(burnt, "removed"))
    burnt.kubectl("patch", "pj", "removed", "--type=merge", "-p", '{"spec":{"runMode":{"pause":{"enabled":true}}}}')
    expect_soon("no pods", lambda: not burnt.pods("removed"), lambda: burnt.pods("removed"))
    assert usage_of(burnt, "removed")["items"], "the job is still there"


def test_who_may_not_read_metrics_may_not_read_usage(burnt):
    burnt.kubectl("create", "serviceaccount", "nobody")
    token = burnt.kubectl("create", "token", "nobody").strip()
    status, told = burnt.api(API, token)
    assert status == 403, told
    burnt.kubectl("create", "rolebinding", "nobody-looks", "--clusterrole=view", "--serviceaccount=default:nobody")
    assert burnt.api(API, token)[0] == 200


def test_cards_show_an_ended_job(visitor):
    page = visitor.page
    open_tab(visitor, "burner")
    resources = card(page, "Cluster resources")
    chart = resources.get_by_role("figure", name="CPU (cores)")
    chart.locator("canvas").wait_for()
    for line in ["Request 0.1", "Limit 1.5", "Usage"]:
        assert line in chart.locator(".legend").inner_text().replace("\n", " "), chart.inner_text()
    assert resources.get_by_role("button", name="From start to finish").is_visible()
    assert page.get_by_role("region", name="NVIDIA GPU").count() == 0, "it asks for none"
    chart.get_by_role("button", name="Limit").click()
    assert chart.get_by_role("button", name="Limit").get_attribute("aria-pressed") == "false"
    chart.get_by_text("As a table").click()
    chart.get_by_role("row").nth(3).wait_for()
    rows = chart.get_by_role("row").all_inner_texts()
    assert len(rows) > 3 and rows[0].split() == ["Time", "Request", "Limit", "Usage"], rows
    visitor.check_accessibility()
    time.sleep(2.5)
    assert chart.get_by_role("row").all_inner_texts() == rows, "it stands still"


def test_cursor_is_shared_and_tells_values(visitor):
    page = visitor.page
    open_tab(visitor, "burner")
    cpu, memory = [card(page, "Cluster resources").get_by_role("figure", name=name)
                   for name in ["CPU (cores)", "Memory (bytes)"]]
    over = cpu.locator(".u-over")
    over.wait_for()
    memory.locator(".u-over").wait_for()
    box = over.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    for chart in [cpu, memory]:
        expect_soon("a time under the cursor", lambda: ":" in chart.locator(".under").inner_text(),
                    chart.inner_text)


def test_running_job_moves_and_its_replicas_can_be_told_apart(visitor):
    page = visitor.page
    open_tab(visitor, "going")
    resources = card(page, "Cluster resources")
    cpu = resources.get_by_role("figure", name="CPU (cores)")
    cpu.get_by_text("As a table").click()
    first = cpu.get_by_role("row").count()
    expect_soon("more steps", lambda: cpu.get_by_role("row").count() > first, cpu.inner_text)
    page.get_by_label("One line per replica").check()
    cpu.get_by_role("button", name="worker-1").wait_for()
    resources.get_by_role("button", name="From start to now").click()
    page.get_by_role("combobox", name="From").select_option("5")
    resources.get_by_role("button", name="From 5 min ago to now").wait_for()
    page.keyboard.press("Escape")
    resources.get_by_role("button", name="Fold Cluster resources").click()
    expect_soon("it to fold", lambda: resources.locator("canvas").count() == 0, resources.inner_html)


def test_replica_has_a_metrics_dialog(visitor):
    page = visitor.page
    open_tab(visitor, "burner", "replicas")
    page.get_by_role("button", name="Actions for burner-").click()
    page.get_by_role("button", name="Metrics").click()
    dialog = page.get_by_role("dialog", name="Metrics: burner-")
    dialog.get_by_role("figure", name="Throughput (read + write)").wait_for()
    dialog.get_by_role("button", name="From start to finish").first.wait_for()
    visitor.check_accessibility()


def test_charts_outlive_their_job(visitor, burnt):
    page = visitor.page
    burnt.create(shell_job("passing", BURN, restart="Never", **LIMITS))
    burnt.wait_phase("passing", "Succeeded")
    assert burnt.cli("delete", "passing").code == 0
    expect_soon("its pod to go", lambda: not burnt.pods("passing"), lambda: burnt.pods("passing"))
    page.goto(f"http://{burnt.console}/#/jobs/default/passing")
    page.get_by_text("There is no job passing in project default.").wait_for()
    page.get_by_role("heading", name="What it has used").wait_for()
    chart = card(page, "Cluster resources").get_by_role("figure", name="CPU (cores)")
    chart.get_by_text("As a table").click()
    chart.get_by_role("row").nth(3).wait_for()
    rows = chart.get_by_role("row").all_inner_texts()
    assert len(rows) > 3 and rows[0].split() == ["Time", "Request", "Limit", "Usage"], rows


def test_chinese_and_dark(chromium, burnt):  # noqa: F811
    visitor = Visitor(chromium, burnt, "zh")
    page = visitor.page
    page.get_by_label("外观").select_option("dark")
    open_tab(visitor, "burner", "facts")
    page.get_by_role("link", name="资源监测").click()
    for name in ["集群资源", "网络带宽", "存储 I/O"]:
        card(page, name).get_by_role("button", name="从 start 到 finish").wait_for()
    chart = card(page, "集群资源").get_by_role("figure", name="CPU（核）")
    chart.locator("canvas").wait_for()
    assert "使用量" in chart.inner_text()
    visitor.check_accessibility()
    visitor.close()
