"""Whom a container runs as, what it may, and what it says at its end."""

import os

import pytest
from harness import wait_for
from jobs import DEFAULT_GROUP, pod
from test_pod_life import main, wait_waiting, with_scratch

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="other users need a server that runs as root")


def run_pod(server, name, script, security=None, expect="Succeeded", **container):
    made = pod(name, script, **container)
    if security:
        made["spec"]["securityContext"] = security
    server.create(made)
    server.wait_phase(name, expect, "pod")
    return server.kubectl("logs", name)


def test_user_group_and_groups(shared_server):
    said = run_pod(shared_server, "other", "id -u; id -g; id -G; echo $HOME",
                   {"runAsUser": 54321, "runAsGroup": 54322, "supplementalGroups": [54323], "fsGroup": 54324})
    assert said == f"54321\n54322\n54322 54323 54324 {DEFAULT_GROUP}\n/\n"


def test_the_containers_word_counts_more(shared_server):
    assert run_pod(shared_server, "word", "id -u", {"runAsUser": 54321},
                   securityContext={"runAsUser": 54399}) == "54399\n"


def test_the_pods_group_owns_its_volumes(shared_server):
    made = with_scratch(pod("grouped", "stat -c %g /scratch; touch /scratch/x && stat -c %g /scratch/x"))
    made["spec"]["securityContext"] = {"runAsUser": 54321, "fsGroup": 54324}
    shared_server.create(made)
    shared_server.wait_phase("grouped", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "grouped") == "54324\n54324\n"


def test_root_is_refused_where_it_must_not_be(shared_server):
    made = pod("rooted", "id -u", grace=0)
    made["spec"]["securityContext"] = {"runAsNonRoot": True}
    uid = shared_server.create(made)["metadata"]["uid"]
    assert wait_waiting(shared_server, "rooted", "CreateContainerConfigError")["message"] == (
        f'container has runAsNonRoot and image will run as root (pod: "rooted_default({uid})", container: main)')
    shared_server.kubectl("delete", "pod", "rooted")
    assert run_pod(shared_server, "meek", "id -u", {"runAsNonRoot": True, "runAsUser": 54321}) == "54321\n"


def test_a_read_only_root(shared_server):
    made = with_scratch(pod("fixed", "touch /x || echo refused; touch /etc/x || echo refused; touch /tmp/x || "
                            "echo refused; touch /scratch/x && touch /dev/shm/x && echo fine",
                            securityContext={"readOnlyRootFilesystem": True}))
    shared_server.create(made)
    shared_server.wait_phase("fixed", "Succeeded", "pod")
    said = shared_server.kubectl("logs", "fixed")
    assert said.count("refused\n") == 3 and said.endswith("fine\n"), said


def test_capabilities_are_those_of_containers(shared_server):
    script = "grep CapBnd /proc/self/status | cut -f2"
    given = int(run_pod(shared_server, "usual", script), 16)
    assert given & 1 << 0 and given & 1 << 7, "chown, setuid"
    assert not given & (1 << 21 | 1 << 19 | 1 << 16 | 1 << 27 | 1 << 12 | 1 << 2), f"{given:x}"
    none = run_pod(shared_server, "none", script, securityContext={"capabilities": {"drop": ["ALL"]}})
    assert int(none, 16) == 0
    asked = run_pod(shared_server, "greedy", script, securityContext={"capabilities": {"add": ["SYS_ADMIN"]}})
    assert int(asked, 16) == given
    wait_for("the event", lambda: any("SYS_ADMIN" in message for _, message in shared_server.events("greedy")))


def test_last_words(shared_server):
    run_pod(shared_server, "spoken", "echo the reason > /dev/termination-log; exit 3", expect="Failed")
    ended = main(shared_server.get("pod", "spoken"))["state"]["terminated"]
    assert (ended["exitCode"], ended["message"]) == (3, "the reason\n")
    run_pod(shared_server, "placed", "echo here > /var/tmp/words", terminationMessagePath="/var/tmp/words")
    assert main(shared_server.get("pod", "placed"))["state"]["terminated"]["message"] == "here\n"


def test_last_words_from_the_log(shared_server):
    policy = {"terminationMessagePolicy": "FallbackToLogsOnError"}
    run_pod(shared_server, "logged", "echo loading; echo broken >&2; exit 1", expect="Failed", **policy)
    assert main(shared_server.get("pod", "logged"))["state"]["terminated"]["message"] == "loading\nbroken\n"
    run_pod(shared_server, "good", "echo loading", **policy)
    assert "message" not in main(shared_server.get("pod", "good"))["state"]["terminated"]


def test_the_machines_disks_are_not_in_a_pod(shared_server):
    said = run_pod(shared_server, "blind", "ls /dev; echo x > /dev/null; head -c 1 /dev/urandom | wc -c; "
                   "python3 -c 'import os, pty; pty.openpty(); print(\"terminal\")'").split()
    host = {name for name in os.listdir("/dev") if name.startswith(("sd", "vd", "nvme", "loop", "mem", "kmsg"))}
    assert not host & set(said), said
    assert {"null", "zero", "shm", "pts", "ptmx", "stdout"} <= set(said) and said[-2:] == ["1", "terminal"], said
