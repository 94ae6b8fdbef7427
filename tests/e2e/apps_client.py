"""A browser's part at the apps' proxy: login links, cookies by path, WebSockets; and apps to visit."""

import http.client
import json
import os
import re
import subprocess
import textwrap

import pytest
from console_client import WebSocket
from harness import VENV, wait_for

API = "tensorstack.dev/v1beta1"

WRITE_CURVE = """
import sys
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter
writer = EventFileWriter(sys.argv[1])
for step in range(5):
    value = Summary.Value(tag="train/loss", simple_value=1 / (1 + step))
    writer.add_event(Event(step=step, wall_time=step, summary=Summary(value=[value])))
writer.close()
"""


def make_curve(server, volume):
    """A volume with a curve in its folder mnist, written by TensorBoard's own writer."""
    folder = server.folder / volume
    written = subprocess.run([VENV / "bin/python", "-c", WRITE_CURVE, folder / "mnist"], capture_output=True, text=True)
    if written.returncode != 0:
        pytest.skip(f".venv has no tensorboard ({written.stderr.strip().splitlines()[-1]}): tools/setup python")
    made = server.cli("data", "create", volume, "--path", folder)
    assert made.code == 0, repr(made)


def tensorboard(name, claim="runs", folder="mnist", **spec):
    return {"apiVersion": API, "kind": "TensorBoard", "metadata": {"name": name},
            "spec": {"logDir": {"pvc": [{"name": claim, "subPath": [folder]}]}, **spec}}


def condition(obj, kind):
    found = [entry for entry in obj.get("status", {}).get("conditions", []) if entry["type"] == kind]
    return found[0] if found else {}


def wait_condition(server, kind, name, which, status, reason=None, timeout=30):
    """Waits for a condition of an app; the app."""
    def reached():
        app = server.get(kind, name)
        now = condition(app or {}, which)
        return now.get("status") == status and reason in (None, now["reason"]) and app
    try:
        return wait_for(f"{which} of {kind} {name} to be {status} {reason or ''}", reached, timeout)
    except AssertionError as missed:
        app = server.get(kind, name)
        raise AssertionError(f"{missed}; it is {json.dumps((app or {}).get('status'), indent=1)}\n"
                             f"{server.events(name)}") from None


