"""Arena's submit, delete and what goes with them: exact output, objects, what reaches the container, bad input."""

import json
import os
import shutil
import subprocess

import pytest
import yaml
from arena import ARENA, arena
from harness import PORTS, wait_for

# What every submission needs.
BASE = ("submit", "pytorch", "--name=x", "--image=i")


def submit(server, name, *words):
    made = arena(server, "submit", "pytorch", f"--name={name}", "--image=i", *words)
    assert made.code == 0, repr(made)
    return made


def wait_end(server, name, kind="pytorchjob"):
    def ended():
        job = server.get(kind, name)
        true = {c["type"] for c in job.get("status", {}).get("conditions", []) if c["status"] == "True"}
        return true & {"Succeeded", "Failed"}
    return wait_for(f"the end of {name}", ended, 40).pop()


def log(server, pod, *words):
    return server.kubectl("logs", pod, *words)


def delete(server, *names):
    gone = arena(server, "delete", *names)
    assert gone.code == 0, repr(gone)
    return gone


# ---- bad input -----------------------------------------------------------------------------------

ARGS = "ERRO[0000] failed to validate command args: "
BAD = [  # in the order in which they are checked: each line's fault comes before the next one's
    (["--name=" + "n" * 50], ARGS + "the name nnn"),
    (["--name=A.b"], ARGS + 'the name "A.b" may have'),
    (["--priority=nope"], ARGS + "there is no priority class nope"),
    (["--image="], ARGS + "--image must be set"),
    (["--clean-task-policy=all"], ARGS + "unsupported --clean-task-policy all"),
    (["--gpus=-1"], ARGS + "--gpus is invalid"),
    (["--workers=-1"], ARGS + "--workers is invalid"),
    (["--cpu=x"], ARGS + "--cpu is invalid"),
    (["--memory=1GB2"], ARGS + "--memory is invalid"),
    (["--share-memory=x"], ARGS + "--share-memory is invalid"),
    (["--running-timeout=-1s"], ARGS + "--running-timeout is invalid"),
    (["--nproc-per-node=x"], ARGS + "--nproc-per-node is invalid"),
    (["--data=x"], ARGS + "--data x: its format must be like name:/data0"),
    (["--data=a:/b"], ARGS + "--data: the PVC's name \"a\" is too short"),
    (["--data=a!b:/b"], ARGS + "--data: the PVC's name \"a!b\" has illegal characters"),
    (["--data=ab:/b", "--data=ab:/c"], ARGS + "--data: the PVC ab is repeated"),
    (["--data=ab:/"], ARGS + "--data ab:/: the path may not be /"),
    (["--data=ab:c"], ARGS + "--data ab:c: the path c must be absolute"),
    (["--data-dir=/a:/b:/c"], ARGS + 'invalid data dir "/a:/b:/c"'),
    (["--device=amd.com/gpu"], ARGS + "--device amd.com/gpu: write"),
    (["--device=gpu=1"], ARGS + "--device gpu=1: gpu is no name"),
    (["--device=amd.com/gpu=x"], ARGS + "--device amd.com/gpu=x: x is no number"),
    (["--device=nvidia.com/gpu=1"], ARGS + "--device nvidia.com/gpu=1: use --gpus"),
    (["--config-file=a:/b:/c"], ARGS + "--config-file a:/b:/c: write"),
    (["--config-file=a:b"], ARGS + "--config-file a:b: the container's path"),
    (["--config-file=/nowhere/at/all"], ARGS + "--config-file /nowhere/at/all: "),
    (["--sync-mode=git"], ARGS + "--sync-mode git needs --sync-source"),
    (["--sync-mode=hdfs", "--sync-source=s"], "FATA[0000] unknown sync mode hdfs"),
    (["--model-name=m"], ARGS + "--model-name needs --model-source"),
    (["--env=NAME"], ARGS + "--env NAME: write KEY=VALUE"),
    (["--toleration=a=b"], ARGS + "--toleration a=b: write"),
    (["--nope"], "ERRO[0000] unknown flag --nope"),
    (["--workers=two"], 'ERRO[0000] invalid value "two" of --workers'),
    (["--running-timeout=5"], "ERRO[0000] --running-timeout: "),
    (["--image-pull-policy=Sometimes"], 'ERRO[0000] invalid value "Sometimes" of --image-pull-policy'),
    (["--loglevel=loud"], 'ERRO[0000] invalid value "loud" of --loglevel'),
    (["-n", "nowhere"], "ERRO[0000] there is no namespace nowhere"),
]


