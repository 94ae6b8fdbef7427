"""Notebooks: the real JupyterLab behind the proxy, with kubectl in its terminal."""

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import time
import uuid

import pytest
from apps_client import Visitor, condition, visit, wait_condition
from harness import KUBECTL, wait_for
from jupyter import ENVIRONMENT, make_jupyter, notebook
from people import user

@pytest.fixture(scope="module")
def server(shared_server):
    """With JupyterLab, as `trainyard notebook setup` installs it, kubectl on its PATH and the volume `home`."""
    server = shared_server
    make_jupyter(server)
    assert server.cli("data", "create", "home").code == 0
    return server


@pytest.fixture(scope="module")
def lab(server):
    """Somebody at a notebook that runs."""
    server.create(notebook("lab"))
    wait_ready(server)
    visitor = visit(server, "notebook", "lab")
    status, _, text = visitor.ask("/lab")  # also brings Jupyter's _xsrf cookie
    assert status == 200, text
    return visitor


def wait_ready(server):
    return wait_condition(server, "notebook", "lab", "Ready", "True", timeout=60)


class Kernel:
    """A Python kernel of the notebook, over its WebSocket."""

    def __init__(self, visitor):
        self.id = visitor.json("/api/kernels", "POST", {"name": "python3"})["id"]
        self.socket = visitor.socket(f"/api/kernels/{self.id}/channels?session_id=test")
        assert self.socket.status == 101

    def start(self, code):
        """The id of the request."""
        header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "username": "", "session": "test",
                  "version": "5.3", "date": "2026-01-01T00:00:00Z"}
        self.socket.send({"header": header, "parent_header": {}, "metadata": {}, "channel": "shell",
                          "content": {"code": code, "silent": False, "store_history": True, "user_expressions": {},
                                      "allow_stdin": False, "stop_on_error": True}})
        return header["msg_id"]

    def run(self, code):
        """What the last expression of the code is."""
        asked = self.start(code)
        result = self.socket.receive_until("the result of " + code, lambda message: message["msg_type"] in (
            "execute_result", "error") and message["parent_header"].get("msg_id") == asked)
        return result["content"].get("data", {}).get("text/plain", result["content"])


class Terminal:
    """A shell of the notebook, over its WebSocket."""

    def __init__(self, visitor):
        name = visitor.json("/api/terminals", "POST")["name"]
        self.socket = visitor.socket(f"/terminals/websocket/{name}")
        assert self.socket.status == 101
        self.text = ""

    def run(self, command):
        """(exit code, output)"""
        mark = uuid.uuid4().hex[:8]
        start = len(self.text)
        self.socket.send(["stdin", f"{command}; echo \"{mark[:4]}\"\"{mark[4:]}=$?\"\r"])
        def ended(message):
            if message[0] == "stdout":
                self.text += message[1]
            return re.search(mark + r"=(\d+)", self.text[start:])
        self.socket.receive_until(command, ended)
        said = self.text[start:]
        return int(re.search(mark + r"=(\d+)", said)[1]), said


def test_it_runs_jupyterlab_in_its_volume(server, lab):
    status, _, page = lab.ask("/lab")
    assert status == 200 and "JupyterLab" in page
    pod = server.get("notebook", "lab")["status"]["pod"]["reference"]["name"]
    assert re.fullmatch(r"managed-notebook-[0-9a-f]{5}-0", pod)
    lab.json("/api/contents/hello.txt", "PUT", {"type": "file", "format": "text", "content": "from the browser"})
    assert server.cli("data", "cat", "home:hello.txt").out == "from the browser"
    server.wait_event("lab", "PhaseTransformed", "Notebook lab transformed from Initializing to Running")
    services = [item["metadata"]["name"] for item in server.list("services")]
    assert any(re.fullmatch(r"managed-notebook-http-[0-9a-f]{5}", name) for name in services), services


def test_a_kernel_computes(lab):
    kernel = Kernel(lab)
    assert kernel.run("1 + 1") == "2"
    assert kernel.run("import os; os.environ['HOME']") == "'/t9k/mnt'"
    assert len(kernel.run("'x' * 3_000_000")) > 3_000_000 - 10, "large messages pass"


def test_its_terminal_may_use_the_cluster_without_login_in_its_own_namespace_only(server, lab):
    if not KUBECTL.exists():
        pytest.skip(f"{KUBECTL} is missing")
    terminal = Terminal(lab)
    code, said = terminal.run(f"{KUBECTL} get pods")
    assert code == 0 and "managed-notebook-" in said, said
    code, said = terminal.run(f"{KUBECTL} get pods -n kube-system")
    assert code != 0 and "forbidden" in said.lower(), said
    code, said = terminal.run(f"{KUBECTL} get secrets")
    assert code != 0 and "forbidden" in said.lower(), said
    code, said = terminal.run(f"{KUBECTL} create configmap made-in-a-notebook --from-literal a=b")
    assert code == 0 and server.get("configmap", "made-in-a-notebook")["data"] == {"a": "b"}, said
    code, said = terminal.run("trainyard list -o name")
    assert code == 0, said
    code, said = terminal.run("trainyard list -A")
    assert code == 1 and "forbidden" in said.lower(), said
    code, said = terminal.run("pwd; command -v python")
    assert code == 0 and "/t9k/mnt" in said and f"{ENVIRONMENT}/bin/python" in said, said


