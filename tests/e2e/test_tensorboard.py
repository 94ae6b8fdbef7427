"""TensorBoards: the real tensorboard over folders of volumes, behind the proxy."""

import json

import pytest
from apps_client import API, Visitor, condition, make_curve, tensorboard, visit, wait_condition
from console_client import Browser
from harness import wait_for
from jobs import shell_job

@pytest.fixture(scope="module")
def server(shared_server):
    """With the volume `runs`: a curve in its folder mnist, nothing yet in later."""
    make_curve(shared_server, "runs")
    return shared_server


@pytest.fixture(scope="module")
def board(server):
    """A TensorBoard of the volume that runs, and somebody who looks at it."""
    server.create(tensorboard("board", resources={"limits": {"cpu": "1", "memory": "1Gi"}}))
    wait_ready(server, "board")
    return visit(server, "tensorboard", "board")


def wait_ready(server, name):
    return wait_condition(server, "tensorboard", name, "Ready", "True", timeout=60)


def test_it_shows_the_curves_of_a_volume(server, board):
    told = board.json("/data/environment")
    assert told["data_location"] == "/pvc-runs/mnist"
    tags = wait_for("the curve", lambda: board.json("/data/plugin/scalars/tags"))
    assert list(tags) == ["."] and list(tags["."]) == ["train/loss"]
    points = board.json("/data/plugin/scalars/scalars?run=.&tag=train%2Floss")
    assert [point[1] for point in points] == [0, 1, 2, 3, 4]
    status, headers, page = board.ask("/")
    assert status == 200 and "<tf-tensorboard" in page or "<tb-" in page or "index.js" in page
    status, _, script = board.ask("/index.js")
    assert status == 200 and len(script) > 100_000


def test_its_status_tells_all(server, board):
    app = server.get("tensorboard", "board")
    status = app["status"]
    assert status["phase"] == "Running"
    assert status["url"] == f"http://{server.apps}/default/tensorboard/board/"
    pod = server.get("pod", status["pod"]["reference"]["name"])
    assert pod["metadata"]["uid"] == status["pod"]["reference"]["uid"]
    assert status["pod"]["phase"] == "Running"
    assert {entry["type"]: entry["status"] for entry in status["conditions"]} == {
        "Ready": "True", "Idle": "False", "Suspended": "False"}
    assert all(entry["lastProbeTime"] for entry in status["conditions"])
    assert pod["spec"]["containers"][0]["resources"]["limits"]["memory"] == "1Gi"
    assert "Running" in server.kubectl("get", "tensorboard", "board", "-o", "wide")
    server.wait_event("board", "PhaseTransformed", "TensorBoard board transformed from Initializing to Running")


def test_a_jobs_own_opens_by_the_jobs_name_and_goes_with_it(server):
    made = shell_job("curves", "true")
    made["spec"]["tensorboardSpec"] = tensorboard("x")["spec"]
    server.create(made)
    server.wait_phase("curves", "Succeeded")
    name = server.get("pj", "curves")["status"]["tensorboard"]["dependent"]["name"]
    wait_ready(server, name)  # though the job has ended
    told = wait_for("the job to know", lambda: server.get("pj", "curves")["status"]["tensorboard"]["ready"])
    assert told is True
    opened = server.cli("open", "curves", "-o", "json").json()
    visitor = Visitor(server, f"/default/tensorboard/{name}", opened["link"])
    assert visitor.json("/data/environment")["data_location"] == "/pvc-runs/mnist"
    server.kubectl("delete", "pj", "curves")
    wait_for("the end of its TensorBoard", lambda: not server.get("tensorboard", name))
    wait_for("the end of its pod", lambda: not server.list("pods", "-l", f"tensorstack.dev/owner-name={name}"))


def test_a_job_without_one_opens_in_the_console(server):
    server.create(shell_job("plain", "true"))
    link = server.cli("open", "plain").out.strip()
    assert link.endswith("&job=default/plain"), link
    assert Browser(server.console).follow(link)[0] == 200
    refused = server.cli("open", "nothing")
    assert refused.code == 1 and "nothing" in refused.err, repr(refused)


