"""A real server of its own for a test, and the commands that a user would type at it."""

import http.client
import itertools
import json
import os
import random
import re
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

from kept_client import KeptClient
from processes import all_pids, cgroups_of, command_line, is_alive, pids_running, read

ROOT = Path(__file__).resolve().parents[2]
TRAINYARD = Path(os.environ.get("TRAINYARD_BINARY", ROOT / "build/release/trainyard"))
# What a binary of the presets dev and tsan writes when it finds something.
SANITIZER_REPORT = re.compile(r"(ERROR|WARNING): \w+Sanitizer|: runtime error: ")
KUBECTL = ROOT / ".tools/kubectl"
VENV = ROOT / ".venv"


def wait_for(what, condition, timeout=45.0):
    """What condition() returns as soon as it is truthy; an AssertionError says what was last seen."""
    deadline = time.monotonic() + timeout
    while True:
        seen = condition()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {timeout:g} s")
        time.sleep(0.03)


def own_ports():
    """Ports that stay a server's own while it is down: below those that the kernel gives to
    connections, and no other process of this run looks for some there."""
    share = 8000 // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    first = 12000 + share * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    begin = random.randrange(share)  # another run, if there is one, hardly begins at the same
    for port in itertools.cycle([*range(first + begin, first + share), *range(first, first + begin)]):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        yield port


PORTS = own_ports()


class Result:
    """How a command ended. Its text is shown whole when an assertion on it fails."""

    def __init__(self, command, done):
        self.command = " ".join(map(str, command))
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def text(self):
        return self.out + self.err

    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f"$ {self.command}\n{self.text}(exit code {self.code})"


class Stream:
    """A command that goes on, such as get -w; its output is collected as it comes."""

    def __init__(self, command, env):
        self.command = " ".join(map(str, command))
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        self.text = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.text += line

    def wait_text(self, pattern, timeout=45.0):
        try:
            return wait_for(pattern, lambda: re.search(pattern, self.text, re.M), timeout)
        except AssertionError as missed:
            raise AssertionError(f"{missed}\n{self!r}") from None

    def wait_end(self, timeout=45.0):
        """The exit code of a command that ends by itself."""
        code = self.process.wait(timeout)
        self._reader.join(5)
        return code

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.wait_end()
        self.process.stdout.close()

    def __repr__(self):
        return f"$ {self.command}\n{self.text}(exit code {self.process.poll()})"