def test_bad_input_is_named_and_creates_nothing(shared_server):
    before = {m["metadata"]["name"] for m in shared_server.list("configmaps")}
    for words, complaint in BAD:
        said = arena(shared_server, *BASE, *words, "true")
        assert said.code == 1 and said.out == "", repr(said)
        assert said.err.startswith(complaint) and len(said.err.splitlines()) == 1, repr(said)
    assert {m["metadata"]["name"] for m in shared_server.list("configmaps")} == before
    assert shared_server.list("pytorchjobs") == []


def test_first_fault_is_told(shared_server):
    """Of two that are wrong, the one that stands higher in the table."""
    checked = [row for row in BAD if row[1].startswith((ARGS, "FATA"))]
    flags = {words[0].partition("=")[0]: (words, complaint) for words, complaint in reversed(checked)}
    rows = list(reversed(flags.values()))
    for (first, complaint), (second, _) in zip(rows, rows[1:]):
        said = arena(shared_server, *BASE, *second, *first, "true")
        assert said.code == 1 and said.err.startswith(complaint), repr(said)


def test_missing_words_and_flags(shared_server):
    for words, what in [(["submit", "pytorch"], "say what to run"), (["delete"], "say which jobs")]:
        said = arena(shared_server, *words)
        assert said.code == 1 and said.out.count("Usage:") == 1, repr(said)
        assert said.err.startswith(f"ERRO[0000] {what}"), repr(said)
    said = arena(shared_server, "submit", "pytorch", "--image=i", "true")
    assert (said.code, said.out) == (1, "") and "required flag --name is missing" in said.err, repr(said)
    for words in [[], ["submit"], ["help", "submit", "tf"], ["submit", "mpi", "-h"]]:
        said = arena(shared_server, *words)
        assert said.code == 0 and "Usage:" in said.out and said.err == "", repr(said)


@pytest.mark.parametrize("line", [
    "submit horovodjob", "submit et", "submit dp", "submit vj", "submit rayjob", "submit spark", "submit sj",
    "scaleout etjob", "scalein et", "logviewer x", "cron tfjob", "cron list", "evaluate model", "serve list",
    "serve tensorflow --name x", "model list", "llm x"])
def test_what_is_not_here_says_so(shared_server, line):
    said = arena(shared_server, *line.split(), "--any", "-z")
    assert (said.code, said.out) == (1, ""), repr(said)
    assert len(said.err.splitlines()) == 1 and "is not supported here" in said.err, repr(said)


def test_every_command_teaches_by_example(shared_server):
    commands = arena(shared_server, "--help").out.partition("Commands:\n")[2].partition("\n\n")[0]
    names = [line.split()[0] for line in commands.splitlines()]
    assert {"submit", "delete", "version", "whoami", "completion"} <= set(names)
    for words in [[name] for name in names] + [["submit", kind] for kind in ("pytorch", "tf", "mpi")]:
        said = arena(shared_server, *words, "--help")
        assert said.code == 0 and ("Example:\n  arena" in said.out or "Commands:" in said.out
                                   or "Example:\n  source" in said.out), repr(said)


# ---- what is created -----------------------------------------------------------------------------

