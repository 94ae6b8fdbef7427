"""The apps' proxy: who gets to an app, and what passes between them."""

import hashlib
import http.client
import json
import os
import socket
import struct
import time

import pytest
from apps_client import Visitor, echo_app, visit, wait_condition
from harness import exchange
from people import user
PATH = "/default/tensorboard/echo"


@pytest.fixture(scope="module")
def server(shared_server):
    echo_app(shared_server, "echo")
    wait_condition(shared_server, "tensorboard", "echo", "Ready", "True")
    return shared_server


@pytest.fixture(scope="module")
def ours(server):
    """The administrator, logged in."""
    return visit(server, "tensorboard", "echo")


def echo(visitor, path="/x", method="GET", body=None, **headers):
    status, _, text = visitor.ask(path, method, body, **headers)
    assert status == 200, text
    told = json.loads(text)
    told["headers"] = {name.lower(): value for name, value in told["headers"]}
    return told


# ---- who gets in ---------------------------------------------------------------------------------


def test_strangers_get_a_login_page_and_learn_nothing(server):
    stranger = Visitor(server, PATH)
    status, headers, there = stranger.ask()
    assert status == 401 and "trainyard open tensorboard echo" in there
    assert "Set-Cookie" not in headers
    status, _, missing = Visitor(server, "/default/tensorboard/none").ask()
    assert status == 401 and missing.replace("none", "echo") == there
    for cookie in ["guess", "", "a~b~c~d"]:
        stranger.cookies["trainyard_app"] = cookie
        assert stranger.ask()[0] == 401
    assert stranger.socket("/ws").status == 401
    for path in ["/", "/default", "/login?token=guess", "/favicon.ico"]:
        assert stranger.ask(path, whole=True)[0] == 401


def test_a_login_link_works_once_and_for_one_app(server, ours):
    opened = server.cli("open", "tensorboard", "echo", "-o", "json")
    link = opened.json()["link"]
    first = Visitor(server, PATH, link)
    assert first.ask("/x")[0] == 200
    second = Visitor(server, PATH)
    second.authority = first.authority
    assert second.ask(link.removeprefix(f"http://{first.authority}"), whole=True)[0] == 401
    for part in [f"Path={PATH};", "HttpOnly", "SameSite=Strict"]:
        assert part in first.login_cookie, first.login_cookie
    other = Visitor(server, "/default/tensorboard/other")
    other.cookies = dict(first.cookies)
    assert other.ask()[0] == 401
    other.authority = first.authority
    assert other.ask()[0] == 401


def test_the_consoles_session_is_none_here(server, ours):
    from console_client import Browser
    browser = Browser(server.console)
    browser.follow(server.cli("open").out.strip())
    visitor = Visitor(server, PATH)
    name, value = browser.cookie.split("=", 1)
    visitor.cookies = {name: value, "trainyard_app": value}
    assert visitor.ask()[0] == 401
    visitor.authority = ours.authority
    assert visitor.ask()[0] == 401


def test_no_app_is_at_the_address_that_everybody_knows(server, ours):
    """Where all apps were one origin: with the right cookie, too, is only a page that says how to get in."""
    url = server.get("tensorboard", "echo")["status"]["url"]
    assert url == f"http://{server.apps}{PATH}/"
    for host in [server.apps, server.apps.replace("127.0.0.1", "localhost")]:
        status, _, page = ours.ask("/x", Host=host)
        assert status == 401 and "trainyard open tensorboard echo" in page
        assert f"http://{server.console}/open{PATH}" in page, "or from the console"


def test_each_person_has_a_name_of_their_own_for_each_app(server, ours):
    bob = visit(server, "tensorboard", "echo", "--kubeconfig", user(server, "bob", "view", "default").file)
    again = visit(server, "tensorboard", "echo")
    assert again.authority == ours.authority, "what an app keeps in the browser stays"
    assert bob.authority != ours.authority
    bob.authority = ours.authority
    assert bob.ask("/x")[0] == 401


