"""The server is killed with kill -9; what it supervised goes on, and it forgets nothing."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from harness import wait_for
from jobs import WAIT, gated, pod, shell_job
from processes import parent_of, shims_of

KILLS = 6


def test_every_line_exactly_once_whatever_is_killed_when(server, gate):
    """A job prints numbered lines without pause while the server dies again and again at random
    moments."""
    # The loop writes a copy of its own: the truth to compare with.
    script = ("i=0; until [ -e /gate/open ]; do i=$((i+1)); echo line $i; echo line $i >> /gate/truth; "
              "[ $((i % 5)) = 0 ] && sleep 0.002; done; echo last; exit 7")
    server.create(gated(shell_job("count", script, restart="Never")))
    server.wait_phase("count", "Running")
    [counter] = server.pods("count")
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    moments = random.Random(seed)
    for _ in range(KILLS):
        time.sleep(moments.uniform(0, 0.3))  # the very thing under test is when it dies
        server.kill()
        time.sleep(moments.uniform(0, 0.2))
        server.up()
    gate.open()
    wait_for("the job's end", lambda: server.get("pj", "count")["status"]["phase"] == "Failed")
    truth = (gate.folder / "truth").read_text() + "last\n"
    log = server.kubectl("logs", counter["metadata"]["name"])
    assert len(truth) > 1000
    assert log == truth, f"{len(log)} bytes in the log, {len(truth)} were written (seed {seed})"
    ended = server.get("pod", counter["metadata"]["name"])
    assert ended["metadata"]["uid"] == counter["metadata"]["uid"]
    assert ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 7


@pytest.mark.parametrize("code", [0, 3])
def test_container_that_ends_while_no_server_runs(server, gate, code):
    server.create(gated(pod("alone", f"echo before; {WAIT}; echo after; exit {code}")))
    server.wait_phase("alone", "Running", "pod")
    server.kill()
    gate.open()
    wait_for("the shim to go", lambda: not shims_of(server.data))
    server.up()
    ended = server.wait_phase("alone", "Failed" if code else "Succeeded", "pod")
    terminated = ended["status"]["containerStatuses"][0]["state"]["terminated"]
    assert terminated["exitCode"] == code
    assert terminated["startedAt"] <= terminated["finishedAt"]
    assert server.kubectl("logs", "alone") == "before\nafter\n"


def test_job_goes_on_to_its_restart_after_a_crash(server, gate):
    """The replica fails while no server runs: the next server replaces it, once."""
    script = f"[ -e /gate/open ] && exit 0; {WAIT}; exit 1"
    server.create(gated(shell_job("again", script, run_policy={"backoffLimit": 1})))
    server.wait_phase("again", "Running")
    server.kill()
    gate.open()
    wait_for("the shim to go", lambda: not shims_of(server.data))
    server.up()
    done = server.wait_phase("again", "Succeeded")
    assert done["status"]["backoffCount"] == 1


def test_job_created_just_before_the_crash_still_runs(server):
    """What was acknowledged is kept, and carried on with."""
    server.create(shell_job("quick", "echo done", count=2))
    server.kill()
    server.up()
    server.wait_phase("quick", "Succeeded")
    assert len(server.pods("quick")) == 2


def test_many_acknowledged_writes_survive(server):
    names = [f"c{i}" for i in range(40)]
    text = "\n---\n".join(f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}" for name in names)
    server.kubectl("create", "-f", "-", input=text)
    server.kill()
    server.up()
    stored = {item["metadata"]["name"] for item in server.list("configmaps")}
    assert set(names) <= stored


def test_deletion_under_way_is_finished_by_the_next_server(server, gate):
    server.create(gated(pod("leaving", f"trap '' TERM; {WAIT}", grace=30)))
    server.wait_phase("leaving", "Running", "pod")
    server.kubectl("delete", "pod", "leaving", "--wait=false")
    server.kill()
    assert len(shims_of(server.data)) >= 1
    server.up()
    assert "deletionTimestamp" in server.get("pod", "leaving")["metadata"]
    gate.open()
    wait_for("the pod to go", lambda: server.get("pod", "leaving") is None)


def test_log_can_be_followed_again_from_its_beginning(server, gate):
    server.create(gated(pod("told", f"echo one; {WAIT}; echo two")))
    server.wait_phase("told", "Running", "pod")
    follower = server.stream("kubectl", "logs", "-f", "told")
    follower.wait_text("one")
    server.kill()
    follower.wait_end()
    server.up()
    follower = server.stream("kubectl", "logs", "-f", "told")
    follower.wait_text("one")
    gate.open()
    assert follower.wait_end() == 0, repr(follower)
    assert follower.text == "one\ntwo\n"


def test_pods_are_outside_the_servers_process_group(server, gate):
    """Ctrl-C in the server's terminal must not reach them."""
    server.create(gated(pod("apart", WAIT)))
    server.wait_phase("apart", "Running", "pod")
    shims = shims_of(server.data)
    assert shims
    assert os.getpgid(server.pid) not in [os.getpgid(pid) for pid in shims]


def crash(server, sig=signal.SIGABRT):
    """Ends the server as a broken invariant does, and returns the process that came after it."""
    before = server.pid
    os.kill(before, sig)
    wait_for("a server started anew", lambda: server.status() and server.pid != before)
    return server.pid


def test_server_that_crashes_comes_back_by_itself(server, gate):
    server.create(gated(pod("alone", f"echo before; {WAIT}; echo after")))
    server.wait_phase("alone", "Running", "pod")
    uid = server.get("pod", "alone")["metadata"]["uid"]
    address = server.status()["api"]
    crash(server, signal.SIGSEGV)
    assert server.status()["api"] == address, "people have the address"
    assert "the server has crashed (Segmentation fault); it is started again" in server.log_tail()
    assert "  trainyard+0x" in server.log_tail(), "the log says where"
    gate.open()
    server.wait_phase("alone", "Succeeded", "pod")
    assert server.get("pod", "alone")["metadata"]["uid"] == uid
    assert server.kubectl("logs", "alone") == "before\nafter\n"


def test_server_that_crashes_again_and_again_is_left_alone(server):
    for _ in range(5):
        crash(server)
    os.kill(server.pid, signal.SIGABRT)
    wait_for("no more starts", lambda: "is not started again" in server.log_tail())
    assert server.status() is None
    server.up()  # by hand it starts


def test_kill_of_the_parent_ends_the_server(server):
    pid = server.pid
    parent = parent_of(pid)
    assert "trainyard" in Path(f"/proc/{parent}/comm").read_text()
    os.kill(parent, signal.SIGKILL)
    wait_for("the server's end", lambda: server.status() is None)
    server.up()


def test_pod_at_which_the_server_crashed_twice_is_set_aside(stopped_server):
    """What a crash names is written down by the server itself; here the record is given."""
    server = stopped_server
    server.up()
    server.create(pod("bad", "sleep 1000"))
    server.wait_phase("bad", "Running", "pod")
    uid = server.get("pod", "bad")["metadata"]["uid"]
    server.cli("down")
    (server.data / "crashes").write_text(f"run pod default/bad {uid}\n" * 2)
    server.up()
    server.create(shell_job("good", "echo fine"))
    server.wait_phase("good", "Succeeded")
    said = [event["message"] for event in server.list("events") if event["reason"] == "SetAside"]
    assert said and "crashed twice" in said[0] and "delete it" in said[0]
    server.kubectl("delete", "pod", "bad", "--grace-period=0")
