"""up, status, down: what an operator sees."""

import http.client
import json
import re
import socket
import ssl
import time

from harness import wait_for
from jobs import config_map, pod
from processes import is_alive, parent_of, pids_running


def test_is_ready_in_a_moment(stopped_server):
    took = []
    for _ in range(3):  # the best of three: other tests' servers are not what is measured
        took.append(stopped_server.up())
        stopped_server.cli("down")
    print("start to ready:", ", ".join(f"{t * 1000:.0f} ms" for t in took), "(goal: 150 ms)")
    assert min(took) < 0.5
    stopped_server.up()
    assert stopped_server.api("/readyz") == (200, "ok")
    assert stopped_server.kubectl("get", "nodes", "--no-headers").split()[1] == "Ready"


def test_a_ready_server_has_all_its_nodes(stopped_server):
    stopped_server.up("--nodes", "60*cpu=2", "--fake-runtime")
    nodes = stopped_server.list("nodes")
    assert len(nodes) == 60 and all("cpu" in node.get("status", {}).get("allocatable", {}) for node in nodes)


def test_up_says_where_it_answers(stopped_server):
    said = stopped_server.try_up()
    assert said.code == 0, repr(said)
    status = stopped_server.status()
    assert status["api"] in said.text
    assert re.search(rf"{status['console']}/login#token=\w+", said.text), repr(said)


def test_up_stays_in_the_foreground_without_detach(stopped_server):
    stream = stopped_server.stream("trainyard", "up", "--listen", "127.0.0.1:0",
                                   "--console", "127.0.0.1:0")
    stream.wait_text("https://127.0.0.1:")
    assert parent_of(stopped_server.status()["pid"]) == stream.process.pid
    stream.process.terminate()
    assert stream.wait_end() == 0, repr(stream)
    assert stopped_server.cli("status").code == 1


def test_status_tells_running_from_stopped_by_its_exit_code(server):
    running = server.cli("status")
    assert running.code == 0 and str(server.pid) in running.out, repr(running)
    assert server.cli("down").code == 0
    stopped = server.cli("status")
    assert stopped.code == 1 and "no server runs" in stopped.err, repr(stopped)
    assert "trainyard up" in stopped.err, "it should say how to start one"
    never = server.cli("status", "--data-dir", server.folder / "nothing")
    assert never.code == 1 and str(server.folder / "nothing") in never.err, repr(never)


def test_status_as_json(server):
    status = server.status()
    assert is_alive(status["pid"])
    assert status["api"].startswith("https://127.0.0.1:")
    assert status["console"].startswith("http://127.0.0.1:")
    assert status["dataDir"] == str(server.data)


def test_second_up_on_the_same_folder_is_refused(server):
    second = server.cli("up", "--detach", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0")
    assert second.code == 1, repr(second)
    assert str(server.data) in second.err and str(server.pid) in second.err, repr(second)
    assert server.api("/readyz") == (200, "ok"), "the first one goes on"


def test_taken_port_is_refused_naming_the_flag(stopped_server):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        for flag, other in [("--listen", "--console"), ("--console", "--listen")]:
            refused = stopped_server.cli("up", "--detach", flag, address, other, "127.0.0.1:0")
            assert refused.code == 1, repr(refused)
            assert flag in refused.err and address in refused.err, repr(refused)
            assert stopped_server.cli("status").code == 1


def test_nonsense_addresses_are_refused(stopped_server):
    for flag, value in [("--listen", "nowhere"), ("--listen", "127.0.0.1:99999"),
                        ("--console", "0.0.0.0:0")]:
        refused = stopped_server.cli("up", "--detach", flag, value)
        assert refused.code == 1 and f"{flag} {value}" in refused.err, repr(refused)


def test_down_keeps_pods_running_and_the_next_up_adopts_them(server):
    server.create(pod("stays", "echo begun; exec sleep 31536001"))
    server.wait_phase("stays", "Running", "pod")
    pids = pids_running("sleep 31536001")
    assert len(pids) == 1
    said = server.cli("down")
    assert said.code == 0, repr(said)
    assert "pod" in said.text and "run" in said.text, f"it should say that pods run on: {said!r}"
    assert pids_running("sleep 31536001") == pids
    server.up()
    adopted = server.get("pod", "stays")
    assert adopted["status"]["phase"] == "Running"
    assert adopted["status"]["containerStatuses"][0]["restartCount"] == 0
    assert pids_running("sleep 31536001") == pids
    assert server.kubectl("logs", "stays") == "begun\n"


def test_down_all_stops_pods(server):
    server.create(pod("ends", "exec sleep 31536002"))
    server.wait_phase("ends", "Running", "pod")
    said = server.cli("down", "--all")
    assert said.code == 0, repr(said)
    assert pids_running("sleep 31536002") == []
    assert server.leftovers() == []
    again = server.cli("down")
    assert again.code == 1 and "no server runs" in again.err, repr(again)


def test_objects_survive_a_restart(server):
    before = server.create(config_map("kept", a="1"))
    server.cli("down")
    server.up()
    assert server.get("configmap", "kept") == before
    after = server.create(config_map("later"))
    version = lambda obj: int(obj["metadata"]["resourceVersion"])  # noqa: E731
    assert version(after) > version(before), "resourceVersions go on rising"


def test_two_servers_side_by_side_know_nothing_of_each_other(server, stopped_server):
    stopped_server.up()
    server.create(config_map("mine"))
    assert stopped_server.get("configmap", "mine") is None


def test_watches_one_after_the_other_on_a_connection_do_not_hold_the_end_up(server):
    context = ssl.create_default_context(cafile=str(server.data / "pki/ca.crt"))
    connection = http.client.HTTPSConnection(server.listen, context=context, timeout=10)
    headers = {"Authorization": f"Bearer {server.token()}"}
    connection.request("GET", "/api/v1/configmaps?watch=1&timeoutSeconds=1", headers=headers)
    connection.getresponse().read()  # to its end: the connection is kept
    connection.request("GET", "/api/v1/configmaps?watch=1", headers=headers)
    assert connection.getresponse().status == 200
    began = time.monotonic()
    assert server.cli("down").code == 0
    assert time.monotonic() - began < 2


def test_a_server_that_is_stopped_while_it_cleans_up_ends_in_order(server):
    """Files of ended pods are removed on another thread, which must not be left with what is gone. That
    the server has not crashed shows in what comes after the test: then its control groups would stay."""
    pods = [pod(f"short-{i}", "", command=["/bin/true"]) for i in range(100)]
    server.kubectl("create", "-f", "-", input=json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    wait_for("all to end", lambda: [each["status"]["phase"] for each in server.list("pods")] == ["Succeeded"] * 100, 60)
