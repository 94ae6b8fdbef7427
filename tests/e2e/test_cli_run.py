"""trainyard run: a command in the current folder becomes a job, and feels like the command."""

import os
import re
import signal

import pytest
import yaml
from harness import TRAINYARD, VENV, Stream, wait_for
from terminal import Terminal


@pytest.fixture
def folder(shared_server, tmp_path):
    (tmp_path / "hello.py").write_text(
        "import os, sys\nprint('rank', os.environ['RANK'], 'of', os.environ['WORLD_SIZE'], *sys.argv[1:])\n"
        "open('out-' + os.environ['RANK'], 'w').write(sys.executable)\n")
    return tmp_path


class Here:
    """Commands typed in a folder."""

    def __init__(self, server, folder):
        self.server, self.folder = server, folder

    def run(self, *args, **env):
        return self.server.run(["env", "-C", self.folder, TRAINYARD, "run", *args], env=env)

    def start(self, *args):
        stream = Stream(["env", "-C", str(self.folder), str(TRAINYARD), "run", *args], self.server.env)
        self.server.streams.append(stream)
        return stream


@pytest.fixture
def here(shared_server, folder):
    return Here(shared_server, folder)


def test_command_runs_in_this_folder_with_this_python(here, folder):
    said = here.run("--", "python", "hello.py", "--lr", "3", VIRTUAL_ENV=str(VENV))
    assert said.code == 0 and said.out == "rank 0 of 1 --lr 3\n", repr(said)
    assert re.fullmatch(r"job (hello-\w{5}) created\n✓ \1 succeeded in \d+ s\n", said.err), repr(said)
    assert (folder / "out-0").read_text() == f"{VENV}/bin/python"


def test_several_processes_meet_by_their_environment(here, folder):
    said = here.run("-n", "3", "python", "hello.py", "-n", "x")  # our flags end where the program begins
    assert said.code == 0, repr(said)
    assert sorted(said.out.splitlines()) == [f"[worker-{i}] rank {i} of 3 -n x" for i in range(3)]
    assert sorted(path.name for path in folder.glob("out-*")) == ["out-0", "out-1", "out-2"]


def test_exit_code_is_the_programs_and_the_others_are_stopped(here):
    said = here.run("-n", "2", "--", "sh", "-c", '[ $RANK = 1 ] && exit 9; sleep 600')
    assert said.code == 9, repr(said)
    assert re.search(r"^✗ rank-1-exit-9-sleep-600-\w{5} failed after \d+ s: ", said.err, re.M), repr(said)


def test_ctrl_c_stops_the_job(here, shared_server):
    running = here.start("--name", "stopped", "--", "sh", "-c", "echo begun; exec sleep 600")
    running.wait_text("^begun$")
    running.process.send_signal(signal.SIGINT)
    assert running.wait_end() == 130, repr(running)
    assert "stopped" in running.text
    wait_for("its end", lambda: shared_server.get("pj", "stopped") is None and shared_server.pods("stopped") == [])


def test_what_it_waits_for_is_told(here):
    waiting = here.start("--gpus", "1", "--", "true")
    waiting.wait_text("waits to be placed: .*nvidia.com/gpu")
    waiting.process.send_signal(signal.SIGINT)
    assert waiting.wait_end() == 130, repr(waiting)


def test_detach_prints_the_name(here, shared_server):
    said = here.run("--detach", "--env", "GREETING=hi there", "--", "sh", "-c", "echo $GREETING $$ '$(RANK)'")
    name = said.out.strip()
    assert re.fullmatch(r"echo-greeting-\S+", name), repr(said)
    shared_server.wait_phase(name, "Succeeded")
    assert re.fullmatch(r"hi there \d+ \$\(RANK\)\n", shared_server.cli("logs", name).out)


def test_the_end_tells_the_last_loss(here):
    said = here.run("--name", "learns", "--", "sh", "-c", "for i in 1 2 3; do echo epoch $i/3 loss 0.2$i; done")
    assert said.code == 0 and re.search(r"^✓ learns succeeded in \d+ s · loss 0\.23$", said.err, re.M), repr(said)


def test_colours_only_on_a_terminal(here, shared_server):
    coloured = re.compile(r"\x1b\[3\dm")
    here.run("--name", "painted", "--", "true")
    assert not coloured.search(shared_server.cli("list").out)

    def on_terminal(**env):
        terminal = Terminal([TRAINYARD, "list"], {**shared_server.env, "TERM": "xterm", **env})
        shared_server.streams.append(terminal)
        assert terminal.wait_end() == 0, repr(terminal)
        return terminal.text

    assert "\x1b[32mSucceeded\x1b[0m" in on_terminal()
    assert not coloured.search(on_terminal(NO_COLOR="1"))


def test_a_word_for_the_number_of_processes_says_where_the_namespace_goes(here):
    said = here.run("-n", "vision", "--", "true")
    assert said.code == 1 and "the namespace is --namespace vision" in said.err, repr(said)
    assert len(said.err.splitlines()) == 1, repr(said)


def test_dry_run_prints_a_job_that_can_be_submitted(here, stopped_server):
    said = here.run("-n", "4", "--torchrun", "--cpu", "2", "--memory", "1Gi", "--gpus", "1", "--name", "tr",
                    "--dry-run", "--", "python", "hello.py", "--lr=1")
    assert said.code == 0, repr(said)
    made = yaml.safe_load(said.out)
    assert made["metadata"]["name"] == "tr" and made["spec"]["torchrunConfig"]["procPerNode"] == "4"
    container = made["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]
    assert container["args"] == ["hello.py", "--lr=1"]
    assert container["resources"]["limits"] == {"cpu": "2", "memory": "1Gi", "nvidia.com/gpu": "1"}
    refused = here.run("--torchrun", "--", "sh", "x")
    assert refused.code == 1 and "python" in refused.err, repr(refused)
    assert here.run().code == 1 and "python train.py" in here.run().err


def test_whoever_may_not_share_folders_is_told_of_volumes(here, shared_server):
    kubeconfig = shared_server.folder / "ann.kubeconfig"
    shared_server.cli("user", "add", "ann", "--role", "edit", "--kubeconfig-out", kubeconfig)
    refused = here.run("--kubeconfig", kubeconfig, "--", "true")
    assert refused.code == 1 and "--volume" in refused.err, repr(refused)
    assert shared_server.cli("data", "create", "work").code == 0
    said = here.run("--kubeconfig", kubeconfig, "--volume", "work", "--", "sh", "-c", "pwd; touch made")
    assert said.code == 0 and said.out == "/workspace\n", repr(said)
    assert "made" in shared_server.cli("data", "ls", "work").out


@pytest.mark.usefixtures("torch")
def test_torchrun_starts_the_processes(here, folder):
    said = here.run("-n", "2", "--torchrun", "--", "python", "hello.py")
    assert said.code == 0, repr(said)
    assert sorted(path.name for path in folder.glob("out-*")) == ["out-0", "out-1"]
    assert os.path.exists(folder / "hello.py")