def test_output_objects_and_their_end(shared_server, tmp_path):
    (tmp_path / "a.yaml").write_text("a: 1\n")
    words = ["--config-file", f"{tmp_path}/a.yaml:/etc/config/a.yaml", "--tensorboard", "--workers=2", "sleep 600"]
    made = submit(shared_server, "exact", *words)
    assert made.out == (
        "configmap/exact-pytorchjob created\n"
        "configmap/exact-pytorchjob labeled\n"
        "configmap/exact-a9cbad1b8719778 created\n"
        "service/exact-tensorboard created\n"
        "deployment.apps/exact-tensorboard created\n"
        "pytorchjob.kubeflow.org/exact created\n")
    assert made.err == (
        "INFO[0000] The Job exact has been submitted successfully\n"
        "INFO[0000] You can run `arena get exact --type pytorchjob` to check the job status\n")
    job = shared_server.get("pytorchjob", "exact")
    for kind, name in [("configmap", "exact-pytorchjob"), ("configmap", "exact-a9cbad1b8719778"),
                       ("service", "exact-tensorboard"), ("deployment", "exact-tensorboard")]:
        owner = shared_server.get(kind, name)["metadata"]["ownerReferences"][0]
        assert owner["uid"] == job["metadata"]["uid"], (kind, name)
    again = arena(shared_server, *BASE[:2], "--name=exact", "--image=i", "true")
    assert again.code == 1 and again.err == (
        "ERRO[0000] the job exact exists already: delete it first with `arena delete exact`\n"), repr(again)
    gone = delete(shared_server, "exact")
    assert gone.out == (
        'configmap "exact-a9cbad1b8719778" deleted\n'
        'service "exact-tensorboard" deleted\n'
        'deployment.apps "exact-tensorboard" deleted\n'
        'pytorchjob.kubeflow.org "exact" deleted\n'
        'configmap "exact-pytorchjob" deleted\n')
    assert gone.err == "INFO[0000] The Job exact has been deleted successfully\n"


def test_all_go_when_kubectl_deletes_the_job(shared_server):
    submit(shared_server, "kubed", "--tensorboard", "sleep 600")
    shared_server.kubectl("delete", "pytorchjob", "kubed")
    for kind, name in [("configmap", "kubed-pytorchjob"), ("service", "kubed-tensorboard"),
                       ("deployment", "kubed-tensorboard")]:
        wait_for(f"the end of {kind} {name}", lambda: shared_server.get(kind, name) is None)
    submit(shared_server, "kubed", "true")  # the name is free again
    delete(shared_server, "kubed")


def test_what_the_server_refuses_leaves_nothing(shared_server):
    said = arena(shared_server, *BASE, "--tensorboard", "--label=team=not a label", "true")
    assert said.code == 1 and "WARN[0000] what had been created was removed again" in said.err, repr(said)
    assert "not a label" in said.err.splitlines()[-1] and said.err.splitlines()[-1].startswith("ERRO"), repr(said)
    for kind, name in [("configmap", "x-pytorchjob"), ("service", "x-tensorboard"), ("deployment", "x-tensorboard")]:
        assert shared_server.get(kind, name) is None


def test_delete_tries_every_name(shared_server):
    submit(shared_server, "one", "true")
    submit(shared_server, "two", "true")
    said = arena(shared_server, "delete", "one", "missing", "two")
    assert said.code == 2 and shared_server.list("pytorchjobs") == [], repr(said)
    assert "ERRO[0000] Failed to delete missing, the reason is" in said.err, repr(said)
    assert said.err.count("has been deleted successfully") == 2


def test_prune_deletes_what_is_over(shared_server):
    assert arena(shared_server, "prune").err.startswith("ERRO[0000] --since is missing"), "an example helps"
    assert arena(shared_server, "prune").code == 1
    submit(shared_server, "over", "true")
    submit(shared_server, "runs", "sleep 600")
    assert wait_end(shared_server, "over") == "Succeeded"
    said = arena(shared_server, "prune", "--since", "1h")
    assert (said.code, said.out) == (0, "No job need to be deleted\n"), repr(said)
    said = arena(shared_server, "prune", "-s", "0")
    assert said.code == 0 and said.out.startswith("Delete pytorchjob over with Age "), repr(said)
    assert [job["metadata"]["name"] for job in shared_server.list("pytorchjobs")] == ["runs"]
    delete(shared_server, "runs")


