"""Logs, terminals and what can be done with a job, in Chromium: what people see of a job that runs, fails or is cleaned up."""

import json
import re

import pytest
from console_client import Browser, WebSocket
from jobs import job, pod_spec, replicas, shell_job
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)
from processes import pids_running

KIND = "pytorchtrainingjobs.batch.tensorstack.dev"
TALK = "i=0; while true; do echo step $i of $HOSTNAME; i=$((i+1)); sleep 0.2; done"
# Colours of all three kinds, markup, a letter that turns the others round, Chinese, a progress bar, the window's title.
TRICKS = r"""printf '\033[31mred\033[0m \033[38;5;208morange\033[0m \033[48;2;30;60;120mground\033[0m\n'
printf '\033]0;title\007<img src=x onerror=alert(1)><script>alert(1)</script>\n'
printf 'invoice\342\200\256fdp.exe\n训练开始\n10%%\r100%%\n'
i=0; while [ $i -lt 300 ]; do echo "epoch $i loss 0.$i"; i=$((i+1)); done
echo 'RuntimeError: out of luck' >&2; sleep 0.1; echo the end"""
FAIL = r"""i=0; while [ $i -lt 40 ]; do echo epoch $i; i=$((i+1)); done
echo 'ValueError: bad rate' >&2; exit 3"""


@pytest.fixture(scope="module")
def shown(shared_server):
    """A server with jobs that talk, that have ended, that have failed and were cleaned up."""
    server = shared_server
    server.create(job("talks", replicas(TALK, "ps"), replicas(TALK, "worker", 2)))
    server.create(shell_job("tricks", TRICKS))
    server.create(shell_job("broken", FAIL, count=2, restart="Never",
                            run_policy={"backoffLimit": 0, "cleanUpPolicy": "All"}))
    server.wait_phase("talks", "Running")
    server.wait_phase("tricks", "Succeeded")
    server.wait_phase("broken", "Failed")
    return server


@pytest.fixture
def visitor(chromium, shown):  # noqa: F811
    made = Visitor(chromium, shown, "en")
    yield made
    made.close()


class Log:
    """The log on a page or in a dialog."""

    def __init__(self, page):
        self.page = page
        self.box = page.get_by_role("log")
        self.box.wait_for()

    def lines(self):
        """What is in sight and a little more: (tag, text)."""
        return [tuple(row) for row in self.box.evaluate(
            "box => [...box.querySelectorAll('.row')].map(row =>"
            " [row.querySelector('.tag')?.textContent ?? '', row.querySelector('.text').textContent])")]

    def texts(self):
        return [text for _, text in self.lines()]

    def expect(self, text):
        expect_soon(f"the line {text!r}", lambda: text in self.texts(), self.texts)

    def counter(self):
        found = re.search(r"(\d[\d,]*)–(\d[\d,]*) of (\d[\d,]*)", self.page.locator(".log footer").inner_text())
        return tuple(int(number.replace(",", "")) for number in found.groups()) if found else (0, 0, 0)


def open_logs(visitor, shown, name):
    visitor.page.goto(f"http://{shown.console}/#/jobs/default/{KIND}/{name}/logs")
    return Log(visitor.page)


def open_menu(page, row):
    row.get_by_role("button", name=re.compile("Actions for|操作")).click()


# ---- logs ----------------------------------------------------------------------------------------


def test_log_of_a_running_replica_grows_in_its_dialog(visitor, shown):
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/{KIND}/talks/replicas")
    open_menu(page, page.get_by_role("row", name="ps-0"))
    page.get_by_role("button", name="Log", exact=True).click()
    log = Log(page)
    expect_soon("ten lines", lambda: log.counter()[2] >= 10, log.counter)
    before = log.counter()[2]
    expect_soon("more lines", lambda: log.counter()[2] > before, log.counter)
    assert log.texts()[0].startswith("step 0 of talks-")
    visitor.check_accessibility()
    visitor.close_dialog()


