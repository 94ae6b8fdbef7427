"""The documents: their tutorials do what they say, both languages say the same, what is generated is up to date, and the
console serves them."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import yaml
from harness import KUBECTL, ROOT, TRAINYARD
from journeys import write_some_of_mnist
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)
from servers import run_server

DOCS = ROOT / "docs"
PLAN = yaml.safe_load((DOCS / "site/pages.yaml").read_text())
PAGES = [page for group in PLAN["groups"] for page in group.get("pages", [])]
SITE = ROOT / "build/docs"


def fenced(text):
    """(what it is written in, its text) of each fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)


def blocks(language, page):
    return fenced((DOCS / language / f"{page}.md").read_text())


# ---- the tutorials' commands ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def clone(torch):
    """A server, and a folder with what the tutorials use of the project; its examples train for a moment only."""
    for server in run_server(start=False):
        with tempfile.TemporaryDirectory(prefix="docs-", dir=ROOT / ".cache") as name:
            folder = Path(name)
            shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("runs", "__pycache__"))
            for job in folder.glob("examples/*/job.yaml"):
                job.write_text(shortened(job.read_text()))
            write_some_of_mnist(folder / ".cache/mnist/MNIST/raw")
            make_programs(server, folder / "bin")
            server.env["PATH"] = f"{folder / 'bin'}:{server.env['PATH']}"
            server.up()
            yield server, folder
            stopped = server.cli("down", "--all")  # before the folder goes, which is mounted in pods
            assert stopped.code == 0, repr(stopped)


def shortened(job):
    less = ["--samples=2000", "--epochs=1"]
    job = job.replace("--data=/data]", f"--data=/data, {', '.join(less)}]")
    return re.sub(r"^( *)- --data=/data$", lambda found: "\n".join(
        [found[0], *(f"{found[1]}- {flag}" for flag in less)]), job, flags=re.M)


def make_programs(server, folder):
    """What a reader has on PATH; a server that is started gets this test's ports, not those that all have."""
    folder.mkdir()
    ports = f"--listen {server.listen} --console {server.console} --apps {server.apps}"
    programs = {
        "trainyard": f'if [ "$1" = up ]; then shift; set -- up {ports} "$@"; fi\nexec {TRAINYARD} "$@"',
        "arena": f'exec {TRAINYARD} arena "$@"',
        "kubectl": f'exec {KUBECTL} "$@"',
    }
    for name, text in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)


@pytest.mark.parametrize("page", PLAN["tutorials"])
def test_tutorial_runs(request, page):
    if page == "horovod":
        request.getfixturevalue("horovod")  # skips where it is not built, and says so
    server, folder = request.getfixturevalue("clone")
    commands = [text for kind, text in blocks("en", page) if kind == "sh"]
    assert commands, f"docs/en/{page}.md has no block of sh"
    script = "set -euo pipefail\n" + "".join(
        f"echo '---- block {number} of {page}.md' >&2\n{text}" for number, text in enumerate(commands, 1))
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=server.env, stdin=subprocess.DEVNULL, timeout=240,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{done.stdout}\n{server.log_tail()}"


def test_tutorials_are_all_run():
    assert set(PLAN["tutorials"]) == {page for page in PAGES if any(kind == "sh" for kind, _ in blocks("en", page))}


# ---- both languages ------------------------------------------------------------------------------


def bare(code):
    """Only what is said about commands may differ."""
    return [(kind, re.sub(r"\s+# .*$", "", text, flags=re.M)) for kind, text in code]


def shape(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return (re.findall(r"^#+", text, re.M), len(re.findall(r"^\|", text, re.M)), len(re.findall(r"^!\[", text, re.M)))


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_give_the_same_commands(page):
    assert bare(blocks("zh", page)) == bare(blocks("en", page))


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_have_the_same_parts(page):
    assert shape((DOCS / "zh" / f"{page}.md").read_text()) == shape((DOCS / "en" / f"{page}.md").read_text())


# ---- the page that people read first -------------------------------------------------------------


READMES = [ROOT / "README.md", ROOT / "README.zh.md"]


def inline_code(text):
    return sorted(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)))


def test_both_readmes_are_short_and_say_the_same():
    english, chinese = (file.read_text() for file in READMES)
    for text in [english, chinese]:
        assert len(text.splitlines()) <= 140
    assert bare(fenced(chinese)) == bare(fenced(english))
    assert shape(chinese) == shape(english)
    assert inline_code(chinese) == inline_code(english)