def test_two_types_of_one_name_need_the_type(shared_server):
    submit(shared_server, "twin", "true")
    made = arena(shared_server, "submit", "tf", "--name=twin", "--image=i", "true")
    assert made.code == 0, repr(made)
    said = arena(shared_server, "delete", "twin")
    assert said.code == 2 and "--type" in said.err, repr(said)
    assert arena(shared_server, "delete", "twin", "-T", "TF").code == 0
    delete(shared_server, "twin")


# ---- what reaches the container ------------------------------------------------------------------

HARD = {"A": 'a,b "c" \'d\' e=f', "B": "$(A) $$ ${A}", "C": "", "D": "[1,2]", "E": '{"k": [1, 2]}', "F": " x "}


def test_values_and_command_arrive_unchanged(shared_server):
    flags = [word for key, value in HARD.items() for word in ("--env", f"{key}={value}")]
    script = "import json,os,sys; print(json.dumps([dict(os.environ), sys.argv[1:]]))"
    submit(shared_server, "hard", *flags, f"python -c '{script}' a,b \"c  d\" x=y '$$'")
    assert wait_end(shared_server, "hard") == "Succeeded"
    env, words = json.loads(log(shared_server, "hard-master-0"))
    assert {key: env[key] for key in HARD} == HARD
    assert words == ["a,b", "c  d", "x=y", "$$"]
    assert (env["workers"], env["gpus"], env["NVIDIA_VISIBLE_DEVICES"]) == ("1", "0", "void")
    delete(shared_server, "hard")


def test_three_workers_are_a_master_and_two(shared_server):
    # They stay: the job ends with its master, and takes workers along that have not begun yet.
    submit(shared_server, "three", "--workers=3", "echo $RANK of $WORLD_SIZE; sleep 600")
    for rank, pod in enumerate(["three-master-0", "three-worker-0", "three-worker-1"]):
        shared_server.wait_phase(pod, "Running", "pod")
        wait_for(f"the log of {pod}", lambda pod=pod: log(shared_server, pod))
        assert log(shared_server, pod) == f"{rank} of 3\n"
    delete(shared_server, "three")


def test_attach_runs_commands_in_pods(shared_server):
    submit(shared_server, "at", "--workers=2", "sleep 600")
    shared_server.wait_phase("at-worker-0", "Running", "pod")
    said = arena(shared_server, "attach", "at", input="echo rank $RANK; exit 7\n")
    assert (said.code, said.out) == (7, "rank 0\n"), repr(said)
    assert said.err.startswith("Hello! Arena attach the container pytorch of instance at-master-0\n"), repr(said)
    said = arena(shared_server, "attach", "at", "-i", "at-worker-0", "--", "sh", "-c", "echo rank $RANK; exit 3")
    assert (said.code, said.out) == (3, "rank 1\n"), repr(said)
    said = arena(shared_server, "attach", "at", "-i", "nope")
    assert said.code == 1 and "nope is no instance of the job at" in said.err, repr(said)
    delete(shared_server, "at")


def test_repository_names(shared_server):
    for source, name in [("h/r", "r"), ("h/r.git", "r"), ("h/r/", "r"), ("h/x.github.io.git", "x.github.io")]:
        said = arena(shared_server, *BASE, "--sync-mode=git", f"--sync-source=https://{source}", "--dry-run", "true")
        job = list(yaml.safe_load_all(said.out))[-1]
        pod = job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]
        env = {entry["name"]: entry["value"] for entry in pod["initContainers"][0]["env"]}
        assert env["GIT_SYNC_DEST"] == name, repr(said)


