"""The web console's doors: login links, sessions, foreign sites, and the live socket."""

import contextlib
import http.client
import json
import socket as sockets
import ssl
import threading

import pytest
from console_client import Browser, WebSocket
from harness import wait_for
from jobs import WAIT, gated, pod, shell_job
from people import user

JOBS = {"group": "batch.tensorstack.dev", "version": "v1beta1", "plural": "pytorchtrainingjobs",
        "namespace": "default"}
PATHS = ["/", "/jobs/default/x", "/api/v1/namespaces", "/ws", "/login", "/open/default/notebook/none",
         "/assets/none.js", "/login-links", "/nonsense"]


def open_link(server):
    said = server.cli("open")
    assert said.code == 0, repr(said)
    return said.out.strip()


def unverified():
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def api(server, path, token):
    """(status, text) of a POST to the API server."""
    connection = http.client.HTTPSConnection(server.listen, context=unverified(), timeout=20)
    connection.request("POST", path, "{}", {"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def socket_to(host, port, tls):
    plain = sockets.create_connection((host, port), timeout=20)
    return unverified().wrap_socket(plain) if tls else plain


@contextlib.contextmanager
def listener(heard):
    """A port of this machine; what is sent there is added to the list."""
    with sockets.create_server(("127.0.0.1", 0)) as server:
        def listen():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        heard.append(connection.recv(65536))
        threading.Thread(target=listen, daemon=True).start()
        yield server.getsockname()[1]


@pytest.fixture
def browser(server):
    """One that has logged in."""
    made = Browser(server.console)
    made.follow(open_link(server))
    assert made.cookie and made.secret
    return made


@pytest.fixture
def socket(browser):
    made = WebSocket(browser)
    assert made.status == 101
    yield made
    made.close()


def test_open_gives_a_link_that_logs_in_once(server):
    link = open_link(server)
    assert link.startswith(f"http://{server.console}/login#token="), "what is behind a # is sent to no server"
    browser = Browser(server.console)
    status, headers, _ = browser.follow(link)
    assert status == 200
    attributes = {part.strip().lower() for part in headers["Set-Cookie"].split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= attributes, attributes
    assert browser.ask("/api/v1/namespaces")[0] == 200
    second = Browser(server.console)
    status, headers, text = second.follow(link)
    assert status == 401 and "Set-Cookie" not in headers, "a link works once"
    assert "trainyard open" in text, "and it says how to get another"


def test_link_that_up_prints_logs_in(stopped_server):
    said = stopped_server.try_up()
    link = next(word for word in said.text.split() if "/login#token=" in word)
    browser = Browser(stopped_server.status()["console"].removeprefix("http://"))
    browser.follow(link)
    assert browser.ask("/api/v1/namespaces")[0] == 200


def test_the_cookie_alone_is_worth_nothing(server, browser):
    """A page that a pod serves on another port of 127.0.0.1 gets it from any browser: cookies ignore ports."""
    thief = Browser(server.console)
    thief.cookie = browser.cookie
    other = Browser(server.console)
    other.follow(open_link(server))
    for secret in [None, "guess", other.secret, browser.cookie.split("=")[1]]:
        thief.secret = secret
        for path in ["/api/v1/namespaces", "/apis/batch.tensorstack.dev/v1beta1", "/openapi/v3", "/ws"]:
            assert thief.ask(path)[0] == 401, (path, secret)
        for path in ["/logout", "/tickets", "/open/default/notebook/none"]:
            assert thief.ask(path, "POST", "{}")[0] == 401, (path, secret)
    socket = WebSocket(thief)
    socket.send({"id": 1, "watch": JOBS, "resourceVersion": ""})
    assert socket.receive()["error"]["code"] == 401
    with pytest.raises(ConnectionError):
        socket.receive()
    assert browser.ask("/api/v1/namespaces")[0] == 200


def test_a_command_in_a_pod_needs_the_secret_too(server, browser):
    server.create(pod("target", "sleep 600"))
    server.wait_phase("target", "Running", "pod")
    thief = Browser(server.console)
    thief.cookie = browser.cookie
    path = "/api/v1/namespaces/default/pods/target/exec?container=main&stdout=true&command=touch&command=/tmp/robbed"
    protocol = {"Sec-WebSocket-Protocol": "v5.channel.k8s.io"}
    socket = WebSocket(thief, path, **protocol)
    socket.send({"secret": "guess"})
    assert socket.receive()["error"]["code"] == 401
    own = WebSocket(browser, path.replace("command=touch&command=/tmp/robbed", "command=ls&command=/tmp"), **protocol)
    assert own.status == 101
    output = b""
    while (frame := own.receive_frame())[0] != 0x8:
        output += frame[1]
    assert b'"Success"' in output and b"robbed" not in output, output


def test_logout_ends_the_session_on_the_server(server, browser, socket):
    socket.send({"id": 1, "watch": JOBS, "resourceVersion": ""})
    socket.receive_until("synced", lambda message: message.get("synced"))
    kept = Browser(server.console)
    kept.cookie, kept.secret = browser.cookie, browser.secret
    assert browser.ask("/logout", "POST")[0] == 200
    with pytest.raises(ConnectionError):
        socket.receive()
    assert kept.ask("/api/v1/namespaces")[0] == 401, "whoever kept both halves has nothing"


def test_a_session_outlives_the_server_and_so_does_its_end(server, browser):
    left = Browser(server.console)
    left.follow(open_link(server))
    assert left.ask("/logout", "POST")[0] == 200
    server.kill()
    server.up()
    assert browser.ask("/api/v1/namespaces")[0] == 200
    assert left.ask("/api/v1/namespaces")[0] == 401


def test_a_download_takes_a_ticket_that_works_once(server, browser):
    server.create(pod("writer", "echo line"))
    server.wait_phase("writer", "Succeeded", "pod")
    path = "/api/v1/namespaces/default/pods/writer/log?container=main"
    status, _, said = browser.ask("/tickets", "POST", json.dumps({"path": path}))
    assert status == 200, said
    navigation = Browser(server.console)
    navigation.cookie = browser.cookie
    address = f"{path}&ticket={json.loads(said)['ticket']}"
    assert navigation.ask(address)[::2] == (200, "line\n")
    assert navigation.ask(address)[0] == 401


def test_no_token_is_taken_without_tls(server):
    """And none is sent: `open` asks the API server, over TLS."""
    stranger = Browser(server.console)
    bearer = {"Authorization": f"Bearer {server.token()}"}
    for method, path in [("GET", "/api/v1/namespaces"), ("POST", "/login-links"), ("POST", "/login"), ("GET", "/ws")]:
        assert stranger.ask(path, method, "{}", **bearer)[0] in (401, 405), path
    apps = Browser(server.apps)
    assert apps.ask("/login-links", "POST", '{"app": "/default/notebook/x"}', **bearer)[0] == 401


def test_login_links_cross_no_plain_connection(server, tmp_path):
    """Somebody who listens at the console's and the apps' port, as a pod can, hears no token of `trainyard open`."""
    heard = []
    with listener(heard) as port:
        info = server.data / "server.json"
        told = info.read_text()
        info.write_text(told.replace(server.console, f"127.0.0.1:{port}").replace(server.apps, f"127.0.0.1:{port}"))
        try:
            assert server.cli("open").code == 0
        finally:
            info.write_text(told)
    assert not heard, heard


@pytest.mark.parametrize("address", ["console", "apps", "listen"])
def test_two_host_headers_are_refused(server, address):
    where = getattr(server, address)
    host, port = where.split(":")
    with socket_to(host, int(port), tls=address == "listen") as connection:
        connection.sendall(f"GET / HTTP/1.1\r\nHost: {where}\r\nHost: evil.example\r\n\r\n".encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")


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
    for path in ["/", "/api/v1/namespaces", "/login"]:
        status, _, text = browser.ask(path, Host=host)
        assert status in (400, 403, 421), f"{path}: {status} {text}"


def test_localhost_leads_to_the_one_address(server, browser):
    """Browsers look for localhost at ::1 first, where a pod may listen: nobody is to be logged in under that name."""
    port = server.console.split(":")[1]
    status, headers, _ = browser.ask("/jobs", Host=f"localhost:{port}")
    assert status == 307 and headers["Location"] == f"http://{server.console}/jobs"
    assert browser.ask("/api/v1/namespaces", Host=f"localhost:{port}")[0] == 421


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
    ann = user(server, "ann", "admin", "default")
    refused = api(server, "/login-links", ann.user["token"])
    assert refused[0] == 403 and "open notebook NAME" in refused[1]
    assert api(server, "/login-links", "wrong")[0] == 401
    status, said = api(server, "/login-links", server.token())
    assert status == 200 and json.loads(said)["link"].startswith(f"http://{server.console}/login#token=")


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
        # Before the text it says which lines of the log there are.
        answer = socket.receive_until("an answer", lambda message: message["id"] == kept.id and "kept" not in message)
        kept.id += 1
        return answer.get("text")
    kept.id = 100
    stamp, text = wait_for("the log that is kept", kept).split(" ", 1)
    assert text == "goodbye\n" and stamp.startswith("20") and stamp.endswith("Z"), (stamp, text)