def test_logs_of_all_replicas_are_merged_by_time_and_parted_by_choice(visitor, shown):
    page = visitor.page
    log = open_logs(visitor, shown, "talks")
    tags = {"ps-0", "worker-0", "worker-1"}
    expect_soon("lines of all", lambda: {tag for tag, _ in log.lines()} == tags, log.lines)
    page.get_by_label("Time stamps").check()
    times = log.box.evaluate("box => [...box.querySelectorAll('time')].map(time => time.title)")
    assert len(times) > 10 and times == sorted(times)
    colours = {row[0]: row[1] for row in log.box.evaluate(
        "box => [...box.querySelectorAll('.tag')].map(tag => [tag.textContent, getComputedStyle(tag).color])")}
    assert len(set(colours.values())) == 3, colours
    visitor.check_accessibility()
    page.get_by_role("combobox", name="Replica").select_option("worker-1")
    expect_soon("one log", lambda: log.texts() and all("worker-1" in text for text in log.texts()), log.lines)
    assert {tag for tag, _ in log.lines()} == {""}


def test_log_of_an_ended_job_is_whole_and_searched(visitor, shown):
    page = visitor.page
    log = open_logs(visitor, shown, "tricks")
    expect_soon("all lines", lambda: log.counter()[2] == 307, log.counter)
    page.get_by_text("End of the log").wait_for()
    log.expect("the end")
    search = page.get_by_role("searchbox", name="Search the log")
    found = page.locator(".find [role=status]")
    search.fill("EPOCH 1 ")
    expect_soon("one match", lambda: found.inner_text() == "1", found.inner_text)
    search.press("Enter")
    log.expect("epoch 1 loss 0.1")
    assert found.inner_text() == "1 / 1" and not page.get_by_label("Live").is_checked()
    page.get_by_role("button", name="Regular expression").click()
    search.fill(r"epoch \d\d loss")
    expect_soon("90 matches", lambda: found.inner_text() == "90", found.inner_text)
    page.get_by_role("button", name="Match case").click()
    search.fill("EPOCH|(")
    expect_soon("the problem", lambda: found.inner_text() == "This is no regular expression", found.inner_text)
    assert found.bounding_box()["height"] < 40, "it has room in one line"
    search.fill("")
    page.get_by_role("button", name="First error").click()
    assert page.locator(".row.current").inner_text().endswith("RuntimeError: out of luck")
    page.get_by_role("button", name="Jump to the top").click()
    log.expect("训练开始")
    page.get_by_label("Live").check()
    log.expect("the end")


def test_what_strangers_print_is_shown_and_does_nothing(visitor, shown):
    page = visitor.page
    log = open_logs(visitor, shown, "tricks")
    expect_soon("all lines", lambda: log.counter()[2] == 307, log.counter)
    page.get_by_role("button", name="Jump to the top").click()
    log.expect("<img src=x onerror=alert(1)><script>alert(1)</script>")
    log.expect("invoice<U+202E>fdp.exe")
    log.expect("100%")
    assert log.box.locator("img, script").count() == 0
    assert "title" not in page.title()
    look = {text: log.box.get_by_text(text, exact=True).evaluate("part => [getComputedStyle(part).color,"
                                                                 " getComputedStyle(part).backgroundColor]")
            for text in ["red", "orange", "ground"]}
    assert look["orange"][0] == "rgb(255, 135, 0)" and look["ground"][1] == "rgb(30, 60, 120)", look
    assert look["red"][0] not in [look["ground"][0], look["orange"][0]], look
    visitor.check_accessibility()


def test_address_leads_to_a_line_and_a_log_is_downloaded(visitor, shown):
    page = visitor.page
    log = open_logs(visitor, shown, "tricks")
    expect_soon("all lines", lambda: log.counter()[2] == 307, log.counter)
    page.get_by_role("searchbox", name="Search the log").fill("epoch 100 ")
    page.get_by_role("button", name="Next match").click()
    page.locator(".row.current a").click()
    address = page.url
    assert "line=worker-0" in address
    page.goto("about:blank")
    page.goto(address)
    page.locator(".row.current").get_by_text("epoch 100 loss 0.100").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    saved = download.value.path().read_bytes().decode()
    assert saved.endswith("\nthe end\n") and "训练开始" in saved and saved.count("\n") == 307