class Visitor:
    """A browser with one app open. It keeps cookies, ours and the app's, and sends back the app's _xsrf."""

    def __init__(self, server, path, link=None):
        """Without a link: at the address that the API tells."""
        self.address = self.authority = server.apps
        self.path, self.cookies = path, {}
        if link:
            self.follow(link)

    def follow(self, link):
        self.authority, query = re.fullmatch(r"http://([0-9a-f]{32}\.localhost:\d+)(/login\?.*)", link).groups()
        status, headers, text = self.ask(query, whole=True)
        assert status == 200, text
        self.login_cookie = headers["Set-Cookie"]
        assert f"url={self.path}/" in text, text

    @property
    def cookie(self):
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def start(self, path="/", method="GET", body=None, whole=False, **headers):
        """The answer, of which nothing has been read, and its connection."""
        connection = http.client.HTTPConnection(self.address, timeout=30)
        sent = {"Host": self.authority, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if self.cookies:
            sent["Cookie"] = self.cookie
        if "_xsrf" in self.cookies:
            sent["X-XSRFToken"] = self.cookies["_xsrf"]
        connection.request(method, path if whole else self.path + path, body, sent)
        response = connection.getresponse()
        for cookie in response.headers.get_all("Set-Cookie") or []:
            name, value = re.match(r"([^=]+)=([^;]*)", cookie).groups()
            self.cookies[name] = value
        return connection, response

    def ask(self, path="/", method="GET", body=None, whole=False, **headers):
        """(status, headers, text)"""
        connection, response = self.start(path, method, body, whole, **headers)
        text = response.read().decode(errors="replace")
        connection.close()
        return response.status, response.headers, text

    def json(self, path, method="GET", body=None):
        status, _, text = self.ask(path, method, body if body is None else json.dumps(body))
        assert status < 300, f"{method} {path}: {status} {text}"
        return json.loads(text) if text else None

    def socket(self, path, **headers):
        return WebSocket(self, self.path + path, **headers)


def visit(server, kind, name, *flags, namespace="default"):
    """Somebody who typed `trainyard open KIND NAME` and followed the link."""
    opened = server.cli("open", kind, name, "-n", namespace, *flags)
    assert opened.code == 0, repr(opened)
    return Visitor(server, f"/{namespace}/{kind}/{name}", opened.out.strip())


# An app in TensorBoard's place that tells what reaches it.
ECHO = '''
import base64, hashlib, http.server, json, struct, sys, time

prefix = sys.argv[sys.argv.index("--path_prefix") + 1]


class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def say(self, text, *headers, status=200):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text.encode())

    def body(self):
        """How much came, and its hash; a chunked body is read as well."""
        digest, size = hashlib.sha256(), 0
        left = int(self.headers.get("Content-Length", 0))
        chunked = self.headers.get("Transfer-Encoding") == "chunked"
        while left or chunked:
            if chunked and not left:
                left = int(self.rfile.readline(), 16)
            part = self.rfile.read(min(left, 65536))
            digest.update(part)
            size, left = size + len(part), left - len(part)
            if chunked and not left:
                self.rfile.readline()
                chunked = len(part) > 0
        return size, digest.hexdigest()

    def answer(self):
        assert self.path.startswith(prefix), self.path
        path = self.path[len(prefix):]
        if path == "/data/environment":
            return self.say("{}")
        if path == "/cookies":
            return self.say("", ("Set-Cookie", "theirs=1; Path=/; Domain=127.0.0.1"),
                            ("Set-Cookie", "trainyard_session=stolen; Path=/"),
                            ("Clear-Site-Data", '"*"'))
        if path == "/nothing":
            self.send_response(304)
            return self.end_headers()
        if path == "/slow":
            return self.slowly()
        if path == "/broken":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"half")
            self.close_connection = True
            return
        if self.headers.get("Upgrade") == "websocket":
            return self.websocket()
        size, digest = self.body()
        self.say(json.dumps({"method": self.command, "path": self.path, "headers": self.headers.items(),
                             "size": size, "sha256": digest}), ("Content-Type", "application/json"))

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = answer

    def slowly(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for word in [b"first", b"second"]:
            self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(word), word))
            self.wfile.flush()
            time.sleep(1)
        self.wfile.write(b"0\\r\\n\\r\\n")

    def websocket(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        self.wfile.write(("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
                          f"Sec-WebSocket-Accept: {accept}\\r\\n\\r\\n").encode())
        self.close_connection = True
        while True:
            first, size = self.rfile.read(2)
            size &= 0x7f
            if size == 126:
                [size] = struct.unpack(">H", self.rfile.read(2))
            elif size == 127:
                [size] = struct.unpack(">Q", self.rfile.read(8))
            mask, data = self.rfile.read(4), self.rfile.read(size)
            if mask != bytes(4):
                data = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
            opcode = first & 0x0f
            if opcode == 0x9:  # a ping
                opcode = 0xa
            if opcode == 0x8:
                data = struct.pack(">H", 4321) + b"bye"
            head = bytes([0x80 | opcode]) + (bytes([len(data)]) if len(data) < 126 else
                                             struct.pack(">BQ", 127, len(data)))
            self.wfile.write(head + data)
            if opcode == 0x8:
                return


http.server.ThreadingHTTPServer(("0.0.0.0", 6006), Echo).serve_forever()
'''


def echo_app(server, name, namespace="default"):
    """A TensorBoard object whose program is ECHO; where it is."""
    folder = server.folder / "echo"
    if not folder.exists():
        (folder / "bin").mkdir(parents=True)
        program = folder / "bin/tensorboard"
        program.write_text(f"#!{os.path.realpath(VENV / 'bin/python')}\n{textwrap.dedent(ECHO)}")
        program.chmod(0o755)
        assert server.cli("image", "map", "echo", "--venv", folder).code == 0
    assert server.cli("data", "create", "runs", "-n", namespace).code == 0
    board = tensorboard(name, image="echo")
    board["metadata"]["namespace"] = namespace
    server.create(board)
    return f"/{namespace}/tensorboard/{name}"


