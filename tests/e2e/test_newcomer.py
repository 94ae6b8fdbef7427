"""What somebody meets who has never used it: the bare command, doctor, demo, help, hints, progress."""

import json
import os
import re
import shutil
import subprocess

import pytest
from harness import TRAINYARD, wait_for
from jobs import shell_job
from terminal import Terminal


def test_bare_command_shows_where_to_start(stopped_server):
    fresh = stopped_server.cli()
    assert fresh.code == 0 and not fresh.err, repr(fresh)
    for wanted in ["No server runs yet", "trainyard doctor", "trainyard demo", "trainyard up --detach"]:
        assert wanted in fresh.out, repr(fresh)
    stopped_server.up()
    running = stopped_server.cli()
    assert running.code == 0 and "trainyard open" in running.out, repr(running)
    assert stopped_server.status()["console"] in running.out and "No server" not in running.out


@pytest.mark.parametrize("line,wanted", [
    (["lst"], ["no command lst", "did you mean list?"]),
    (["frobnicate"], ["no command frobnicate", "trainyard --help"]),
    (["data"], ["data needs a command", "cp", "trainyard data --help"]),
    (["data", "lss"], ["no command lss of data", "did you mean ls?"]),
    (["submit", "-f", "x.yaml", "--folow"], ["no flag --folow", "did you mean --follow?"]),
    (["submit"], ["submit: --file", "trainyard submit --help"]),
    (["list", "-o", "xml"], ["list: --output", "json", "trainyard list --help"]),
    (["list"], ["no server runs here", "trainyard up --detach"]),
    (["submit", "-f", "none.yaml"], ["none.yaml", "No such file"]),
    (["help", "frobnicate"], ["no command frobnicate"])])
def test_what_is_mistyped_gets_a_hint(stopped_server, line, wanted):
    said = stopped_server.cli(*line)
    assert said.code == 1 and not said.out, repr(said)
    assert said.err.startswith("trainyard: ") and len(said.err.splitlines()) == 1, repr(said)
    for word in wanted:
        assert word in said.err, repr(said)