def test_code_that_cannot_be_fetched_is_told(shared_server, tmp_path):
    submit(shared_server, "nocode", "--sync-mode=git", f"--sync-source=file://{tmp_path}/none.git",
           "--env=GIT_SYNC_PASSWORD=s3cret", "true")
    assert wait_end(shared_server, "nocode") == "Failed"
    said = log(shared_server, "nocode-master-0", "-c", "init-code")
    assert "none.git" in said and "s3cret" not in said
    delete(shared_server, "nocode")


@pytest.fixture
def rsync_source(tmp_path):
    """An address that rsync's own daemon answers at; pods have a /tmp of their own."""
    if not shutil.which("rsync"):
        pytest.skip("rsync is not installed: tools/setup rsync says why")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.txt").write_text("hello\n")
    who = "".join(f"{kind} = {number}\n" for kind, number in [("uid", os.geteuid()), ("gid", os.getegid())])
    (tmp_path / "rsyncd.conf").write_text(f"use chroot = no\n{who}[code]\npath = {tmp_path}\n")
    port = next(PORTS)
    daemon = subprocess.Popen(["rsync", "--daemon", "--no-detach", f"--config={tmp_path}/rsyncd.conf",
                               "--address=127.0.0.1", f"--port={port}"])
    address = f"rsync://127.0.0.1:{port}/code"
    try:
        wait_for("rsync's daemon", lambda: subprocess.run(["rsync", address], capture_output=True).returncode == 0)
        yield address
    finally:
        daemon.terminate()
        daemon.wait()


def test_rsync(shared_server, rsync_source):
    submit(shared_server, "rs", "--sync-mode=rsync", f"--sync-source={rsync_source}/src", "cat code/src/a.txt")
    assert wait_end(shared_server, "rs") == "Succeeded"
    assert log(shared_server, "rs-master-0") == "hello\n"
    delete(shared_server, "rs")


def test_upload_sends_what_has_changed(shared_server, tmp_path):
    code = tmp_path / "my code"
    (code / "lib").mkdir(parents=True)
    (code / ".gitignore").write_text("*.bin\n/secret\n")
    (code / "secret").write_text("s3cret")
    (code / "lib/big.bin").write_text("left out")
    (code / "lib/word.txt").write_text("first\n")
    (code / "run.sh").write_text("#!/bin/sh\ncat \"$(dirname \"$0\")/lib/word.txt\"; ls -A \"$(dirname \"$0\")\" lib\n")
    (code / "run.sh").chmod(0o755)
    command = "cd 'code/my code'; ./run.sh"
    sync = ["--sync-mode=upload", f"--sync-source={code}", command]
    made = submit(shared_server, "up1", *sync)
    assert "3 of 3 files" in made.err, repr(made)
    (code / "lib/word.txt").write_text("second\n")
    made = submit(shared_server, "up2", *sync)
    assert "1 of 3 files" in made.err, repr(made)
    for name, word in [("up1", "first"), ("up2", "second")]:
        assert wait_end(shared_server, name) == "Succeeded"
        lines = log(shared_server, f"{name}-master-0").split()
        assert lines[0] == word and {"run.sh", ".gitignore", "word.txt"} < set(lines), lines
        assert not {"secret", "big.bin"} & set(lines), lines
    delete(shared_server, "up1", "up2")


# ---- files ---------------------------------------------------------------------------------------

