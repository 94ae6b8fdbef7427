"""The API without kubectl: one kept HTTPS connection, watches, and sockets that misbehave."""

import http.client
import json
import queue
import re
import socket
import ssl
import threading
import time
from urllib.parse import urlencode

ADMIN = object()


class Answer:
    def __init__(self, response, raw):
        self.code, self.headers, self.raw = response.status, response.headers, raw

    @property
    def json(self):
        return json.loads(self.raw)

    @property
    def message(self):
        return self.json["message"]

    @property
    def warnings(self):
        """The texts of the Warning headers."""
        found = self.headers.get_all("Warning") or []
        return [re.fullmatch(r'299 - "(.*)"', text)[1].replace('\\"', '"') for text in found]

    def __repr__(self):
        return f"{self.code} {dict(self.headers)}\n{self.raw[:4000].decode(errors='replace')}"


def tls(server, cert=None):
    """The server's CA is trusted; cert is (certificate, key) of a client."""
    context = ssl.create_default_context(cafile=str(server.data / "pki/ca.crt"))
    if cert:
        context.load_cert_chain(*map(str, cert))
    return context


class Wire:
    """A program that keeps one connection. `token` None: it says nothing of who it is."""

    def __init__(self, server, token=ADMIN, cert=None, timeout=20):
        self.server = server
        self.token = server.token().strip() if token is ADMIN else token
        self.connection = http.client.HTTPSConnection(server.listen, context=tls(server, cert),
                                                      timeout=timeout)

    def send(self, method, path, body=None, query=None, **headers):
        """Header names are written with _ for -. A dict or list becomes JSON. The open response."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        if query:
            path += "?" + urlencode(query)
        try:
            self.connection.request(method, path, body, headers)
            return self.connection.getresponse()
        except (http.client.HTTPException, OSError):
            self.connection.close()  # the next one opens another
            raise

    def ask(self, method, path, body=None, query=None, **headers):
        response = self.send(method, path, body, query, **headers)
        answer = Answer(response, response.read())
        return answer

    def get(self, path, query=None, **headers):
        return self.ask("GET", path, None, query, **headers)

    def close(self):
        self.connection.close()


class Watch:
    """A watch whose events are collected as they come; None marks its end."""

    def __init__(self, server, path, query=None, **more):
        self.wire = Wire(server, timeout=None, **more)
        self.response = self.wire.send("GET", path, query={"watch": "true", **(query or {})})
        self.code = self.response.status
        self.events = queue.Queue()
        self.seen = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        try:
            if self.code != 200:
                self.events.put(json.loads(self.response.read()))
            else:
                while line := self.response.readline():
                    self.events.put(json.loads(line))
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # closed by us, or the server went away
        self.events.put(None)

    def next(self, timeout=10):
        """The next event, None at the end; an AssertionError when nothing comes."""
        try:
            event = self.events.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no event within {timeout} s after {self.words()[-5:]}") from None
        self.seen.append(event)
        return event

    def until(self, wanted, timeout=10):
        """The first event for which wanted(event); those before it are in `seen`."""
        deadline = time.monotonic() + timeout
        while True:
            event = self.next(max(0.01, deadline - time.monotonic()))
            assert event is not None, f"the watch ended after {self.words()}"
            if wanted(event):
                return event

    def words(self):
        """What was seen, as (type, name)."""
        return [(event["type"], event["object"].get("metadata", {}).get("name"))
                for event in self.seen if event]

    def close(self):
        try:
            self.wire.connection.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass
        self._reader.join(5)
        self.wire.close()


def raw_socket(server, timeout=20):
    """A TLS socket for what no HTTP library would send."""
    host, port = server.listen.split(":")
    plain = socket.create_connection((host, int(port)), timeout=timeout)
    return tls(server).wrap_socket(plain, server_hostname=host)


def rss_mib(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError(f"process {pid} is gone")


class Bystander:
    """While it is open, someone else asks the server for a small object all the time; at the end
    nobody may have waited long, and the server's memory may not have grown without bound."""

    def __init__(self, server, slowest=1.0, growth_mib=150):
        self.server, self.slowest, self.growth = server, slowest, growth_mib

    def __enter__(self):
        self.pid = self.server.pid
        self.before = self.peak = rss_mib(self.pid)
        self.waits, self.failures, self._stop = [], [], threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()
        return self

    def _ask(self):
        wire = Wire(self.server)
        while not self.waits or not self._stop.wait(0.05):
            began = time.monotonic()
            try:
                answer = wire.get("/api/v1/namespaces/default")
                if answer.code != 200:
                    self.failures.append(repr(answer))
                self.peak = max(self.peak, rss_mib(self.pid))
            except (OSError, http.client.HTTPException, AssertionError) as failure:
                self.failures.append(repr(failure))
            self.waits.append(time.monotonic() - began)
        wire.close()

    def __exit__(self, kind, *_):
        self._stop.set()
        self._thread.join(30)
        if kind is None:
            assert not self.failures, f"others were not answered: {self.failures[:3]}"
            assert max(self.waits) < self.slowest, f"others waited {max(self.waits):.2f} s"
            grown = self.peak - self.before
            assert grown < self.growth, f"the server grew by {grown:.0f} MiB to {self.peak:.0f} MiB"


def is_status(answer, *codes):
    """Whether a refusal is a whole Status with one of these codes."""
    assert answer.code in codes, repr(answer)
    status = answer.json
    assert status["kind"] == "Status" and status["status"] == "Failure" and status["code"] == answer.code
    assert status["message"] and status["reason"], repr(answer)
    return True
