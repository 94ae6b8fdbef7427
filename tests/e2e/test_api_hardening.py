"""Requests that would harm: the server refuses them in words, stays small and answers everybody else."""

import gzip
import http.client
import json
import re
import select
import socket
import ssl
import time

import pytest
from jobs import config_map
from wire import Bystander, Wire, is_status, raw_socket

MAPS = "/api/v1/namespaces/default/configmaps"
LIMIT = 3 << 20


@pytest.fixture
def wire(shared_server):
    return Wire(shared_server)


# ---- bodies --------------------------------------------------------------------------------------


def deep_json(depth):
    return '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":' + \
        '{"a":' * depth + "1" + "}" * depth + "}"


def deep_list(depth):
    return "[" * depth + "]" * depth


def deep_yaml(depth):
    return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: deep}\ndata: " + "{a: " * depth + "1" + "}" * depth


@pytest.mark.parametrize("kind,body", [
    ("application/json", deep_json(10_000)), ("application/json", deep_json(300_000)),
    ("application/json", deep_list(10_000)), ("application/json", "[" * 1_000_000),
    ("application/json", '{"a":' * 500_000),
    ("application/yaml", deep_yaml(10_000)), ("application/yaml", deep_list(10_000)),
    ("application/yaml", "- " * 10_000 + "x"), ("application/yaml", "? " * 10_000 + "x"),
    ("application/yaml", "[" * 1_000_000), ("application/yaml", "{" * 1_000_000)],
    ids=["objects", "many objects", "lists", "open lists", "open objects", "yaml objects", "yaml lists",
         "yaml dashes", "yaml keys", "open yaml lists", "open yaml objects"])
def test_deep_nesting_is_refused(shared_server, wire, kind, body):
    with Bystander(shared_server):
        assert is_status(wire.ask("POST", MAPS, body, Content_Type=kind), 400, 413, 422)
    assert shared_server.get("configmap", "deep") is None


@pytest.mark.parametrize("kind", ["merge-patch+json", "strategic-merge-patch+json", "json-patch+json",
                                  "apply-patch+yaml"])
def test_deep_patches_are_refused(shared_server, wire, kind):
    name = f"{MAPS}/patched-{kind.partition('-')[0]}"
    wire.ask("POST", MAPS, config_map(name.rpartition("/")[2]))
    for body in [deep_json(10_000), deep_list(10_000), json.dumps([{"op": "add", "path": "/data/a", "value": None}])
                 .replace("null", '{"a":' * 20_000 + "1" + "}" * 20_000)]:
        with Bystander(shared_server):
            answer = wire.ask("PATCH", name, body, {"fieldManager": "x"}, Content_Type=f"application/{kind}")
            assert is_status(answer, 400, 413, 422)


def test_deep_objects_inside_a_kind_that_keeps_everything(shared_server, wire):
    """Where unknown fields are kept, depth must be bounded too, for what is stored is read back."""
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    answer = wire.ask("POST", crds, {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "blobs.deep.example.com"}, "spec": {
            "group": "deep.example.com", "scope": "Cluster", "names": {"plural": "blobs", "kind": "Blob"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}})
    assert answer.code == 201, repr(answer)
    shared_server.kubectl("wait", "crd/blobs.deep.example.com", "--for=condition=Established", "--timeout=20s")
    body = '{"apiVersion":"deep.example.com/v1","kind":"Blob","metadata":{"name":"n%d"},"x":%s}'
    for depth in [50, 900, 5_000, 9_000, 20_000]:
        text = body % (depth, '{"a":' * depth + "1" + "}" * depth)
        answer = wire.ask("POST", "/apis/deep.example.com/v1/blobs", text)
        assert answer.code == 201 or is_status(answer, 400, 413, 422)
        if answer.code == 201:
            read = wire.get(f"/apis/deep.example.com/v1/blobs/n{depth}")
            assert read.code == 200 and read.raw.count(b'"a":') == depth
        assert depth != 50 or answer.code == 201, repr(answer)
    assert wire.get("/apis/deep.example.com/v1/blobs").code == 200


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(['*' + before] * 9)}]\n" for before, name in zip("abcdefghi", "bcdefghij"))
MAP_BOMB = "a: &a {k: v}\n" + "".join(
    f"{name}: &{name} {{" + ", ".join(f"k{i}: *{before}" for i in range(9)) + "}\n"
    for before, name in zip("abcdefghi", "bcdefghij"))
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\n"


