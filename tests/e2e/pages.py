"""Chromium at the web console, as a person uses it. Whoever breaks the Content-Security-Policy, throws in a script or
is hard to use for people who cannot see fails the test."""

import shutil

import pytest
from harness import ROOT, wait_for

AXE = ROOT / "console/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


def browser_program():
    """The one without windows first: the same browser, for a third of the CPU."""
    return next(filter(None, map(shutil.which, ["chromium-headless-shell", "chromium", "google-chrome"])), None)


@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not in .venv: tools/setup python")
    program = browser_program()
    if not program:
        pytest.skip("there is no chromium on this machine: tools/setup browser says why")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


class Visitor:
    """A browser that has followed a login link, with nothing remembered."""

    def __init__(self, chromium, server, language):
        self.context = chromium.new_context(locale=language, viewport={"width": 1440, "height": 900})
        self.context.set_default_timeout(30_000)
        self.page = self.context.new_page()
        self.complaints = []
        self.page.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        said = server.cli("open")
        assert said.code == 0, repr(said)
        self.page.goto(said.out.strip())
        self.page.get_by_role("navigation", name="Pages" if language == "en" else "页面").wait_for()

    def go(self, group):
        self.page.locator("nav.side").get_by_role("link", name=group, exact=True).click()

    def text(self, label, value, nth=0):
        """Into the field of that very name: the search box of a list, which may still be in sight, is for names, too."""
        self.page.get_by_role("textbox", name=label, exact=True).nth(nth).fill(value)

    def close_dialog(self):
        """By Esc; until its entry in the history is gone, too, so that the way back leads from the page."""
        self.page.keyboard.press("Escape")
        self.page.get_by_role("dialog").wait_for(state="detached")
        state = lambda: self.page.evaluate("history.state?.dialog ?? ''")  # noqa: E731
        expect_soon("its entry to go", lambda: state() == "", state)  # not by wait_for_function, which the policy forbids

    def rows(self):
        """The names in the table, from top to bottom."""
        return self.page.locator("main tbody tr:not(.unfolded) > th").all_inner_texts()

    def expect_rows(self, *names):
        expect_soon(f"the rows {names}", lambda: [r.split("\n")[0] for r in self.rows()] == list(names), self.rows)

    def check_accessibility(self):
        if not AXE.exists():
            pytest.skip(f"{AXE} is missing: tools/console")
        # By the debugger's door: the page's own policy forbids scripts from elsewhere.
        session = self.context.new_cdp_session(self.page)
        session.send("Runtime.evaluate", {"expression": AXE.read_text()})
        found = self.page.evaluate(f"axe.run(document, {{runOnly: {RULES}}})")["violations"]
        assert not found, [(v["id"], [node["html"] for node in v["nodes"]]) for v in found]

    def close(self):
        self.context.close()
        assert not self.complaints, self.complaints


def expect_soon(what, condition, seen, timeout=30.0):
    try:
        wait_for(what, condition, timeout)
    except AssertionError as failed:
        raise AssertionError(f"{failed}; there is {seen()}") from None
