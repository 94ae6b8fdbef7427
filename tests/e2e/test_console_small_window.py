"""The web console in a small window and without its server: nothing goes out of sight unsaid, nothing looks empty that is
only unknown."""

import pytest
from jobs import job, replicas
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)

LIMITS = {"resources": {"requests": {"cpu": "100m", "memory": "16Mi"}, "limits": {"cpu": "200m", "memory": "32Mi"}}}
LONG = "one-label-that-is-so-long-that-nobody-would-ever-want-to-see-it"
JOB = "#/jobs/default/pytorchtrainingjobs.batch.tensorstack.dev/wide"


@pytest.fixture(scope="module")
def shown(shared_server):
    wide = job("wide", replicas("sleep 600", "worker", 2, **LIMITS))
    wide["metadata"]["labels"] = {LONG: LONG}
    shared_server.create(wide)
    shared_server.wait_phase("wide", "Running")
    return shared_server


@pytest.fixture
def visitor(chromium, shown):  # noqa: F811
    made = Visitor(chromium, shown, "en")
    made.page.set_viewport_size({"width": 1000, "height": 800})
    yield made
    made.close()


def show(visitor, address):
    visitor.page.evaluate(f"location.hash = '{address}'")


def hidden_pixels(page):
    """How much of the widest table is out of sight."""
    return page.evaluate("Math.max(...[...document.querySelectorAll('.scroll')].map(e => e.scrollWidth - e.clientWidth))")


def test_tables_fit_into_a_small_window(visitor):
    page = visitor.page
    for address, column in [("#/jobs", "Job type"), ("#/pods", "Ready containers"), ("#/nodes", "Roles"),
                            ("#/overview/events", "Object"), (JOB, "Last transition"), (f"{JOB}/replicas", "Restarts")]:
        show(visitor, address)
        page.get_by_role("columnheader", name=column).wait_for()
        page.locator("main tbody tr").first.wait_for()
        expect_soon(f"tables that fit at {address}", lambda: hidden_pixels(page) == 0, lambda: hidden_pixels(page))
        visitor.check_accessibility()


def test_a_table_that_does_not_fit_can_be_moved_by_the_keyboard(visitor):
    show(visitor, "#/jobs")
    page = visitor.page
    page.get_by_role("link", name="wide", exact=True).wait_for()
    page.set_viewport_size({"width": 720, "height": 800})
    for column in ["Queue", "Duration", "Extended resources"]:
        page.get_by_role("button", name="Columns ▾").click()
        page.get_by_role("checkbox", name=column).check()
        page.keyboard.press("Escape")
    box = page.get_by_role("group", name="Job")
    expect_soon("something out of sight", lambda: hidden_pixels(page) > 0, lambda: hidden_pixels(page))
    expect_soon("a shadow", lambda: page.locator(".shelf.after").count() == 1, lambda: page.locator(".shelf").count())
    box.focus()
    page.keyboard.press("ArrowRight")
    expect_soon("that it moves", lambda: box.evaluate("e => e.scrollLeft") > 0, lambda: box.evaluate("e => e.scrollLeft"))
    visitor.check_accessibility()


def test_the_menu_of_a_narrow_window_closes_after_a_choice(visitor):
    page = visitor.page
    page.set_viewport_size({"width": 600, "height": 800})
    page.reload()
    menu = page.get_by_role("navigation", name="Pages")
    toggle = page.get_by_role("button", name="Show or hide the side bar")
    toggle.wait_for()
    assert menu.count() == 0, "it would cover the page"
    toggle.click()
    menu.get_by_role("link", name="Pod", exact=True).click()
    page.get_by_role("heading", name="Pod", exact=True).wait_for()
    menu.wait_for(state="detached")
    page.set_viewport_size({"width": 1000, "height": 800})
    page.reload()
    menu.wait_for()


def test_the_yaml_of_an_object_has_colours_and_is_copied_as_it_is(visitor):
    show(visitor, JOB)
    page = visitor.page
    page.get_by_role("button", name="YAML").click()
    text = page.get_by_role("dialog").get_by_role("group", name="YAML")
    text.locator(".key", has_text="apiVersion").first.wait_for()
    assert text.inner_text().startswith("apiVersion: batch.tensorstack.dev/v1beta1\nkind: PyTorchTrainingJob\n")
    visitor.check_accessibility()


def test_what_is_not_known_is_not_shown_as_empty(visitor, shown):
    page = visitor.page
    show(visitor, f"{JOB}/replicas")
    page.locator("main tbody tr").first.wait_for()
    shown.kill()
    page.get_by_text("The connection to the server was lost").wait_for()
    page.get_by_role("link", name="PyTorchTrainingJob").click()
    events = page.get_by_role("region", name="Events")
    events.get_by_text("Not known: the connection to the server is lost.").wait_for()
    delete = page.get_by_role("button", name="Delete")
    assert delete.get_attribute("aria-disabled") == "true"
    assert delete.get_attribute("title") == "Not possible now: the connection to the server is lost."
    visitor.check_accessibility()
    shown.up()
    page.get_by_text("The connection to the server was lost").wait_for(state="detached")
    events.get_by_text("Running", exact=True).first.wait_for()
    assert delete.get_attribute("aria-disabled") is None
    # The browser itself complains of a server that is not there.
    visitor.complaints.clear()