@pytest.mark.parametrize("body", [
    HEAD + BOMB + "data: *j\n", HEAD + MAP_BOMB + "data: *j\n", HEAD + "data: &d\n  a: *d\n",
    "&a [*a]", "*none"], ids=["lists", "maps", "endless", "itself", "none"])
def test_alias_bombs_do_not_go_off(shared_server, wire, body):
    with Bystander(shared_server, growth_mib=100):
        answer = wire.ask("POST", MAPS, body, {"fieldValidation": "Strict"}, Content_Type="application/yaml")
        assert is_status(answer, 400, 413, 422)


def test_an_alias_bomb_in_an_apply_patch(shared_server, wire):
    with Bystander(shared_server, growth_mib=100):
        answer = wire.ask("PATCH", f"{MAPS}/bomb", HEAD + BOMB + "data: *j\n", {"fieldManager": "x"},
                          Content_Type="application/apply-patch+yaml")
        assert is_status(answer, 400, 413, 422)


@pytest.mark.parametrize("body", [
    "".join(f"k{i}: &a{i} v\n" for i in range(30_000)), "".join(f"&a{i} k{i}: v\n" for i in range(30_000)),
    HEAD + "data:\n" + "".join(f"  k{i}: v\n" for i in range(200_000)), "[" + "a," * 1_400_000 + "a]"],
    ids=["anchored values", "anchored keys", "a long map", "a long list"])
def test_long_yaml_holds_nobody_up(shared_server, wire, body):
    with Bystander(shared_server, slowest=2.0):
        wire.ask("POST", MAPS, body, {"dryRun": "All"}, Content_Type="application/yaml")


def many_unknown(count):
    return {**config_map("odd"), **{f"unknown-{i}": i for i in range(count)}}


@pytest.mark.parametrize("mode", ["Ignore", "Strict"])
def test_many_unknown_fields_hold_nobody_up(shared_server, wire, mode):
    with Bystander(shared_server, slowest=2.0):
        answer = wire.ask("POST", MAPS, many_unknown(30_000), {"dryRun": "All", "fieldValidation": mode})
    assert answer.code == (201 if mode == "Ignore" else 400), repr(answer)


def test_warnings_are_bounded(shared_server):
    """A real server sends 4 KiB of them; Go's clients refuse headers of more than a megabyte, Python's more than 100."""
    sock = raw_socket(shared_server)
    body = json.dumps(many_unknown(2000)).encode()
    sock.sendall((f"POST {MAPS}?dryRun=All&fieldValidation=Warn HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
                  f"Authorization: Bearer {shared_server.token().strip()}\r\nConnection: close\r\n\r\n").encode() + body)
    answer = b""
    while b"\r\n\r\n" not in answer and (part := sock.recv(65536)):
        answer += part
    sock.close()
    head = answer.partition(b"\r\n\r\n")[0].splitlines()
    assert b" 201 " in head[0], answer[:300]
    assert any(b'unknown field "unknown-' in line.replace(b"\\", b"") for line in head)
    assert len(head) < 100, f"{len(head)} headers of {sum(map(len, head))} bytes"


def test_plain_aliases_are_read(wire):
    answer = wire.ask("POST", MAPS, HEAD.replace("bomb", "aliased") + "data: {a: &x one, b: *x}\n",
                      Content_Type="application/yaml")
    assert answer.code == 201 and answer.json["data"] == {"a": "one", "b": "one"}, repr(answer)


@pytest.mark.parametrize("value", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xe2\x82", b"\\ud800",
                                   b"\\u0000", b"\x7f", b"\x01"])
def test_text_that_is_none_never_comes_back_broken(shared_server, wire, value):
    """Go's reader puts U+FFFD for bytes that are no UTF-8; to refuse them is as good."""
    name = f"utf-{value.hex()}"
    body = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"},"data":{"a":"%s"}}' % (name.encode(), value)
    answer = wire.ask("POST", MAPS, body)
    assert answer.code == 201 or is_status(answer, 400, 422)
    listed = wire.get(MAPS)
    json.loads(listed.raw.decode("utf-8"))
    if answer.code == 201:
        text = wire.get(f"{MAPS}/{name}").json["data"]["a"]
        assert text.encode("utf-8"), "no half of a surrogate"