def test_log_of_the_run_before(visitor, shown):
    shown.create(shell_job("tries", "echo run of $(cat /proc/sys/kernel/random/uuid); exit 1",
                           run_policy={"backoffLimit": 1}))
    shown.wait_phase("tries", "Failed", timeout=60)
    [pod] = shown.pods("tries")
    last, before = (shown.kubectl("logs", pod["metadata"]["name"], *which).strip() for which in [[], ["--previous"]])
    assert last != before
    log = open_logs(visitor, shown, "tries")
    # A page that comes between the two runs shows both, one after the other.
    expect_soon("the last run", lambda: log.texts()[-1:] == [last], log.texts)
    visitor.page.get_by_label("Previous run").check()
    expect_soon("the run before", lambda: log.texts() == [before], log.texts)


COUNT = 1_000_000
RANKS = 16
STEP = "step {} loss 0.25 lr 0.1"


@pytest.fixture(scope="module")
def millions(shown):
    """A job of which each rank has written a million lines."""
    shown.create(job("large", replicas(f"seq -f '{STEP.format('%.0f')}' {COUNT}", "worker", RANKS)))
    shown.wait_phase("large", "Succeeded", timeout=300)
    return shown


def longest_tasks(chromium, page, act):  # noqa: F811
    """The processor time of what kept the page from answering while `act` went on, in milliseconds, the longest first.
    Not the time on the wall: the machine may be busy with other things."""
    chromium.start_tracing(page=page, categories=["toplevel", "__metadata"])
    try:
        act()
    finally:
        events = json.loads(chromium.stop_tracing())["traceEvents"]
    pages = {(event["pid"], event["tid"]) for event in events
             if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"}
    return sorted((event["tdur"] / 1000 for event in events
                   if "tdur" in event and (event["pid"], event["tid"]) in pages), reverse=True)


def scroll_up_until(page, log, reached):
    log.box.hover()

    def up():
        page.mouse.wheel(0, -20_000)
        return reached(log.counter())
    expect_soon("earlier lines", up, log.counter, timeout=60)


def test_a_million_lines_of_each_of_sixteen_ranks(chromium, visitor, millions, record_property):  # noqa: F811
    """Numbers are the files', all of it is reached and searched, and the page never stands still for long."""
    page = visitor.page
    found = page.locator(".find [role=status]")

    def act():
        log = open_logs(visitor, millions, "large")
        expect_soon("the end of all", lambda: log.counter()[1:] == (RANKS * COUNT, RANKS * COUNT), log.counter, 120)
        scroll_up_until(page, log, lambda seen: seen[0] < RANKS * COUNT - 30_000)
        page.get_by_role("button", name="Jump to the top").click()
        expect_soon("the beginning", lambda: log.counter()[0] == 1, log.counter)
        assert log.texts()[0] == STEP.format(1)
        search = page.get_by_role("searchbox", name="Search the log")
        search.fill("STEP 777777")
        expect_soon("one match a rank", lambda: found.inner_text() == str(RANKS), found.inner_text, 120)
        search.press("Enter")
        current = page.locator(".row.current")
        expect_soon("the line", lambda: "step 777777" in current.inner_text(), log.texts)
        assert current.locator(".number").inner_text() == "777777"
        page.get_by_label("Live").check()
        expect_soon("the end again", lambda: log.counter()[1] == RANKS * COUNT, log.counter)
    tasks = longest_tasks(chromium, page, act)
    record_property("longest tasks", ", ".join(f"{task:.0f} ms" for task in tasks[:5]))
    assert len(tasks) > 100 and tasks[0] < 100, tasks[:10]
    assert page.locator(".lines .row").count() < 150, "only what is in sight is drawn"


def test_a_million_lines_of_one_rank(chromium, visitor, millions, record_property):  # noqa: F811
    page = visitor.page
    found = page.locator(".find [role=status]")

    def act():
        log = open_logs(visitor, millions, "large")
        page.get_by_role("combobox", name="Replica").select_option("worker-3")
        expect_soon("its end", lambda: log.counter()[1:] == (COUNT, COUNT), log.counter)
        assert log.texts()[-1] == STEP.format(COUNT)
        scroll_up_until(page, log, lambda seen: seen[0] < COUNT - 60_000)
        rows = log.box.evaluate("box => [...box.querySelectorAll('.row')].map(row =>"
                                " [row.querySelector('.number').textContent, row.querySelector('.text').textContent])")
        assert len(rows) > 10 and all(text == STEP.format(number) for number, text in rows), rows
        search = page.get_by_role("searchbox", name="Search the log")
        page.get_by_role("button", name="Regular expression").click()
        search.fill("^step 8120(00|01) loss")
        expect_soon("both", lambda: found.inner_text() == "2", found.inner_text, 60)
        search.press("Enter")
        search.press("Enter")
        expect_soon("the second", lambda: page.locator(".row.current .number").inner_text() in ("812000", "812001"), log.texts)
        number = int(page.locator(".row.current .number").inner_text())
        assert page.locator(".row.current .text").inner_text() == STEP.format(number)
        page.locator(".row.current a").click()
        address = page.url
        page.goto("about:blank")
        page.goto(address)
        expect_soon("the line of the address", lambda: page.locator(".row.current .text").all_inner_texts() == [STEP.format(number)],
                    log.texts)
        scroll_down = log.counter()[1]
        log.box.hover()

        def down():
            page.mouse.wheel(0, 20_000)
            return log.counter()[1] > scroll_down + 10_000
        expect_soon("later lines", down, log.counter, timeout=60)
    tasks = longest_tasks(chromium, page, act)
    record_property("longest tasks", ", ".join(f"{task:.0f} ms" for task in tasks[:5]))
    assert tasks[0] < 100, tasks[:10]


def test_lines_that_are_no_longer_kept_are_told(visitor, millions):
    """As when the limit of a log is reached, also when the pod is gone."""
    page = visitor.page
    [pod] = [pod for pod in millions.pods("large") if pod["metadata"]["name"].endswith("worker-5")]
    [oldest] = (millions.data / "pods" / pod["metadata"]["uid"]).glob("**/log")
    gone = oldest.read_bytes().count(b"\n")
    assert 100_000 < gone < COUNT
    oldest.unlink()
    log = open_logs(visitor, millions, "large")
    page.get_by_role("combobox", name="Replica").select_option("worker-5")

    def told():
        expect_soon("its end", lambda: log.counter()[1:] == (COUNT, COUNT), log.counter)
        page.get_by_text(f"lines 1–{gone:,} are no longer kept").wait_for()
        page.get_by_role("button", name="Jump to the top").click()
        expect_soon("the first that is kept", lambda: log.texts()[:1] == [STEP.format(gone + 1)], log.counter)
        assert log.counter()[0] == gone + 1
    told()
    visitor.check_accessibility()
    assert millions.cli("delete", "large").code == 0
    expect_soon("its pods to go", lambda: not millions.pods("large"), lambda: len(millions.pods("large")))
    page.goto("about:blank")
    page.goto(f"http://{millions.console}/#/jobs/default/large")
    log = Log(page)
    page.get_by_role("combobox", name="Replica").select_option("worker-5")
    told()


# ---- what is gone, and why -----------------------------------------------------------------------

REPORT = r"""i=0; while [ $i -lt 40 ]; do echo epoch $i; i=$((i+1)); done
printf 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n'
echo "KeyError: 'lr'"
echo 'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 2 (pid: 9) of binary: python'
printf 'Traceback (most recent call last):\n  File "run.py", line 1, in <module>\n'
echo 'torch.distributed.elastic.multiprocessing.errors.ChildFailedError: '
i=0; while [ $i -lt 30 ]; do echo '======================================'; i=$((i+1)); done; exit 1"""


def test_excerpt_is_of_the_line_that_tells_and_not_of_torchruns_report(visitor, shown):
    shown.create(shell_job("banner", REPORT, restart="Never"))
    shown.wait_phase("banner", "Failed")
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/banner")
    cause = page.locator(".cause")
    cause.get_by_text("worker-0 failed (exit 1): KeyError: 'lr'").wait_for()
    telling = cause.locator(".telling")
    telling.wait_for()
    assert telling.inner_text() == "KeyError: 'lr'"
    log, line = cause.get_by_role("log").bounding_box(), telling.bounding_box()
    middle = line["y"] + line["height"] / 2
    assert log["y"] < middle < log["y"] + log["height"], "it is in sight"
    assert "epoch 39" in cause.inner_text(), "with what came before it"



@pytest.mark.parametrize("language", ["en", "zh"])
def test_failed_job_says_why_with_its_last_lines(chromium, shown, language):  # noqa: F811
    visitor = Visitor(chromium, shown, language)
    page = visitor.page
    visitor.go("Job")
    row = page.get_by_role("row", name="broken")
    row.get_by_title("Error").wait_for()
    page.get_by_role("link", name="broken").click()
    cause = page.locator(".cause")
    expect_soon("the last lines", lambda: "epoch 39" in cause.inner_text(), cause.inner_text)
    sentence = cause.locator("p").inner_text()
    assert re.search(r"worker-\d failed \(exit 3\): ValueError: bad rate", sentence) and " at 20" not in sentence, sentence
    assert cause.locator(".telling").all_inner_texts() == ["ValueError: bad rate"], "the line that tells is marked"
    blamed = re.search(r"worker-\d", sentence)[0]
    assert blamed in cause.locator("figcaption").inner_text(), "the same replica everywhere"
    page.get_by_role("button", name={"en": "When and where", "zh": "时间与位置"}[language]).click()
    expect_soon("the rest", lambda: "on node-0 at 20" in cause.locator("p").inner_text(), cause.inner_text)
    assert "worker: 2 2 Error" in " ".join(page.locator(".facts").inner_text().split()), "how many run tells nothing"
    visitor.check_accessibility()
    page.get_by_role("link", name={"en": "Replicas", "zh": "副本"}[language]).click()
    how = {"en": "exit code 3", "zh": "退出码 3"}[language]
    replica = page.get_by_role("row", name="worker-0").filter(has_text=how)
    assert "ValueError: bad rate" in replica.inner_text(), "although its pod is gone"
    visitor.close()


def test_logs_of_workers_that_were_cleaned_up_are_there(visitor, shown):
    page = visitor.page
    assert not shown.pods("broken"), "they are gone"
    log = open_logs(visitor, shown, "broken")
    expect_soon("both logs", lambda: log.counter()[2] == 82, log.counter)
    page.goto(f"http://{shown.console}/#/jobs/default/{KIND}/broken/replicas")
    open_menu(page, page.get_by_role("row", name="worker-1"))
    assert page.get_by_role("button", name="Terminal").get_attribute("aria-disabled") == "true"
    page.get_by_role("button", name="Log", exact=True).click()
    Log(page).expect("ValueError: bad rate")


def test_logs_outlive_their_job(visitor, shown):
    page = visitor.page
    shown.create(shell_job("brief", "echo remember me"))
    shown.wait_phase("brief", "Succeeded")
    assert shown.cli("delete", "brief").code == 0
    expect_soon("its pod to go", lambda: not shown.pods("brief"), lambda: shown.pods("brief"))
    page.goto(f"http://{shown.console}/#/jobs/default/brief")
    page.get_by_text("There is no job brief in project default.").wait_for()
    Log(page).expect("remember me")


def test_conditions_and_events_are_sorted_and_events_detailed(visitor, shown):
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/{KIND}/talks")
    conditions = page.get_by_role("region", name="Conditions")
    conditions.get_by_text("Sort: Last transition: Descending").wait_for()
    conditions.get_by_role("button", name="Sort ▾").click()
    page.get_by_role("button", name="Type: Ascending").click()
    types = conditions.locator("tbody th")
    expect_soon("the order", lambda: types.all_inner_texts() == sorted(types.all_inner_texts()), types.all_inner_texts)
    events = page.get_by_role("region", name="Events")
    objects = events.locator("td.object")
    expect_soon("the job's own", lambda: set(objects.all_inner_texts()) == {"PyTorchTrainingJob/talks"},
                objects.all_inner_texts)
    events.get_by_label("Detailed events").check()
    expect_soon("those of its pods", lambda: any("Pod/talks-" in text for text in objects.all_inner_texts()),
                objects.all_inner_texts)
    visitor.check_accessibility()


def test_columns_of_replicas_are_chosen(visitor, shown):
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/{KIND}/talks/replicas")
    page.get_by_role("button", name="Columns").click()
    page.get_by_label("Labels").uncheck()
    page.keyboard.press("Escape")
    assert page.get_by_role("columnheader", name="Labels").count() == 0
    page.reload()
    page.get_by_role("columnheader", name="Memory").wait_for()
    assert page.get_by_role("columnheader", name="Labels").count() == 0


# ---- terminals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
def test_terminal_in_a_replica(chromium, shown, language):  # noqa: F811
    visitor = Visitor(chromium, shown, language)
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/{KIND}/talks/replicas")
    open_menu(page, page.get_by_role("row", name="worker-0"))
    word = {"en": "Terminal", "zh": "终端"}[language]
    page.get_by_role("button", name=word, exact=True).click()
    page.get_by_text({"en": "Connected", "zh": "已连接"}[language]).wait_for()
    screen = page.locator(".xterm-rows")
    page.keyboard.type("echo 你好 $((6*7)) $HOSTNAME; tput cols\n")
    expect_soon("its answer", lambda: re.search(r"你好 42 talks-\w+-worker-0\s+\d\d", screen.inner_text()), screen.inner_text)
    columns = int(re.search(r"worker-0\s+(\d+)", screen.inner_text())[1])
    visitor.check_accessibility()
    page.set_viewport_size({"width": 800, "height": 700})
    page.keyboard.type("clear; echo now $(tput cols)\n")
    expect_soon("fewer columns", lambda: (found := re.search(r"now (\d+)\n", screen.inner_text() + "\n"))
                and int(found[1]) < columns, screen.inner_text)
    marker = f"31536{7 if language == 'en' else 8}"
    page.keyboard.type(f"sleep {marker}\n")
    expect_soon("the command", lambda: pids_running(f"sleep {marker}"), screen.inner_text)
    page.keyboard.press("Escape")  # is for the shell
    page.get_by_role("dialog").get_by_role("button", name={"en": "Close", "zh": "关闭"}[language]).click()
    expect_soon("the end of the session", lambda: not pids_running(f"sleep {marker}"), lambda: "it still runs")
    visitor.close()


def test_terminal_tells_how_the_shell_ended_and_begins_anew(visitor, shown):
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/{KIND}/talks")
    page.get_by_role("button", name="Terminal ▾").click()
    page.get_by_role("button", name="ps-0", exact=True).click()
    page.get_by_label("Shell").select_option("sh")
    page.get_by_text("Connected").wait_for()
    page.locator(".xterm-helper-textarea").focus()
    page.keyboard.type("exit 5\n")
    page.get_by_text("The shell has ended with exit code 5.").wait_for()
    page.get_by_role("button", name="Connect again").click()
    page.get_by_text("Connected").wait_for()


def test_flood_in_a_terminal_does_not_freeze_the_page(visitor, shown):
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/{KIND}/talks/replicas")
    open_menu(page, page.get_by_role("row", name="ps-0"))
    page.get_by_role("button", name="Terminal", exact=True).click()
    page.get_by_text("Connected").wait_for()
    page.keyboard.type("yes 0123456789012345678901234567890123456789\n")
    screen = page.locator(".xterm-rows")
    expect_soon("the flood", lambda: screen.inner_text().count("0123456789") > 20, screen.inner_text)
    page.keyboard.press("Control+c")
    page.keyboard.type("clear; echo quiet $((1+1))\n")
    expect_soon("an answer soon", lambda: "quiet 2" in screen.inner_text(), screen.inner_text)


def test_command_waits_for_a_page_that_is_slower(shown):
    """What the page has not shown is at most half a megabyte: a browser itself takes whatever comes."""
    browser = Browser(shown.console)
    browser.follow(shown.cli("open").out.strip())
    name = shown.pods("talks")[0]["metadata"]["name"]
    socket = WebSocket(browser, f"/api/v1/namespaces/default/pods/{name}/exec?command=yes&stdout=true",
                       **{"Sec-WebSocket-Protocol": "v5.channel.trainyard.dev"})
    assert socket.status == 101
    window = 512 * 1024

    def receive_until_silence():
        got = 0
        socket.socket.settimeout(1.5)
        try:
            while got < 10 * window:
                got += len(socket.receive_frame()[1])
        except TimeoutError:
            pass
        return got
    first = receive_until_silence()
    assert window <= first < 2 * window, first
    socket.socket.settimeout(10)
    socket.send_frame(0x2, b"\x05%d" % first)
    assert window <= receive_until_silence() < 2 * window
    socket.close()


# ---- what can be done with a job -----------------------------------------------------------------


def elastic_job(name):
    made = job(name, replicas("true", "node", 2), runMode={"pause": {"enabled": True}}, torchrunConfig={"enabled": True},
               elastic={"enabled": True, "minReplicas": 1, "maxReplicas": 4, "expectedReplicas": 2})
    container = made["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]
    del container["command"]
    container["args"] = ["train.py"]
    return made


def test_elastic_job_is_scaled_within_its_bounds(visitor, shown):
    page = visitor.page
    shown.create(elastic_job("stretch"))
    page.goto(f"http://{shown.console}/#/jobs/default/{KIND}/stretch")
    page.get_by_role("button", name="Scale").click()
    dialog = page.get_by_role("dialog", name="Scale stretch")
    dialog.get_by_label("Replicas").fill("5")
    dialog.get_by_role("button", name="Scale").click()
    dialog.get_by_text("Say a whole number from 1 to 4.").wait_for()
    visitor.check_accessibility()
    dialog.get_by_label("Replicas").fill("3")
    dialog.get_by_role("button", name="Scale").click()
    dialog.wait_for(state="hidden")
    assert shown.get("pytorchtrainingjob", "stretch")["spec"]["elastic"]["expectedReplicas"] == 3


def test_job_is_debugged_in_a_copy(visitor, shown):
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/{KIND}/tricks")
    page.get_by_role("button", name="Debug").click()
    dialog = page.get_by_role("dialog", name="Debug tricks")
    name = dialog.get_by_label("Name of the copy")
    assert name.input_value() == "tricks-debug"
    name.fill("Not a name")
    dialog.get_by_role("button", name="Create").click()
    refusal = dialog.locator(".refusal")
    expect_soon("the server's words", lambda: "metadata.name" in refusal.inner_text(), refusal.inner_text)
    assert name.input_value() == "Not a name", "what was typed stays"
    visitor.complaints.clear()  # the browser tells of the refused request
    name.fill("tricks-debug")
    dialog.get_by_role("button", name="Create").click()
    page.get_by_role("heading", level=1, name="tricks-debug").wait_for()
    page.get_by_text("Debug mode: the pods idle").wait_for()
    assert shown.get("pytorchtrainingjob", "tricks-debug")["spec"]["runMode"]["debug"]["enabled"] is True


def test_what_cannot_be_done_says_why(visitor, shown):
    page = visitor.page
    visitor.go("Job")
    open_menu(page, page.get_by_role("row", name=re.compile("^.*tricks (?!.*debug)")).first)
    scale = page.get_by_role("button", name="Scale")
    assert scale.get_attribute("aria-disabled") == "true" and "not elastic" in scale.inner_text()
    pause = page.get_by_role("button", name="Pause")
    assert "The job has ended." in pause.inner_text()
    visitor.check_accessibility()
    page.get_by_role("button", name="Clone").click()
    expect_soon("the form", lambda: "#/jobs/create/PyTorchTrainingJob?from=default%2Ftricks" in page.url, lambda: page.url)


def test_kinds_without_a_form_or_debug_mode_say_so(visitor, shown):
    shown.create({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "kube"},
                  "spec": {"runPolicy": {"suspend": True}, "pytorchReplicaSpecs": {
                      "Master": {"replicas": 1, "template": {"spec": pod_spec("true", name="pytorch")}}}}})
    page = visitor.page
    page.goto(f"http://{shown.console}/#/jobs/default/pytorchjobs.kubeflow.org/kube")
    reasons = {name: page.get_by_role("button", name=name).get_attribute("title") for name in ["Debug", "Clone"]}
    assert reasons == {"Debug": "Jobs of this kind have no debug mode.",
                       "Clone": "There is no form for jobs of this kind."}, json.dumps(reasons)


# ---- last: it takes the server away --------------------------------------------------------------


def test_log_goes_on_after_the_server_was_gone(visitor, shown):
    page = visitor.page
    log = open_logs(visitor, shown, "talks")
    expect_soon("lines of all", lambda: log.counter()[2] > 30, log.counter)
    shown.kill()
    page.get_by_text("The connection to the server was lost").wait_for()
    assert log.counter()[2] > 30, "what was there stays"
    shown.up()
    before = log.counter()[2]
    expect_soon("more lines", lambda: log.counter()[2] > before, log.counter, timeout=30)
    assert len(set(log.lines())) == len(log.lines()), "none comes twice"
    visitor.complaints.clear()  # the browser tells of each try