def test_logging_out_of_the_console_ends_the_apps_too(server, ours):
    from console_client import Browser
    browser = Browser(server.console)
    browser.follow(server.cli("open").out.strip())
    status, _, said = browser.ask(f"/open{PATH}", "POST")
    assert status == 200, said
    visitor = Visitor(server, PATH, json.loads(said)["link"])
    live = visitor.socket("/ws")
    live.send({"hello": 1})
    assert live.receive() == {"hello": 1}
    assert browser.ask("/logout", "POST")[0] == 200
    assert live.socket.recv(1) == b"", "what is open closes"
    assert visitor.ask("/x")[0] == 401
    ours.follow(server.cli("open", "tensorboard", "echo").out.strip())


@pytest.mark.parametrize("headers,status", [
    ({"Host": "evil.example"}, 421),
    ({"Host": "127.0.0.1"}, 421),
    ({"Origin": "http://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"}, 403),
    ({"Sec_Fetch_Site": "same-site", "Sec_Fetch_Mode": "cors"}, 403),
    ({"Sec_Fetch_Site": "same-origin"}, 200),
])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_other_names_and_other_sites_are_refused(server, ours, headers, status, method):
    assert ours.ask("/x", method, **headers)[0] == status


def test_other_sites_get_no_websocket(server, ours):
    assert ours.socket("/ws", Origin="http://evil.example").status == 403
    assert ours.socket("/ws", Origin=f"http://{server.console}").status == 403
    assert ours.socket("/ws", Host="evil.example").status == 421
    label, port = ours.authority.split(".localhost:")
    assert ours.socket("/ws", Origin=f"http://{label[::-1]}.localhost:{port}").status == 403, "a confused app"
    assert ours.socket("/ws", Origin=f"http://{label}.localhost:{int(port) + 1}").status == 403


def test_people_need_the_right_to_see_the_app(server):
    server.kubectl("create", "namespace", "elsewhere")
    stranger = user(server, "eve", "admin", "elsewhere")
    refused = server.cli("open", "tensorboard", "echo", "-n", "default", "--kubeconfig", stranger.file)
    assert refused.code == 1 and "forbidden" in refused.err.lower(), repr(refused)
    ann = user(server, "ann", "view", "default")
    visitor = visit(server, "tensorboard", "echo", "--kubeconfig", ann.file)
    assert visitor.ask("/x")[0] == 200
    assert server.cli("user", "rm", "ann").code == 0
    assert visitor.ask("/x")[0] == 401, "who was removed is out, cookie or not"


def test_no_token_is_taken_without_tls(server, ours):
    status, _, said = Visitor(server, PATH).ask("/x", Authorization=f"Bearer {server.token()}")
    assert status == 401 and "without TLS" in said and "trainyard open" in said
    told = echo(ours, Authorization=f"Bearer {server.token()}")
    assert "authorization" not in told["headers"], "who has the cookie sends it in vain"


def test_nobody_else_listens_where_browsers_look_first(server):
    """They try ::1 before 127.0.0.1 for names that end in .localhost."""
    port = int(server.apps.split(":")[1])
    try:
        probe = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no ::1")
    probe.close()
    with pytest.raises(OSError):
        socket.create_server(("::1", port), family=socket.AF_INET6)
    connection = http.client.HTTPConnection("::1", port, timeout=10)
    assert exchange(connection, "GET", PATH + "/", {"Host": server.apps})[0] == 401


def test_nobody_gets_past_the_proxy(server):
    pod = server.get("tensorboard", "echo")["status"]["pod"]["reference"]["name"]
    address = server.get("pod", pod)["status"]["podIP"]
    for host in ["127.0.0.1", address]:
        with socket.socket() as direct, pytest.raises(ConnectionRefusedError):
            direct.connect((host, 6006))


def test_links_are_not_for_those_without_a_token(server):
    connection = http.client.HTTPConnection(server.apps, timeout=10)
    body = json.dumps({"app": PATH})
    assert exchange(connection, "POST", "/login-links", {}, body)[0] == 401


# ---- what passes ---------------------------------------------------------------------------------