def test_who_may_only_look_gets_no_shell(server, lab):
    viewer = user(server, "vera", "view", "default")
    refused = server.cli("open", "notebook", "lab", "-n", "default", "--kubeconfig", viewer.file)
    assert refused.code == 1 and "may not use" in refused.err, repr(refused)
    editor = user(server, "ed", "edit", "default")
    visitor = visit(server, "notebook", "lab", "--kubeconfig", editor.file)
    assert visitor.ask("/api/status")[0] == 200
    stranger = Visitor(server, "/default/notebook/lab")
    assert stranger.ask("/lab")[0] == 401
    assert stranger.socket("/api/kernels/x/channels").status == 401
    lab_from_elsewhere = lab.socket("/terminals/websocket/1", Origin="http://evil.example")
    assert lab_from_elsewhere.status == 403


def test_nobody_on_the_machine_reaches_it_past_the_proxy(server, lab):
    uid = server.get("notebook", "lab")["status"]["pod"]["reference"]["uid"]
    file = server.data / "pods" / uid / "volumes/trainyard-web/jupyter.sock"
    assert stat.S_ISSOCK(os.stat(file).st_mode)
    assert stat.S_IMODE(os.stat(server.data).st_mode) == 0o700
    if os.geteuid() == 0 and shutil.which("setpriv"):
        connect = f"import socket; socket.socket(socket.AF_UNIX).connect({str(file)!r})"
        other = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3",
                                "-c", connect], capture_output=True, text=True, cwd="/")
        assert other.returncode != 0 and ("PermissionError" in other.stderr or "path too long" in other.stderr)
    with socket.socket() as direct, pytest.raises(ConnectionRefusedError):
        direct.connect(("127.0.0.1", 8888))


def test_a_link_in_its_place_leads_nowhere(server, lab):
    """A notebook that puts a link to another socket where its own belongs gets nothing by it."""
    terminal = Terminal(lab)
    secret = server.folder / "other.sock"
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(secret))
        other.listen()
        code, said = terminal.run(f"cd /run/trainyard-web && mv jupyter.sock kept.sock && ln -s {secret} jupyter.sock")
        assert code == 0, said
        assert lab.ask("/api/status")[0] in (502, 503)
        terminal.run("cd /run/trainyard-web && mv -f kept.sock jupyter.sock")
        other.setblocking(False)
        with pytest.raises(BlockingIOError):
            other.accept()
    wait_ready(server)
    assert lab.ask("/api/status")[0] == 200


def test_an_environment_without_jupyter_is_told_what_installs_it(server):
    assert server.cli("image", "map", "bare", "--host", "--env", "PATH=/usr/sbin").code == 0
    server.create(notebook("bare", image="bare"))
    app = wait_condition(server, "notebook", "bare", "Ready", "False", "NotInstalled")
    assert "trainyard notebook setup" in condition(app, "Ready")["message"]
    server.kubectl("delete", "notebook", "bare")


def test_files_stay_when_it_is_suspended(server, lab):
    def suspend(yes):
        server.kubectl("patch", "notebook", "lab", "--type", "merge", "-p", json.dumps({"spec": {"suspend": yes}}))
    lab.json("/api/contents/kept.txt", "PUT", {"type": "file", "format": "text", "content": "kept"})
    suspend(True)
    wait_condition(server, "notebook", "lab", "Suspended", "True")
    wait_for("the end of its pod", lambda: not server.list("pods", "-l", "tensorstack.dev/owner-name=lab"))
    assert lab.ask("/lab")[0] == 503
    suspend(False)
    wait_ready(server)
    assert lab.json("/api/contents/kept.txt")["content"] == "kept"


def test_a_kernel_that_works_keeps_it_awake(server, lab):
    """With limits of seconds: nobody looks at the page while the kernel computes."""
    lab.ask("/lab")
    kernel = Kernel(lab)
    kernel.start("import time; time.sleep(6)")
    kernel.socket.receive_until("the kernel to work", lambda message: message["msg_type"] == "status" and
                                message["content"]["execution_state"] == "busy")
    began = time.monotonic()
    server.kill()
    server.up("--idle-after", "2s", "--suspend-after", "2s")
    wait_condition(server, "notebook", "lab", "Suspended", "True", timeout=40)
    assert time.monotonic() - began > 6, "it was suspended while its kernel worked"
    server.wait_event("lab", "IdleTooLong")