@pytest.mark.parametrize("path", [
    f"{MAPS}/%ff", f"{MAPS}/%c0%af", f"{MAPS}/%00", f"{MAPS}/%", f"{MAPS}/%zz", f"{MAPS}/a%2fb", f"{MAPS}//x",
    f"{MAPS}?labelSelector=%ff", f"{MAPS}?limit=x", f"{MAPS}?limit=99999999999999999999",
    f"{MAPS}?continue=%ff", f"{MAPS}?continue=nonsense", f"{MAPS}?resourceVersion=x",
    f"{MAPS}?watch=1&resourceVersion=x", f"{MAPS}?watch=1&timeoutSeconds=x"])
def test_paths_and_queries_that_are_none(wire, path):
    answer = wire.get(path)
    assert is_status(answer, 400, 404, 422), path


@pytest.mark.parametrize("query,code", [("resourceVersion=x", 400), ("continue=nonsense", 400),
                                        ("labelSelector=a=b=c", 400), ("fieldSelector=a", 400)])
def test_queries_are_refused_with_400(wire, query, code):
    assert is_status(wire.get(f"{MAPS}?{query}"), code)


# ---- sizes ---------------------------------------------------------------------------------------


def padded(size):
    """A JSON object of exactly that many bytes, whose size is all that is wrong with it."""
    body = json.dumps({**config_map("padded"), "data": {"a": ""}})
    return body.replace('"a": ""', '"a": "' + "x" * (size - len(body)) + '"')


def test_the_limit_of_a_body_is_three_mebibytes(wire):
    over = wire.ask("POST", MAPS, padded(LIMIT + 1))
    assert is_status(over, 413) and over.json["reason"] == "RequestEntityTooLarge"
    assert str(LIMIT) in over.message, repr(over)
    wire.close()
    under = wire.ask("POST", MAPS, padded(LIMIT - 1))
    assert is_status(under, 422) and "may not be more than 1048576 bytes" in under.message, repr(under)


def test_a_gigabyte_that_is_announced_is_refused_at_once(shared_server):
    with Bystander(shared_server, growth_mib=64):
        sock = raw_socket(shared_server)
        sock.sendall((f"POST {MAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {shared_server.token().strip()}\r\n"
                      "Content-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n{").encode())
        began = time.monotonic()
        head = sock.recv(4096)
        assert b" 413 " in head.splitlines()[0], head
        assert time.monotonic() - began < 2
        sock.close()


