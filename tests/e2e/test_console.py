"""The web console's doors: login links, sessions, foreign sites, and the live socket."""

import json

import pytest
from console_client import Browser, WebSocket
from harness import wait_for
from jobs import WAIT, gated, pod, shell_job

JOBS = {"group": "batch.tensorstack.dev", "version": "v1beta1", "plural": "pytorchtrainingjobs",
        "namespace": "default"}
PATHS = ["/", "/jobs/default/x", "/api/v1/namespaces", "/ws", "/login?token=none", "/assets/none.js",
         "/login-links", "/nonsense"]


def open_link(server):
    said = server.cli("open")
    assert said.code == 0, repr(said)
    return said.out.strip()


@pytest.fixture
def browser(server):
    """One that has logged in."""
    made = Browser(server.console)
    made.follow(open_link(server))
    assert made.cookie
    return made


@pytest.fixture
def socket(browser):
    made = WebSocket(browser)
    assert made.status == 101
    yield made
    made.close()


def test_open_gives_a_link_that_logs_in_once(server):
    link = open_link(server)
    assert link.startswith(f"http://{server.console}/login?token=")
    browser = Browser(server.console)
    status, headers, _ = browser.follow(link)
    assert status in (200, 302, 303)
    attributes = {part.strip().lower() for part in headers["Set-Cookie"].split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= attributes, attributes
    assert browser.ask("/api/v1/namespaces")[0] == 200
    second = Browser(server.console)
    status, headers, text = second.follow(link)
    assert status == 401 and "Set-Cookie" not in headers, "a link works once"
    assert "trainyard open" in text, "and it says how to get another"


def test_link_that_up_prints_logs_in(stopped_server):
    said = stopped_server.try_up()
    link = next(word for word in said.text.split() if "/login?token=" in word)
    browser = Browser(stopped_server.status()["console"].removeprefix("http://"))
    browser.follow(link)
    assert browser.ask("/api/v1/namespaces")[0] == 200


def test_page_is_served(server):
    status, headers, text = Browser(server.console).ask("/")
    assert status == 200 and headers["Content-Type"].startswith("text/html")
    assert "<title>" in text


@pytest.mark.parametrize("path", ["/api", "/api/v1/namespaces", "/apis/batch.tensorstack.dev/v1beta1",
                                  "/api/v1/namespaces/default/configmaps", "/ws"])
def test_api_needs_a_session(server, path):
    for cookie in [None, "trainyard_session=", "trainyard_session=wrong", f"trainyard_session={server.token()}"]:
        browser = Browser(server.console)
        browser.cookie = cookie
        status, headers, text = browser.ask(path)
        assert status == 401, f"{path} with {cookie}: {status} {text}"
        assert json.loads(text)["kind"] == "Status"


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_a_content_security_policy(server, browser, path):
    for visitor in [browser, Browser(server.console)]:
        for headers in [{}, {"Host": "evil.example"}, {"Origin": "http://evil.example"}]:
            status, answer, _ = visitor.ask(path, **headers)
            policy = answer.get("Content-Security-Policy", "")
            assert "default-src 'none'" in policy and "unsafe" not in policy, \
                f"{path} with {headers}: {status} {policy!r}"
            assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "0.0.0.0:1", ""])
def test_foreign_host_is_refused(server, browser, host):
    for path in ["/", "/api/v1/namespaces", "/login?token=x"]:
        status, _, text = browser.ask(path, Host=host)
        assert status in (400, 403, 421), f"{path}: {status} {text}"


def test_localhost_is_the_same_host(server, browser):
    port = server.console.split(":")[1]
    assert browser.ask("/", Host=f"localhost:{port}")[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_foreign_origin_is_refused(server, browser, origin):
    made = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "forged"}})
    for method, path, body in [("GET", "/api/v1/namespaces", None),
                               ("POST", "/api/v1/namespaces/default/configmaps", made)]:
        status, _, text = browser.ask(path, method, body, Origin=origin, Content_Type="application/json")
        assert status == 403, f"{method} {path}: {status} {text}"
    assert server.get("configmap", "forged") is None
    assert WebSocket(browser, Origin=origin).status == 403


def test_own_origin_may_write(server, browser):
    made = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made"}})
    status, _, text = browser.ask("/api/v1/namespaces/default/configmaps", "POST", made,
                                  Origin=f"http://{server.console}", Content_Type="application/json")
    assert status == 201, text
    assert server.get("configmap", "made") is not None


