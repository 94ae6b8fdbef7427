"""What a pod can see and touch, and that nothing of it stays."""

import json
import os
import time
from pathlib import Path

import pytest
from harness import wait_for
from jobs import WAIT, gated, pod, shell_job, with_volume
from processes import all_pids, pids_running, read, shims_of


def run_pod(server, name, script, expect="Succeeded", volume=None, **more):
    """Runs a script as a pod to its end; what it printed."""
    made = pod(name, script, **more)
    server.create(with_volume(made, volume) if volume else made)
    server.wait_phase(name, expect, "pod")
    return server.kubectl("logs", name)


def test_data_folder_cannot_be_seen_from_a_pod(server):
    said = run_pod(server, "spy", f"""
        ls -A {server.data}
        for file in kubeconfig pki/admin.token pki/ca.key store.db server.log audit.log; do
          cat {server.data}/$file && echo READ $file
        done
        for folder in {server.data} /proc/1/root{server.data} /proc/1/cwd; do
          find $folder -name admin.token -o -name store.db 2>/dev/null | head -3
        done
        echo end""")
    assert server.token() not in said
    for secret in ["READ", "admin.token\n", "store.db\n"]:
        assert secret not in said.replace("No such file", ""), said
    assert said.endswith("end\n")


def test_environment_of_the_server_is_not_the_pods(server):
    """Whatever the operator had in the environment stays there."""
    server.cli("down")
    server.env["OPERATORS_SECRET"] = "hunter2"
    server.up()
    said = run_pod(server, "env", "env; cat /proc/1/environ || true")
    assert "hunter2" not in said and "RANK" not in said, said


def test_other_processes_cannot_be_seen_or_signalled(server):
    said = run_pod(server, "blind", f"kill -0 {server.pid} && echo ALIVE; "
                   "ls -d /proc/[0-9]* | wc -l; cat /proc/1/cmdline | tr '\\0' ' '")
    assert "ALIVE" not in said, said
    count = int(next(line for line in said.splitlines() if line.isdigit()))
    assert count <= 5, f"only the pod's own processes: {said}"


@pytest.mark.parametrize("folder", ["/tmp", "/etc", "/root", "/usr/local", "/var/tmp", "/dev/shm", "/run", "/work"])
def test_writes_outside_volumes_do_not_reach_the_host(server, folder):
    if not Path(folder).is_dir():
        pytest.skip(f"this machine has no {folder}")
    marker = f"{folder}/trainyard-e2e-{os.getpid()}"
    try:
        said = run_pod(server, "writer", f"echo mine > {marker} && cat {marker}")
        assert said == "mine\n", "it may write there, for itself"
        assert not Path(marker).exists(), f"{marker} is on the host"
    finally:
        Path(marker).unlink(missing_ok=True)


def test_host_files_stay_though_a_pod_removes_them(server):
    victim = server.folder / "victim"
    victim.write_text("precious")
    run_pod(server, "remover", f"rm {victim}; echo gone > /etc/hostname; true")
    assert victim.read_text() == "precious"
    assert Path("/etc/hostname").read_text() != "gone\n"


def test_two_pods_do_not_see_each_others_scratch(server):
    run_pod(server, "one", "echo one > /tmp/scratch")
    assert run_pod(server, "two", "cat /tmp/scratch 2>/dev/null || echo nothing") == "nothing\n"


def test_volume_is_shared_and_reaches_its_folder(server):
    folder = server.folder / "mine"
    folder.mkdir()
    assert server.cli("data", "create", "mine", "--path", folder).code == 0
    run_pod(server, "producer", "echo made > /volume/file", volume="mine")
    assert (folder / "file").read_text() == "made\n"
    assert run_pod(server, "consumer", "cat /volume/file", volume="mine") == "made\n"


def test_read_only_volume_refuses_writes(server):
    folder = server.folder / "fixed"
    folder.mkdir()
    (folder / "old").write_text("old\n")
    assert server.cli("data", "create", "fixed", "--path", folder, "--read-only").code == 0
    script = ("cat /volume/old; touch /volume/new || echo refused; rm -f /volume/old || echo refused; "
              "mount -o remount,rw /volume || echo refused")
    said = run_pod(server, "vandal", script, volume="fixed")
    assert said.startswith("old\n") and said.count("refused\n") == 3, said
    assert [file.name for file in folder.iterdir()] == ["old"]


def test_read_only_mount_of_a_writable_volume(server):
    assert server.cli("data", "create", "shared").code == 0
    made = with_volume(pod("reader", "touch /volume/x || echo refused"), "shared", read_only=True)
    server.create(made)
    server.wait_phase("reader", "Succeeded", "pod")
    assert "refused" in server.kubectl("logs", "reader")