class Server:
    """`trainyard up` on a data folder and ports of its own."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.data = self.folder / "data"
        self.listen, self.console, self.apps = (f"127.0.0.1:{next(PORTS)}" for _ in range(3))
        self.streams = []
        self.client = KeptClient(self)
        home = self.folder / "home"
        home.mkdir(parents=True)
        path = f"{VENV}/bin:{os.environ['PATH']}"
        self.env = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8",
                    "TRAINYARD_DATA_DIR": str(self.data)}

    # ---- life ------------------------------------------------------------------------------------

    def up(self, *extra):
        """Starts it; returns the seconds from the call until it was ready."""
        began = time.monotonic()
        result = self.try_up(*extra)
        took = time.monotonic() - began
        assert result.code == 0, f"{result!r}\n{self.log_tail()}"
        return took

    def try_up(self, *extra):
        return self.cli("up", "--detach", "--listen", self.listen, "--console", self.console,
                        "--apps", self.apps, *extra)

    def status(self):
        result = self.cli("status", "-o", "json")
        return result.json() if result.code == 0 else None

    @property
    def pid(self):
        return json.loads((self.data / "server.json").read_text())["pid"]

    def kill(self):
        """kill -9, as the kernel's memory killer would do it."""
        pid = self.pid
        os.kill(pid, signal.SIGKILL)
        wait_for(f"the end of the killed server {pid}", lambda: not is_alive(pid), 5)

    def log_tail(self, lines=40):
        log = self.data / "server.log"
        text = log.read_text(errors="replace").splitlines() if log.exists() else ["(none)"]
        return f"---- end of {log}\n" + "\n".join(text[-lines:])

    def tear_down(self):
        """Stops all; fails when that leaves anything behind, which is then ended here."""
        for stream in self.streams:
            stream.stop()
        try:
            if self.data.exists():
                if self.status() is None:
                    self.up()
                stopped = self.cli("down", "--all", timeout=60)
                assert stopped.code == 0, f"{stopped!r}\n{self.log_tail()}"
            self._check_nothing_left()
            self._check_sanitizers()
        finally:
            for pid in pids_running(str(self.data)):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder)

    def _check_nothing_left(self):
        try:
            wait_for("nothing left behind", lambda: not self.leftovers(), 3)
        except AssertionError:
            left = "\n".join(self.leftovers())
            raise AssertionError(f"left behind by down --all:\n{left}\n{self.log_tail()}") from None

    def _check_sanitizers(self):
        log = self.data / "server.log"
        text = log.read_text(errors="replace") if log.exists() else ""
        found = SANITIZER_REPORT.search(text)
        if found:
            start = text.rfind("\n", 0, found.start()) + 1
            raise AssertionError(f"a sanitizer found in the server:\n{text[start:start + 8000]}")

    def leftovers(self):
        """Processes and control groups that belong to this data folder, and mounts of it."""
        found = [f"control group {path}" for path in cgroups_of(self.data)]
        for pid in all_pids():
            command = command_line(pid)
            if str(self.data) in command:
                found.append(f"process {pid}: {command}")
            elif str(self.data) in read(f"/proc/{pid}/mountinfo"):
                found.append(f"process {pid} in a pod's mount namespace: {command}")
        return found

    # ---- commands --------------------------------------------------------------------------------

    def run(self, command, input=None, timeout=60.0, env=None):
        done = subprocess.run(
            [str(word) for word in command], env={**self.env, **(env or {})}, cwd=self.folder,
            input=input if input is not None else "", capture_output=True, text=True,
            timeout=timeout)
        return Result(command, done)

    def cli(self, *args, input=None, timeout=60.0):
        """trainyard ARGS…"""
        return self.run([TRAINYARD, *args], input, timeout)

    def try_kubectl(self, *args, input=None, timeout=60.0):
        return self.run([KUBECTL, *args], input, timeout, {"KUBECONFIG": f"{self.data}/kubeconfig"})

    def kubectl(self, *args, **more):
        """kubectl ARGS…, which must succeed; what it printed."""
        result = self.try_kubectl(*args, **more)
        assert result.code == 0, repr(result)
        return result.out

    def stream(self, *command):
        """A kubectl or trainyard command that goes on beside the test."""
        program = KUBECTL if command[0] == "kubectl" else TRAINYARD
        env = dict(self.env)
        if program == KUBECTL:
            env["KUBECONFIG"] = f"{self.data}/kubeconfig"
        self.streams.append(Stream([str(program), *command[1:]], env))
        return self.streams[-1]

    # ---- objects ---------------------------------------------------------------------------------

    def create(self, obj):
        """An object from a dict, which must be taken; as it is stored."""
        return self.client.create(obj)

    def get(self, kind, name):
        """An object as a dict; None when there is none."""
        return self.client.get(kind, name)

    def list(self, kind, *args):
        return self.client.list(kind, *args)

    def pods(self, job):
        return self.list("pods", "-l", f"tensorstack.dev/owner-name={job}")

    def events(self, name):
        """The events of an object, as (reason, message)."""
        found = self.list("events", "--field-selector", f"involvedObject.name={name}")
        return [(event["reason"], event["message"]) for event in found]

    def wait_event(self, name, reason, words=""):
        """Events are told after what they tell of has been written."""
        wait_for(f"an event {reason} of {name}: {words}",
                 lambda: any(told == reason and words in text for told, text in self.events(name)))

    def wait_phase(self, name, phase, kind="pj", timeout=60.0):
        """Waits for a job's or pod's phase; the object. Fails at once when another end is reached."""
        def reached():
            obj = self.get(kind, name)
            now = (obj or {}).get("status", {}).get("phase")
            if now != phase and now in ("Succeeded", "Failed"):
                raise AssertionError(f"{kind} {name} is {now}: {json.dumps(obj['status'], indent=1)}")
            return now == phase and obj
        try:
            return wait_for(f"{kind} {name} to be {phase}", reached, timeout)
        except AssertionError as missed:
            seen = [obj.get("status") for obj in [self.get(kind, name) or {}, *self.pods(name)]]
            raise AssertionError(f"{missed}; it and its pods: {json.dumps(seen, indent=1)}\n"
                                 f"{self.events(name)}") from None

    # ---- the wire --------------------------------------------------------------------------------

    def token(self):
        return (self.data / "pki/admin.token").read_text()

    def api(self, path, token=None, method="GET", body=None, ca=None):
        """One HTTPS request without kubectl; (status, parsed or plain body)."""
        context = ssl.create_default_context(cafile=str(ca or self.data / "pki/ca.crt"))
        connection = http.client.HTTPSConnection(self.listen, context=context, timeout=10)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        return exchange(connection, method, path, headers, body)


def exchange(connection, method, path, headers, body=None):
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    is_json = response.headers.get("Content-Type", "").startswith("application/json")
    return response.status, json.loads(text) if is_json and text else text