def test_a_gigabyte_in_pieces_is_cut_off(shared_server):
    with Bystander(shared_server, growth_mib=64):
        sock = raw_socket(shared_server)
        sock.sendall((f"POST {MAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {shared_server.token().strip()}\r\n"
                      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n").encode())
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        sent, answer = 0, b""
        try:
            while sent < 1 << 30 and not answer:
                sock.sendall(chunk)
                sent += 65536
                if select.select([sock], [], [], 0)[0] or sock.pending():
                    answer = sock.recv(4096)
        except (ConnectionError, ssl.SSLError, socket.timeout):
            answer = answer or b"closed"
        assert sent < 40 << 20, f"{sent >> 20} MiB were taken"
        assert answer == b"closed" or answer == b"" or b" 413 " in answer.splitlines()[0], answer
        sock.close()


def test_a_stranger_cannot_send_bodies(shared_server):
    """Who has no token is told so before anything of the body is kept."""
    with Bystander(shared_server, growth_mib=64):
        answers = []
        for _ in range(20):
            connection = Wire(shared_server, None)
            try:
                answers.append(connection.ask("POST", MAPS, "x" * (LIMIT - 10)).code)
            except (OSError, http.client.HTTPException):
                answers.append(401)  # closed before all was sent
        assert set(answers) <= {401, 413}


def test_thousands_of_headers(shared_server, wire):
    with Bystander(shared_server):
        for headers in ["".join(f"X-{i}: {i}\r\n" for i in range(200_000)), "X: " + "y" * (2 << 20) + "\r\n",
                        "X" * (2 << 20) + ": y\r\n"]:
            sock = raw_socket(shared_server)
            answer = b""
            try:
                sock.sendall(f"GET /version HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
                answer = sock.recv(4096)
            except (ConnectionError, ssl.SSLError, socket.timeout):
                pass
            assert answer == b"" or re.match(rb"HTTP/1.1 (400|413|431) ", answer), answer[:200]
            sock.close()


def test_a_long_path(shared_server):
    sock = raw_socket(shared_server)
    answer = b""
    try:
        sock.sendall(b"GET /api/v1/" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = sock.recv(4096)
    except (ConnectionError, ssl.SSLError):
        pass
    assert answer == b"" or re.match(rb"HTTP/1.1 (400|401|404|413|414|431) ", answer), answer[:200]
    assert Wire(shared_server).get("/version").code == 200


@pytest.mark.parametrize("text", [
    b"\x16\x03\x01 nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET\r\n\r\n", b"\r\n" * 1000, b"\0" * 10_000,
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /version",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
    b"GET /version HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n"])
def test_what_is_no_http_is_refused_or_closed(shared_server, text):
    sock = raw_socket(shared_server, timeout=5)
    answer = b""
    try:
        sock.sendall(text)
        answer = sock.recv(4096)
    except (ConnectionError, ssl.SSLError):
        pass
    except socket.timeout:
        pass  # it waits for more: the test of slow senders tells for how long
    assert answer == b"" or re.match(rb"HTTP/1.[01] (4\d\d|505) ", answer), answer[:200]
    sock.close()
    assert Wire(shared_server).get("/version").code == 200


def test_plain_http_on_the_tls_port_is_told_so_or_closed(shared_server):
    host, port = shared_server.listen.split(":")
    with socket.create_connection((host, int(port)), timeout=5) as sock:
        sock.sendall(b"GET /version HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        try:
            answer = sock.recv(4096)
        except ConnectionError:
            pass
    assert not answer.startswith(b"HTTP/1.1 200")


def test_a_packed_body_does_not_go_off(shared_server, wire):
    bomb = gzip.compress(b" " * (200 << 20))
    with Bystander(shared_server, growth_mib=64):
        answer = wire.ask("POST", MAPS, bomb, Content_Encoding="gzip")
        assert is_status(answer, 400, 413, 415)


# ---- slow ones -----------------------------------------------------------------------------------


def test_slow_senders_are_cut_off_and_nobody_waits_for_them(server):
    """Headers and bodies a byte at a time, handshakes that never end, idle strangers: 200 of them."""
    token = server.token().strip()
    post = (f"POST {MAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n").encode()
    host, port = server.listen.split(":")
    slow = [(raw_socket(server), b"GET /version HTTP/1.1\r\nX-Slow: ") for _ in range(60)]
    slow += [(raw_socket(server), post) for _ in range(60)]
    slow += [(socket.create_connection((host, int(port))), b"\x16\x03\x01\x02\x00\x01") for _ in range(60)]
    slow += [(socket.create_connection((host, int(port))), b"") for _ in range(20)]
    ended = set()
    with Bystander(server, growth_mib=64):
        for sock, begin in slow:
            sock.setblocking(True)
            if begin:
                sock.sendall(begin)
            sock.setblocking(False)
        began = time.monotonic()
        while len(ended) < len(slow) and time.monotonic() - began < 100:
            time.sleep(1)
            for i, (sock, begin) in enumerate(slow):
                if i in ended:
                    continue
                try:
                    if begin:
                        sock.send(b"a")
                    if sock.recv(4096) == b"":
                        ended.add(i)
                except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
                    pass
                except OSError:
                    ended.add(i)
    left = [["headers", "body", "handshake", "silence"][min(i // 60, 3)] for i in range(len(slow)) if i not in ended]
    for sock, _ in slow:
        sock.close()
    assert not left, f"still open after 100 s: { {kind: left.count(kind) for kind in set(left)} }"


def test_a_thousand_connections(server):
    socks = []
    with Bystander(server, growth_mib=200):
        for _ in range(1000):
            socks.append(raw_socket(server))
        assert Wire(server).get("/version").code == 200
    for sock in socks:
        sock.close()


def test_a_reader_that_does_not_read_costs_little(server):
    """20 watchers and 20 lists that are never read, while 100 MiB of changes pass by."""
    wire = Wire(server)
    for i in range(20):
        assert wire.ask("POST", MAPS, config_map(f"big-{i}", a="x" * 500_000)).code == 201
    token = server.token().strip()
    stuck = []
    for path in [f"{MAPS}?watch=1&resourceVersion=0", MAPS] * 20:
        sock = raw_socket(server)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        stuck.append(sock)
    with Bystander(server, slowest=2.0, growth_mib=300):
        for round in range(10):
            for i in range(20):
                answer = wire.ask("PUT", f"{MAPS}/big-{i}", config_map(f"big-{i}", a=str(round) * 500_000))
                assert answer.code == 200, repr(answer)
    for sock in stuck:
        sock.close()