def test_run_offers_to_start_a_server(stopped_server):
    """On a terminal by a question, else only by --yes; where a cluster was named, that one is meant."""
    refused = stopped_server.cli("run", "--", "true")
    assert refused.code == 1 and "no server runs here" in refused.err and "--yes" in refused.err, repr(refused)
    kubeconfig = stopped_server.folder / "elsewhere.kubeconfig"
    kubeconfig.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}], "users": [{"name": "u", "user": {"token": "t"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:9"}}]}))
    for where in [{"args": ["--kubeconfig", kubeconfig]}, {"env": {"KUBECONFIG": str(kubeconfig)}}]:
        said = stopped_server.run([TRAINYARD, "run", "--yes", *where.get("args", []), "--", "true"], env=where.get("env"))
        assert said.code == 1 and "127.0.0.1:9" in said.err, repr(said)
    assert not stopped_server.data.exists(), "none was started"
    env = {**stopped_server.env, "TERM": "xterm"}
    terminal = Terminal(["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh", TRAINYARD, "run", "--", "true"], env)
    stopped_server.streams.append(terminal)
    terminal.wait_text(r"no server runs here: start one, .*\[Y/n\]", 30)
    terminal.type("n\n")
    assert terminal.wait_end() == 1, repr(terminal)
    # A network of its own: the usual ports may be taken on this machine.
    said = stopped_server.run(["unshare", "--net", "sh", "-c", 'ip link set lo up; "$@"; code=$?; '
                               '"$1" down --all >&2; exit $code', "sh", TRAINYARD, "run", "--yes", "--", "echo", "hello"],
                              timeout=90)
    assert said.code == 0 and said.out == "hello\n" and re.search(r"^✓ echo-\w{5} succeeded", said.err, re.M), repr(said)


def test_open_finds_the_only_running_server(stopped_server):
    """In a process namespace of its own, where no other server can be seen."""
    folder = stopped_server.folder / "elsewhere"
    script = ('"$0" up --detach --data-dir "$1" --listen 127.0.0.1:0 --console 127.0.0.1:0 >&2 || exit 9; "$0" open; '
              'TRAINYARD_DATA_DIR=/nowhere "$0" open; "$0" down --all --data-dir "$1" >&2')
    env = {name: value for name, value in stopped_server.env.items() if name != "TRAINYARD_DATA_DIR"}
    said = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", script, TRAINYARD, folder],
                          env={**env, "HOME": str(stopped_server.folder)}, capture_output=True, text=True, timeout=90)
    if "unshare" in said.stderr:
        pytest.skip(said.stderr)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/login#token=\S+\n", said.stdout), said
    assert "no server runs on /nowhere: " in said.stderr and f"with --data-dir: {folder}\n" in said.stderr, said


def test_a_job_that_is_not_there_gets_a_hint(server):
    server.kubectl("create", "namespace", "vision")
    server.kubectl("create", "-n", "vision", "-f", "-", input=json.dumps(shell_job("theirs", "exit 0")))
    server.create(shell_job("resnet", "exit 0"))
    assert "did you mean resnet?" in server.cli("get", "rsenet").err
    assert "add -n vision" in server.cli("logs", "theirs").err
    none = server.cli("describe", "nothing-like-it")
    assert none.code == 1 and "trainyard list -A" in none.err and "mean" not in none.err, repr(none)


def test_help_of_every_command_in_every_form(tools):
    def run(*args):
        return subprocess.run([TRAINYARD, "help", *args], capture_output=True, text=True, check=True).stdout

    everything = json.loads(run("-o", "json"))
    names = [page["command"] for page in everything["commands"]]
    assert {"trainyard submit", "trainyard doctor", "trainyard demo", "trainyard data"} <= set(names)
    assert not any("__complete" in name for name in names)
    markdown, man = run("--markdown"), run("--man")
    for name in names:
        assert f"## `{name}`" in markdown and name.replace("-", "\\-") in man, name
        own = subprocess.run([TRAINYARD, *name.split()[1:], "--help"], capture_output=True, text=True)
        assert name.endswith("arena") or run(*name.split()[1:]) == own.stdout, name
    assert "| `-f, --file VALUE` |" in markdown and "(default: 127.0.0.1:6480)" in markdown
    assert run("--man", "data", "cp").startswith(".TH TRAINYARD-DATA-CP 1")


def test_man_page_is_understood_by_the_typesetter(tools):
    if not shutil.which("man"):
        pytest.skip("man is missing")
    page = subprocess.run([TRAINYARD, "help", "--man"], capture_output=True, check=True).stdout
    shown = subprocess.run(["man", "--warnings=all", "-l", "-"], input=page, capture_output=True,
                           env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
    text = shown.stdout.decode()
    assert shown.returncode == 0 and b"warning" not in shown.stderr, shown.stderr.decode()
    assert "--on-job-end" in text and "trainyard data cp" in text


def test_doctor_names_what_is_missing_and_how_to_mend_it(stopped_server):
    checked = stopped_server.cli("doctor", "-o", "json")
    found = {check["name"]: check for check in checked.json()["checks"]}
    assert {"kernel", "namespaces", "cgroups", "ports", "data folder", "python", "torch", "tensorboard",
            "jupyter", "mpi", "gpus", "kubectl"} <= set(found)
    for name in ["kernel", "namespaces", "data folder", "python"]:
        assert found[name]["state"] == "ok", found[name]
    for check in found.values():
        assert (check["state"] == "ok") == (not check["remedy"]), check
    said = stopped_server.cli("doctor")
    assert said.code == checked.code == (0 if checked.json()["canRunJobs"] else 1), repr(said)


def test_doctor_ends_with_one_command_for_all(stopped_server):
    told = stopped_server.cli("doctor", "-o", "json").json()
    text = stopped_server.cli("doctor").out
    commands = [check["remedy"] for check in told["checks"] if check["remedy"].startswith("apt-get install ")]
    if not told["mend"]:
        assert not commands and "mends all" not in text, text
        return
    assert text.endswith(f"This mends all that a command can:\n\n  {told['mend']}\n"), text
    for command in commands:
        assert all(package in told["mend"] for package in command.split()[2:]), told["mend"]


def test_doctor_looks_where_jobs_would(stopped_server):
    """With nothing on PATH there is no Python, and the torch of another place does not count."""
    empty = stopped_server.folder / "bin"
    empty.mkdir()
    (empty / "unshare").symlink_to(shutil.which("unshare"))
    stopped_server.env["PATH"] = str(empty)
    found = {check["name"]: check for check in stopped_server.cli("doctor", "-o", "json").json()["checks"]}
    assert found["python"]["state"] == "missing" and "apt-get install python3" in found["python"]["remedy"]
    assert found["torch"]["state"] == "missing" and found["git"]["state"] == "missing"
    assert found["kubectl"]["state"] == "note"


def test_doctor_fails_where_no_job_could_run(stopped_server):
    blocked = stopped_server.folder / "file"
    blocked.write_text("")
    said = stopped_server.cli("doctor", "--data-dir", blocked / "data")
    if said.code == 0:
        pytest.fail(f"a data folder inside a file is fine?\n{said!r}")
    assert "No job can run before this is mended: " in said.out and "data folder" in said.out, repr(said)
    assert "--data-dir FOLDER" in said.out


def demo_folders():
    return {name for name in os.listdir("/tmp") if name.startswith("trainyard-demo-")}


def test_demo_without_a_server_leaves_nothing(stopped_server):
    before = demo_folders()
    said = stopped_server.cli("demo", "--plain", "--steps", "200", timeout=120)
    assert said.code == 0, repr(said)
    assert "Python alone" in said.out and "step 200/200" in said.out and "Succeeded" in said.out, repr(said)
    accuracy = float(re.findall(r"accuracy ([\d.]+)%", said.out)[-1])
    assert accuracy > 75, "it has learned something"
    assert "trainyard up --detach" in said.out
    assert demo_folders() <= before and not stopped_server.data.exists()


def test_demo_on_a_running_server_with_torch_in_a_terminal(server, torch):
    server.env["TERM"] = "xterm"
    terminal = Terminal([TRAINYARD, "demo", "--steps", "300"], server.env)
    server.streams.append(terminal)
    terminal.wait_text("PyTorch", 30)
    terminal.wait_text(r"worker-1 Running", 60)
    terminal.wait_text(r"progress +\[#+", 60)
    assert terminal.wait_end(90) == 0, repr(terminal)
    assert "100 %  step 300 of 300" in terminal.text and "\x1b[" in terminal.text
    assert "has joined" in terminal.text, "the last lines of the log"
    assert server.status(), "the server goes on"
    assert server.list("pj") == []
    wait_for("the demo's pods to go", lambda: server.list("pods") == [])


def test_demo_that_is_interrupted_cleans_up(stopped_server):
    before = demo_folders()
    demo = stopped_server.stream("trainyard", "demo", "--plain", "--steps", "50000")
    demo.wait_text(r"step \d+/50000", 60)
    demo.process.send_signal(2)
    assert demo.wait_end(60) == 130, repr(demo)
    assert demo_folders() <= before


def test_demo_says_what_it_lacks(stopped_server):
    stopped_server.env["PATH"] = "/nonexistent"
    said = stopped_server.cli("demo")
    assert said.code == 1 and "apt-get install python3" in said.err, repr(said)


def test_copies_show_how_far_they_are_only_on_a_terminal(server):
    big = server.folder / "big"
    with open(big, "wb") as file:
        file.truncate(3 << 30)  # sparse: reading it takes a moment, and no room
    server.cli("data", "create", "v")
    terminal = Terminal([TRAINYARD, "data", "cp", str(big), "v:"], server.env)
    server.streams.append(terminal)
    seen = terminal.wait_text(r"copying  \[#*\.*\] +\d+ %  [\d.]+ \w+ of 3\.2 GB", 60)
    terminal.process.kill()
    assert seen
    small = server.folder / "small"
    small.write_text("x")
    quiet = server.cli("data", "cp", small, "v:")
    assert quiet.code == 0 and quiet.text == "", repr(quiet)




def test_up_systemd_says_where_systemd_does_not_run(stopped_server):
    if os.path.isdir("/run/systemd/system"):
        pytest.skip("systemd runs here")
    said = stopped_server.cli("up", "--systemd")
    assert said.code == 1 and "systemd does not run" in said.err and "trainyard up --detach" in said.err, repr(said)
    assert not stopped_server.data.exists()


@pytest.mark.parametrize("whose", ["system", "user"])
def test_units_are_understood_by_systemd(stopped_server, whose):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is missing")
    text = stopped_server.cli("__unit", whose).out.replace("/usr/bin/trainyard", str(TRAINYARD))
    unit = stopped_server.folder / "trainyard.service"
    unit.write_text(text.replace("Documentation=man:trainyard(1)\n", ""))
    checked = stopped_server.run(["systemd-analyze", "verify", *(["--user"] if whose == "user" else []), unit],
                                 env={"XDG_RUNTIME_DIR": str(stopped_server.folder)})
    ours = [line for line in checked.err.splitlines() if "trainyard.service" in line]
    assert not ours and "KillMode=process" in text, repr(checked)