@pytest.mark.parametrize("file", READMES, ids=lambda file: file.name)
def test_what_a_readme_points_to_is_there(file):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", file.read_text()):
        assert (ROOT / target).exists(), target


# ---- what is generated ---------------------------------------------------------------------------


def test_the_commands_are_those_of_the_program(tools):
    sys.path.insert(0, str(ROOT / "tools/docs_site"))
    from commands import reference
    written = (DOCS / "generated/commands.md").read_text()
    assert reference(TRAINYARD) == written, "commands have changed: `make docs` writes docs/generated/commands.md anew"
    for command in ["trainyard up", "trainyard submit", "trainyard data cp", "trainyard arena submit pytorchjob"]:
        assert re.search(rf"^#+ {command}$", written, re.M), command


def fields_of(schema):
    for name, field in schema.get("properties", {}).items():
        yield name
        yield from fields_of(field)
    for inner in [schema.get("items"), schema.get("additionalProperties")]:
        if isinstance(inner, dict):
            yield from fields_of(inner)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_field_of_every_kind_is_there(language):
    if not (SITE / "index.html").exists():
        pytest.skip("build/docs is not there: tools/docs says why")
    files = [*ROOT.glob("api/*.yaml"), *ROOT.glob("api/core/*.yaml")]
    assert len(files) > 40
    for file in files:
        spec = yaml.safe_load(file.read_text())["spec"]
        name = "-".join(filter(None, ["fields", spec["names"]["plural"], spec.get("group")]))
        page = (SITE / language / f"{name}.html").read_text()
        for field in fields_of(spec["versions"][0]["schema"]["openAPIV3Schema"]):
            assert re.search(rf"<code>(?:[^<]*\.)?{re.escape(field)}</code>", page), (name, field)


# ---- in the console ------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "words"), [
    ("en", {"help": "Documents", "first": "Start here", "search": "Search", "ddp": "DDP: one model on several processes",
            "other": "中文", "there": "从这里开始", "kind": "Fields of every kind"}),
    ("zh", {"help": "文档", "first": "从这里开始", "search": "搜索", "ddp": "DDP：多进程训练同一个模型",
            "other": "English", "there": "Start here", "kind": "各类对象的全部字段"})])
def test_the_console_opens_them(chromium, shared_server, language, words):  # noqa: F811
    visitor = Visitor(chromium, shared_server, language)
    with visitor.context.expect_page() as opening:
        visitor.page.get_by_role("link", name=words["help"]).click()
    visitor.page = page = opening.value
    page.on("console", lambda said: said.type == "error" and visitor.complaints.append(said.text))
    page.get_by_role("heading", level=1, name=words["first"]).wait_for()
    assert page.url == f"http://{shared_server.console}/docs/{language}/"
    visitor.check_accessibility()
    page.get_by_role("link", name=words["ddp"]).first.click()
    page.get_by_text("trainyard submit -f examples/ddp-mnist/job.yaml --follow").wait_for()
    visitor.check_accessibility()
    find(page, words["search"], "onReplicaFailure")
    page.get_by_role("link", name=re.compile("^PyTorchTrainingJob")).first.click()
    page.get_by_role("cell", name="spec.runPolicy.onReplicaFailure").first.wait_for()
    assert page.get_by_role("navigation").get_by_role("link", name=words["kind"]).get_attribute("aria-current") == "page"
    visitor.check_accessibility()
    page.get_by_role("link", name="Trainyard", exact=True).click()
    page.get_by_role("link", name=words["other"], exact=True).click()
    page.get_by_role("heading", level=1, name=words["there"]).wait_for()
    visitor.close()


def find(page, label, text):
    box = page.get_by_role("searchbox", name=label)
    box.fill(text)
    found = page.locator(".found a")
    expect_soon(f"{text} to be found", lambda: found.count() > 0, page.locator(".found").inner_text)


def test_they_follow_the_consoles_light_and_dark(chromium, shared_server):  # noqa: F811
    visitor = Visitor(chromium, shared_server, "en")
    page = visitor.page
    page.get_by_label("Appearance").select_option("dark")
    page.goto(f"http://{shared_server.console}/docs/en/tour.html")
    page.get_by_role("heading", level=1).wait_for()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    visitor.check_accessibility()
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.get_by_alt_text("The overview page").scroll_into_view_if_needed()
    expect_soon("its picture", lambda: page.get_by_alt_text("The overview page").evaluate(
        "picture => picture.complete && picture.naturalWidth > 0"), page.content)
    visitor.close()
