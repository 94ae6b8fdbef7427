"""The whole for someone who is not root: the server runs as an ordinary user, who exists for these
tests only. Volumes go to places that the host does not have, and that the user could not make."""

import os
import socket
from pathlib import Path

import pytest
from apps_client import echo_app, visit, wait_condition
from harness import wait_for
from jobs import WAIT, config_map, gated, mounting, pod, shell_job, with_volume
from objects import secret
from processes import pids_running, shims_of
from servers import USER, UserServer, as_user, run_server

@pytest.fixture
def server(user):
    yield from run_server(UserServer, user)


@pytest.fixture
def gate(server):
    return server.volume("gate")


def test_server_and_jobs_are_the_users_own(server):
    server.create(pod("who", "id -u; id -g; hostname; grep -c who /etc/hosts; "
                             "grep CapEff /proc/self/status"))
    server.wait_phase("who", "Succeeded", "pod")
    assert os.stat(f"/proc/{server.pid}").st_uid == server.user.pw_uid
    said = server.kubectl("logs", "who").split()
    assert said == [str(server.user.pw_uid), str(server.user.pw_gid), "who", "1",
                    "CapEff:", "0000000000000000"]


@pytest.mark.parametrize("above", ["/", "/opt/", "/usr/share/"])
@pytest.mark.parametrize("below", ["", "/deep"])
def test_volume_at_a_place_that_the_host_does_not_have(server, above, below):
    path = above + USER + below
    folder = server.volume("work")
    (folder / "in").write_text("hello\n")
    script = f"pwd; cat in; echo done > out; touch {Path(path).parent}/beside && echo WRITTEN; true"
    server.create(with_volume(shell_job("place", script, workingDir=path), "work", path))
    server.wait_phase("place", "Succeeded")
    [worker] = server.pods("place")
    said = server.kubectl("logs", worker["metadata"]["name"])
    assert said.startswith(f"{path}\nhello\n") and "WRITTEN" not in said, said
    assert (folder / "out").read_text() == "done\n"
    assert (folder / "out").stat().st_uid == server.user.pw_uid
    assert not Path(above + USER).exists(), "it was made on the host"


def test_read_only_volume(server):
    folder = server.volume("input", "--read-only")
    (folder / "in").write_text("hello\n")
    script = f"cat /{USER}/in; touch /{USER}/out"
    server.create(with_volume(pod("reader", script), "input", f"/{USER}"))
    server.wait_phase("reader", "Failed", "pod")
    said = server.kubectl("logs", "reader")
    assert said.startswith("hello\n") and "Read-only file system" in said
    assert not (folder / "out").exists()


def test_data_folder_is_hidden_from_the_users_own_jobs(server):
    server.create(pod("spy", f"exec 2>&1; ls -A {server.data}; cat {server.data}/pki/admin.token; "
                             f"cat /proc/1/root{server.data}/pki/admin.token; echo end"))
    server.wait_phase("spy", "Succeeded", "pod")
    said = server.kubectl("logs", "spy")
    assert server.token() not in said and said.endswith("end\n"), said
    assert "pki\n" not in said, said


def test_files_of_the_api_in_a_pod(server):
    server.create(config_map("settings", lr="0.1"))
    server.create(secret("keys", password="hush"))
    made = pod("files", "cat /v/lr /w /var/run/secrets/kubernetes.io/serviceaccount/namespace; "
                        "cat /var/run/secrets/kubernetes.io/serviceaccount/token | wc -l; touch /v/new 2>/dev/null || echo refused")
    mounting(made, {"configMap": {"name": "settings"}})
    mounting(made, {"secret": {"secretName": "keys"}}, "/w", subPath="password")
    server.create(made)
    server.wait_phase("files", "Succeeded", "pod")
    assert server.kubectl("logs", "files") == "0.1hushdefault0\nrefused\n"


def test_files_of_a_volume_from_the_command_line(server):
    assert server.cli("data", "create", "own").code == 0
    assert (done := server.cli("data", "cp", "/etc/os-release", "own:in/")).code == 0, repr(done)
    server.create(with_volume(pod("reads", "cp /volume/in/os-release /volume/out"), "own"))
    server.wait_phase("reads", "Succeeded", "pod")
    assert server.cli("data", "cat", "own:out").out == Path("/etc/os-release").read_text()
    assert server.cli("data", "rm", "-r", "own:in").code == 0
    assert server.cli("data", "ls", "own").out.split()[2::2] == ["out"]