def test_its_volume_is_read_only_and_its_network_its_own(server, board):
    pod = server.get("tensorboard", "board")["status"]["pod"]["reference"]["name"]
    refused = server.try_kubectl("exec", pod, "--", "touch", "/pvc-runs/mnist/x")
    assert refused.code != 0 and "Read-only" in refused.err, repr(refused)
    devices = server.kubectl("exec", pod, "--", "cat", "/proc/net/dev").splitlines()[2:]
    assert [line.split(":")[0].strip() for line in devices] == ["lo"]


def test_a_volume_that_is_missing_is_named_and_waited_for(server):
    server.create(tensorboard("waiting", claim="later"))
    app = wait_condition(server, "tensorboard", "waiting", "Ready", "False", "VolumeMissing")
    assert "later" in condition(app, "Ready")["message"]
    server.wait_event("waiting", "VolumeMissing")
    assert server.list("pods", "-l", "tensorstack.dev/owner-name=waiting") == []
    status, _, page = visit(server, "tensorboard", "waiting").ask()
    assert status == 503 and "later" in page
    assert server.cli("data", "create", "later").code == 0
    wait_for("its pod", lambda: server.list("pods", "-l", "tensorstack.dev/owner-name=waiting"))
    server.kubectl("delete", "tensorboard", "waiting")


def test_an_environment_without_tensorboard_is_told_what_installs_it(server):
    assert server.cli("image", "map", "bare", "--host", "--env", "PATH=/usr/sbin").code == 0
    server.create(tensorboard("bare", image="bare"))
    app = wait_condition(server, "tensorboard", "bare", "Ready", "False", "NotInstalled")
    assert app["status"]["phase"] == "Failed"
    assert "pip install tensorboard" in condition(app, "Ready")["message"]
    server.wait_event("bare", "NotInstalled", "pip install")
    status, _, page = visit(server, "tensorboard", "bare").ask()
    assert status == 503 and "pip install tensorboard" in page
    server.kubectl("delete", "tensorboard", "bare")


def test_sources_out_of_reach_are_named(server):
    spec = {"logDir": {"s3": {"uri": ["s3://bucket/runs"]}}}
    server.create({"apiVersion": API, "kind": "TensorBoard", "metadata": {"name": "far"}, "spec": spec})
    app = wait_condition(server, "tensorboard", "far", "Ready", "False", "SourceNotSupported")
    assert "s3://bucket/runs" in condition(app, "Ready")["message"]


def test_it_is_suspended_and_brought_back(server, board):
    def suspend(yes):
        server.kubectl("patch", "tensorboard", "board", "--type", "merge", "-p",
                       json.dumps({"spec": {"suspend": yes}}))
    suspend(True)
    wait_condition(server, "tensorboard", "board", "Suspended", "True")
    wait_for("the end of its pod", lambda: not server.list("pods", "-l", "tensorstack.dev/owner-name=board"))
    assert server.get("tensorboard", "board")["status"]["phase"] == "Suspended"
    status, _, page = board.ask()
    assert status == 503 and "is suspended" in page
    suspend(False)
    wait_ready(server, "board")
    assert board.ask()[0] == 200, "at the same address, with the same cookie"


def test_it_outlives_the_server(server, board):
    before = server.get("tensorboard", "board")["status"]
    server.kill()
    server.up("--idle-after", "2s", "--suspend-after", "2s")
    assert board.json("/data/environment")["data_location"] == "/pvc-runs/mnist"
    assert server.get("tensorboard", "board")["status"]["pod"] == before["pod"]


def test_it_is_suspended_when_nobody_has_used_it_for_long(server, board):
    """The server was started again with limits of seconds."""
    wait_condition(server, "tensorboard", "board", "Idle", "True")
    assert board.ask("/data/environment")[0] == 200
    wait_condition(server, "tensorboard", "board", "Idle", "False")
    assert "trainyard.dev/last-used" in server.get("tensorboard", "board")["metadata"]["annotations"]
    app = wait_condition(server, "tensorboard", "board", "Suspended", "True")
    assert app["spec"]["suspend"] is True
    server.wait_event("board", "IdleTooLong")


def test_it_goes_with_its_object(server, board):
    server.kubectl("delete", "tensorboard", "board")
    wait_for("the end of its pod", lambda: not server.list("pods", "-l", "tensorstack.dev/owner-name=board"))
    status, _, page = board.ask()
    assert status == 404 and "is not there" in page
    assert Visitor(server, "/default/tensorboard/board").ask()[0] == 401