def test_job_files(shared_server, tmp_path):
    (tmp_path / "job.yaml").write_text(
        'type: pytorch\nname: filed\nimage: i\nworkers: 1\nenv: {A: \'x, "y"=z\'}\ncommand: echo "$A"\n')
    made = arena(shared_server, "submit", "-f", tmp_path / "job.yaml")
    assert made.code == 0 and "pytorchjob.kubeflow.org/filed created" in made.out, repr(made)
    assert wait_end(shared_server, "filed") == "Succeeded"
    assert log(shared_server, "filed-master-0") == 'x, "y"=z\n'
    delete(shared_server, "filed")


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_dry_run_can_be_submitted(shared_server, form):
    dry = arena(shared_server, *BASE, "--name=dry", "--dry-run", "-o", form, "--tensorboard", "true")
    assert dry.code == 0 and shared_server.get("pytorchjob", "dry") is None, repr(dry)
    made = arena(shared_server, "submit", "-f", "-", input=dry.out)
    assert made.code == 0, repr(made)
    assert made.out.splitlines()[-1] == "pytorchjob.kubeflow.org/dry created"
    assert shared_server.get("pytorchjob", "dry")["metadata"]["labels"]["app"] == "pytorchjob"
    delete(shared_server, "dry")


# ---- people, settings, shells --------------------------------------------------------------------

def test_version_whoami_and_settings(shared_server, tmp_path):
    assert arena(shared_server, "version", "--short").out.startswith("arena: ")
    who = arena(shared_server, "whoami").json()
    assert who == {"Name": "admin", "Id": "21232f297a57a5a743894a0e4a801fc3", "IsAdminUser": False}
    (tmp_path / "config").write_text("# ours\nnamespace = elsewhere\n")
    shared_server.kubectl("create", "namespace", "elsewhere")
    made = shared_server.run([ARENA, *BASE, "true"], env={"ARENA_CONFIG": str(tmp_path / "config")})
    assert made.code == 0 and " -n " not in made.err, repr(made)
    assert "x" in shared_server.kubectl("get", "pytorchjob", "-n", "elsewhere", "x")
    said = arena(shared_server, *BASE, "--name=y", "-n", "elsewhere", "--workingDir=/tmp", "true")
    assert "`arena get y --type pytorchjob -n elsewhere`" in said.err, repr(said)
    assert "Flag --workingDir has been deprecated, please use --working-dir instead" in said.err, repr(said)
    shared_server.kubectl("delete", "namespace", "elsewhere")


def test_isolated_people_leave_each_others_jobs_alone(shared_server):
    shared_server.kubectl("create", "namespace", "lab")
    shared_server.kubectl("label", "namespace", "lab", "arena.kubeflow.org/isolate-user=true")
    for name in ["ann", "bob"]:
        made = shared_server.cli("user", "add", name, "-n", "lab", "--kubeconfig-out",
                                 shared_server.folder / f"{name}.kubeconfig")
        assert made.code == 0, repr(made)

    def by(name, *words):
        return arena(shared_server, "--config", shared_server.folder / f"{name}.kubeconfig", "-n", "lab", *words)

    made = by("ann", *BASE, "sleep 600")
    assert made.code == 0, repr(made)
    for words, code in [(["delete", "x"], 2), ([*BASE, "true"], 1)]:
        said = by("bob", *words)
        assert said.code == code and "you do not own it" in said.err, repr(said)
    assert by("ann", "delete", "x").code == 0
    shared_server.kubectl("delete", "namespace", "lab")


def test_shells_complete_names(shared_server):
    submit(shared_server, "complete-me", "true")
    assert shared_server.cli("data", "create", "a-volume").code == 0

    def offered(*words):
        return arena(shared_server, "__complete", "--", *words).out.split()

    assert offered("delete", "comp") == ["complete-me"]
    assert offered("submit", "pytorch", "--data", "a-") == ["a-volume:"]
    assert offered("delete", "-T", "t") == ["tfjob"]
    script = ('source <("$0" completion bash); arena() { "$ARENA" "$@"; }; COMP_WORDS=(arena delete comp); COMP_CWORD=2; '
              '_arena; echo "${COMPREPLY[@]}"')
    said = shared_server.run(["bash", "-c", script, ARENA], env={"ARENA": str(ARENA)})
    assert said.out == "complete-me\n", repr(said)
    assert arena(shared_server, "completion", "fish").code == 1
    delete(shared_server, "complete-me")