def test_login_links_are_for_the_administrator(server):
    status, _, _ = Browser(server.console).ask("/login-links", "POST", "")
    assert status in (401, 403, 404, 405)
    status, _, _ = Browser(server.console).ask("/login-links", "POST", "", Authorization="Bearer wrong")
    assert status in (401, 403, 404, 405)


# ---- the live socket -----------------------------------------------------------------------------


def test_socket_needs_a_session(server):
    assert WebSocket(Browser(server.console)).status == 401


def test_watch_tells_what_is_there_and_then_what_happens(server, gate, socket):
    server.create(shell_job("old", "exit 0"))
    socket.send({"id": 1, "watch": JOBS, "resourceVersion": ""})
    there = socket.receive()
    assert there["id"] == 1 and there["event"]["type"] == "ADDED"
    assert there["event"]["object"]["metadata"]["name"] == "old"
    socket.receive_until("synced", lambda message: message.get("synced"))
    server.create(gated(shell_job("live", WAIT)))

    def tells(type, phase=None):
        def wanted(message):
            event = message.get("event", {"type": None, "object": {}})
            obj = event["object"]
            return (event["type"] == type and obj["metadata"]["name"] == "live"
                    and (phase is None or obj.get("status", {}).get("phase") == phase))
        return wanted
    socket.receive_until("ADDED", tells("ADDED"))
    socket.receive_until("Running", tells("MODIFIED", "Running"))
    gate.open()
    socket.receive_until("Succeeded", tells("MODIFIED", "Succeeded"))
    server.kubectl("delete", "pj", "live")
    socket.receive_until("DELETED", tells("DELETED"))
    assert all(message["id"] == 1 for message in socket.received)


def test_log_follows_to_the_end_beside_a_watch(server, gate, socket):
    server.create(gated(pod("talker", f"echo one; {WAIT}; printf 'zwei \\303\\274\\377\\n'")))
    server.wait_phase("talker", "Running", "pod")
    socket.send({"id": 1, "watch": JOBS, "resourceVersion": ""})
    socket.send({"id": 2, "log": {"namespace": "default", "pod": "talker", "container": "main",
                                  "tailLines": 100}})
    socket.receive_until("one", lambda message: message["id"] == 2 and "one" in message.get("text", ""))
    gate.open()
    socket.receive_until("the end", lambda message: message["id"] == 2 and message.get("end"))
    text = "".join(m.get("text", "") for m in socket.received if m["id"] == 2)
    assert text == "one\nzwei ü\ufffd\n"


def test_stopped_stream_is_silent_and_its_id_is_free_again(server, socket):
    socket.send({"id": 7, "watch": JOBS, "resourceVersion": ""})
    socket.receive_until("synced", lambda message: message.get("synced"))
    socket.send({"id": 7, "stop": True})
    socket.send({"id": 7, "watch": {**JOBS, "group": "", "version": "v1", "plural": "pods"},
                 "resourceVersion": ""})
    socket.receive_until("synced again", lambda message: message.get("synced") or message.get("error"))
    assert "error" not in socket.received[-1], socket.received[-1]


@pytest.mark.parametrize("request_", [
    {"id": 3, "log": {"namespace": "default", "pod": "none", "container": "", "tailLines": 1}},
    {"id": 3, "watch": {**JOBS, "plural": "nonsense"}, "resourceVersion": ""},
    {"id": 3, "nonsense": True}, {"id": 3}])
def test_bad_request_is_answered_with_an_error(socket, request_):
    socket.send(request_)
    answer = socket.receive()
    assert answer["id"] == 3 and answer["error"]["message"], answer
    socket.send({"id": 4, "watch": JOBS, "resourceVersion": ""})
    socket.receive_until("the socket to work on", lambda message: message["id"] == 4)


def test_log_of_a_pod_that_is_gone_is_read_by_its_uid(server, socket):
    server.create(pod("leaver", "echo goodbye"))
    server.wait_phase("leaver", "Succeeded", "pod")
    uid = server.get("pod", "leaver")["metadata"]["uid"]
    server.kubectl("delete", "pod", "leaver")
    server.create(pod("leaver", "echo 'another of that name'"))
    asked = {"namespace": "default", "pod": "leaver", "container": "main", "tailLines": 10, "uid": uid,
             "timestamps": True}

    def kept():
        socket.send({"id": kept.id, "log": asked})
        answer = socket.receive_until("an answer", lambda message: message["id"] == kept.id)
        kept.id += 1
        return answer.get("text")
    kept.id = 100
    stamp, text = wait_for("the log that is kept", kept).split(" ", 1)
    assert text == "goodbye\n" and stamp.startswith("20") and stamp.endswith("Z"), (stamp, text)