def test_the_app_gets_nothing_of_ours(ours):
    ours.cookies["theirs"] = "2"
    ours.cookies["trainyard_session"] = "the console's"
    told = echo(ours, "/a%2Fb?c=%20d", X_Forwarded_For="1.2.3.4", Connection="close, x-secret", x_secret="1")
    del ours.cookies["trainyard_session"]
    assert told["path"] == PATH + "/a%2Fb?c=%20d", "paths pass as they were sent"
    assert told["headers"]["cookie"] == "theirs=2"
    assert told["headers"]["host"] == ours.authority
    assert told["headers"]["x-forwarded-for"] == "127.0.0.1"
    assert "x-secret" not in told["headers"]


def test_the_apps_cookies_stay_with_it(ours):
    _, headers, _ = ours.ask("/cookies")
    assert headers.get_all("Set-Cookie") == [f"theirs=1; Path={PATH}/"]
    assert "Clear-Site-Data" not in headers


def test_bodies_of_any_size_pass_without_being_kept(server, ours):
    def resident():
        with open(f"/proc/{server.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    before = resident()
    data = os.urandom(1 << 20) * 64
    told = echo(ours, "/upload", "PUT", data)
    assert told["size"] == len(data) and told["sha256"] == hashlib.sha256(data).hexdigest()
    pieces = (data[i:i + 100_000] for i in range(0, 10_000_000, 100_000))
    told = echo(ours, "/chunked", "POST", pieces)
    assert told["size"] == 10_000_000
    assert resident() - before < 16 << 10, "kilobytes of memory for 64 MiB that passed"


def test_an_answer_passes_as_it_comes(ours):
    began = time.monotonic()
    connection, response = ours.start("/slow")
    assert response.read(5) == b"first"
    assert time.monotonic() - began < 0.9
    assert response.read() == b"second"
    connection.close()


def test_answers_without_a_body_pass(ours):
    status, headers, text = ours.ask("/x", "HEAD")
    assert status == 200 and text == "" and int(headers["Content-Length"]) > 100
    assert ours.ask("/nothing")[0] == 304


def test_an_answer_that_breaks_off_is_seen_to(ours):
    connection, response = ours.start("/broken")
    with pytest.raises(http.client.IncompleteRead):
        response.read()
    connection.close()


def test_one_connection_carries_many_requests(server, ours):
    connection = http.client.HTTPConnection(server.apps, timeout=10)
    for _ in range(20):
        connection.request("GET", PATH + "/x", headers={"Cookie": ours.cookie, "Host": ours.authority})
        response = connection.getresponse()
        assert response.status == 200
        response.read()
    connection.close()


def test_websockets_pass(ours):
    ws = ours.socket("/ws")
    assert ws.status == 101
    ws.send({"hello": 1})
    assert ws.receive() == {"hello": 1}
    ws.send_frame(0x9, b"still there?")
    assert ws.receive_frame() == (0xA, b"still there?")
    large = os.urandom(1 << 20) * 8
    ws.send_frame(0x2, large)
    assert ws.receive_frame() == (0x2, large)
    ws.send_frame(0x8, struct.pack(">H", 1001))
    assert ws.receive_frame() == (0x8, struct.pack(">H", 4321) + b"bye"), "the app's own code"
    assert ws.socket.recv(1) == b""
    ws.close()


def test_a_path_without_its_slash_leads_to_the_app(ours):
    status, headers, _ = ours.ask(PATH, whole=True)
    assert status == 308 and headers["Location"] == PATH + "/"


# ---- flags ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag,value,told", [
    ("--apps", "0.0.0.0:0", "TLS"),
    ("--apps", "6482", "ADDRESS:PORT"),
    ("--apps", "127.0.0.2:6482", "127.0.0.1:6482"),
    ("--idle-after", "soon", "such as 30m"),
    ("--suspend-after", "1", "such as 30m"),
])
def test_flags_that_make_no_sense_are_refused(server, flag, value, told):
    refused = server.cli("up", "--data-dir", server.folder / "other", "--listen", "127.0.0.1:0",
                         "--console", "127.0.0.1:0", flag, value)
    assert refused.code == 1 and flag in refused.err and told in refused.err, repr(refused)


def test_a_taken_port_names_its_flag(server):
    refused = server.cli("up", "--data-dir", server.folder / "other", "--listen", "127.0.0.1:0",
                         "--console", "127.0.0.1:0", "--apps", server.apps)
    assert refused.code == 1 and "choose another with --apps" in refused.err, repr(refused)