def test_memory_that_cannot_be_shared_is_a_folder_on_disk(server):
    made = mounting(pod("sharemem", "cat /v/file; stat -f -c %T /v"), {"emptyDir": {"medium": "Memory"}})
    made["spec"]["initContainers"] = [{"name": "first", "image": "host", "command": ["sh", "-c", "echo init > /w/file"],
                                       "volumeMounts": [{"name": "v0", "mountPath": "/w"}]}]
    server.create(made)
    server.wait_phase("sharemem", "Succeeded", "pod")
    assert server.kubectl("logs", "sharemem").startswith("init\n")
    assert any("on disk, not in memory" in message for _, message in server.events("sharemem"))


def test_sub_paths_stay_in_their_volume(server):
    folder = server.volume("work")
    (folder / "out").symlink_to("/etc")
    made = mounting(pod("inside", "echo x > /v/file"), {"persistentVolumeClaim": {"claimName": "work"}}, subPath="new/deep")
    server.create(made)
    server.wait_phase("inside", "Succeeded", "pod")
    assert (folder / "new/deep/file").read_text() == "x\n"
    server.create(mounting(pod("outside", "cat /v/passwd"), {"persistentVolumeClaim": {"claimName": "work"}}, subPath="out"))
    wait_for("the refusal", lambda: "leads out of its volume" in str(server.get("pod", "outside")["status"]))


def test_job_goes_on_when_the_server_is_killed(server, gate):
    server.create(gated(shell_job("train", f"echo before; {WAIT}; echo after")))
    server.wait_phase("train", "Running")
    [before] = server.pods("train")
    shims = shims_of(server.data)
    assert shims
    server.kill()
    server.up()
    assert shims_of(server.data) == shims
    (gate / "open").touch()
    server.wait_phase("train", "Succeeded")
    [after] = server.pods("train")
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["status"]["containerStatuses"][0]["restartCount"] == 0
    assert server.kubectl("logs", after["metadata"]["name"]) == "before\nafter\n"


def test_deleted_job_leaves_nothing(server):
    """Not even a folder that its owner may not write to, which only root removes without more ado."""
    spec = shell_job("messy", "mkdir -p /scratch/a/b; chmod 000 /scratch/a/b; chmod 500 /scratch/a; "
                              "exec sleep 31536003")
    inner = spec["spec"]["replicaSpecs"][0]["template"]["spec"]
    inner["volumes"] = [{"name": "scratch", "emptyDir": {}}]
    inner["containers"][0]["volumeMounts"] = [{"name": "scratch", "mountPath": "/scratch"}]
    server.create(spec)
    wait_for("the script's last command", lambda: pids_running("sleep 31536003"))
    gone = server.cli("delete", "messy")
    assert gone.code == 0, repr(gone)
    wait_for("its processes to go", lambda: not pids_running("sleep 31536003"))
    wait_for("its folder to go", lambda: not list((server.data / "pods").iterdir()), 5)


def test_down_all_stops_what_runs(server):
    server.create(pod("ends", "exec sleep 31536014"))
    wait_for("the pod's process", lambda: pids_running("sleep 31536014"))
    said = server.cli("down", "--all")
    assert said.code == 0, repr(said)
    assert pids_running("sleep 31536014") == []
    assert server.leftovers() == []


def test_command_is_run_in_a_folder_of_the_users(server):
    folder = server.folder / "program"
    folder.mkdir()
    os.chown(folder, server.user.pw_uid, server.user.pw_gid)
    said = server.run(as_user("env", "-C", folder, server.program, "run", "-n", "2", "--", "sh", "-c",
                              "id -u > made-$RANK; pwd"))
    assert said.code == 0, repr(said)
    assert sorted(said.out.splitlines()) == [f"[worker-{rank}] {folder}" for rank in range(2)]
    for rank in range(2):
        assert (folder / f"made-{rank}").read_text() == f"{server.user.pw_uid}\n"


def test_web_apps_are_reached_through_the_proxy_alone(server):
    echo_app(server, "echo")
    wait_condition(server, "tensorboard", "echo", "Ready", "True")
    assert visit(server, "tensorboard", "echo").ask("/x")[0] == 200
    with socket.socket() as direct, pytest.raises(ConnectionRefusedError):
        direct.connect(("127.0.0.1", 6006))