def test_dangerous_rights_are_dropped(server):
    said = run_pod(server, "meek", """
        mount -t tmpfs none /mnt 2>/dev/null && echo MOUNTED
        mknod /tmp/disk b 254 0 2>/dev/null && echo DEVICE
        (true >> /proc/sys/kernel/core_pattern) 2>/dev/null && echo SYSCTL
        (true >> /proc/sysrq-trigger) 2>/dev/null && echo SYSRQ
        grep NoNewPrivs /proc/self/status""")
    assert said.split() == ["NoNewPrivs:", "1"], said


def test_hostname_is_the_pods(server):
    made = shell_job("named", "hostname; getent hosts $(hostname) | cut -d' ' -f1")
    server.create(made)
    server.wait_phase("named", "Succeeded")
    [named] = server.pods("named")
    name, address = server.kubectl("logs", named["metadata"]["name"]).split()
    assert name == named["metadata"]["name"]
    assert address == named["status"]["podIP"] and address.startswith("127.")
    assert name not in Path("/etc/hostname").read_text()


DAEMON = "python3 -c 'import os,time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\ntime.sleep(31536004)'"


def test_nothing_is_left_of_a_deleted_pod(server, gate):
    server.create(gated(pod("messy", f"{DAEMON}; sleep 31536004 & echo ready; {WAIT}", grace=1)))
    server.wait_phase("messy", "Running", "pod")
    wait_for("the daemon", lambda: len(pids_running("31536004")) >= 2)
    uid = server.get("pod", "messy")["metadata"]["uid"]
    assert any(uid in read(f"/proc/{pid}/mountinfo") for pid in all_pids())
    server.kubectl("delete", "pod", "messy", "--timeout=20s")
    assert pids_running("31536004") == []
    wait_for("the pod's folder to go", lambda: not (server.data / "pods" / uid).exists())
    assert not [pid for pid in all_pids() if uid in read(f"/proc/{pid}/mountinfo")]
    assert not pids_running(uid)


def test_daemon_does_not_outlive_its_finished_container(server):
    run_pod(server, "father", f"{DAEMON}; echo done")
    wait_for("the daemon to end", lambda: pids_running("31536004") == [])


def test_sigterm_is_heard_and_waited_for(server, gate):
    script = f"trap 'echo bye > /gate/heard; exit 0' TERM; echo ready; while :; do {WAIT}; done"
    server.create(gated(pod("polite", script, grace=20)))
    wait_for("the trap", lambda: server.get("pod", "polite")["status"]["phase"] == "Running"
             and "ready" in server.kubectl("logs", "polite"))
    began = time.monotonic()
    server.kubectl("delete", "pod", "polite", "--timeout=20s")
    assert time.monotonic() - began < 10, "it left at once, nobody waits for the grace to pass"
    assert (gate.folder / "heard").read_text() == "bye\n"


def test_sigkill_follows_when_the_grace_has_passed(server):
    script = "trap 'echo ignored' TERM; echo ready; while :; do sleep 0.1; done"
    server.create(pod("stubborn", script, grace=1))
    wait_for("the trap", lambda: server.get("pod", "stubborn")["status"]["phase"] == "Running"
             and "ready" in server.kubectl("logs", "stubborn"))
    follower = server.stream("kubectl", "logs", "-f", "stubborn")
    follower.wait_text("ready")
    began = time.monotonic()
    server.kubectl("delete", "pod", "stubborn", "--timeout=20s")
    assert 0.9 < time.monotonic() - began < 6
    follower.wait_end()
    assert "ignored" in follower.text, "SIGTERM came first"


def test_forced_deletion_does_not_wait(server):
    server.create(pod("forced", "trap '' TERM; echo ready; while :; do sleep 0.1; done", grace=600))
    server.wait_phase("forced", "Running", "pod")
    began = time.monotonic()
    server.kubectl("delete", "pod", "forced", "--grace-period=0", "--force", "--timeout=20s")
    assert time.monotonic() - began < 5
    wait_for("its processes to end", lambda: not shims_of(server.data))


def test_memory_volume_and_empty_dir(server):
    made = pod("scratch", "df /dev/shm | tail -1 | cut -d' ' -f1; echo x > /scratch/a; cat /scratch/a",
               volumeMounts=[{"name": "shm", "mountPath": "/dev/shm"}, {"name": "s", "mountPath": "/scratch"}])
    made["spec"]["volumes"] = [{"name": "shm", "emptyDir": {"medium": "Memory"}},
                               {"name": "s", "emptyDir": {}}]
    server.kubectl("create", "-f", "-", input=json.dumps(made))
    server.wait_phase("scratch", "Succeeded", "pod")
    assert server.kubectl("logs", "scratch").splitlines()[-1] == "x"
