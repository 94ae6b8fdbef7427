"""The files of volumes over the API: persistentvolumeclaims/NAME/files, which the console's file browser uses."""

import os
import threading
from urllib.parse import quote, unquote_to_bytes

import pytest
from console_client import Browser
from harness import wait_for
from jobs import pod, with_volume
from people import user
from wire import Wire

# Names that break out of texts, pages, addresses or terminals where somebody is careless.
HOSTILE = [b"a\nb", "\u202egpj.exe".encode(), b"\xff\xfe", b"x" * 255, b"<img src=x onerror=alert(1)>", b"%2e%2e",
           b"a+b&c=d", b"\x1b[31mred", "数据".encode()]


def path_of(claim, path=b"", **query):
    words = "".join(f"&{name}={quote(value)}" for name, value in query.items())
    return f"/api/v1/namespaces/default/persistentvolumeclaims/{claim}/files?path={quote(path)}{words}"


class Files:
    """One volume's files, as somebody with a connection asks for them."""

    def __init__(self, wire, claim):
        self.wire, self.claim = wire, claim

    def ask(self, method, path=b"", body=None, headers={}, **query):
        return self.wire.ask(method, path_of(self.claim, path, **query), body, **headers)

    def done(self, method, path=b"", body=None, headers={}, **query):
        answer = self.ask(method, path, body, headers, **query)
        assert answer.code in (200, 201), repr(answer)
        return answer

    def names(self, path=b""):
        return [unquote_to_bytes(entry["encoded"]) for entry in self.done("GET", path).json["entries"]]

    def content(self, path, **headers):
        return self.done("GET", path, headers=headers, content="true").raw


@pytest.fixture(scope="module")
def wire(shared_server):
    return Wire(shared_server)


def claimed(server, wire, name, *flags):
    """The volume's files, and its folder on the machine."""
    made = server.cli("data", "create", name, *flags)
    assert made.code == 0, repr(made)
    return Files(wire, name), server.data / "volumes/default" / name


def test_what_is_uploaded_is_seen_by_a_pod_and_back(shared_server, wire):
    files, _ = claimed(shared_server, wire, "both")
    files.done("POST", "in")
    files.done("PUT", "in/a.txt", "one\n")
    shared_server.create(with_volume(pod("adds", "cp /volume/in/a.txt /volume/b.txt; echo two >> /volume/b.txt"), "both"))
    shared_server.wait_phase("adds", "Succeeded", "pod")
    assert files.content("b.txt") == b"one\ntwo\n"
    entry = files.done("GET").json["entries"][0]
    assert (entry["name"], entry["type"], entry["bytes"]) == ("b.txt", "file", 8)
    files.done("PATCH", "b.txt", to="in/c.txt")
    assert files.names() == [b"in"] and files.names("in") == [b"a.txt", b"c.txt"]
    refused = files.ask("DELETE", "in")
    assert refused.code == 409 and "not empty" in refused.message
    files.done("DELETE", "in", recursive="true")
    assert files.names() == []


def test_any_name_that_linux_takes_goes_both_ways(shared_server, wire):
    files, folder = claimed(shared_server, wire, "names")
    for number, name in enumerate(HOSTILE):
        files.done("PUT", name, str(number))
    assert sorted(files.names()) == sorted(HOSTILE) == sorted(os.listdir(os.fsencode(folder)))
    for number, name in enumerate(HOSTILE):
        answer = files.done("GET", name, content="true")
        assert answer.raw == str(number).encode()
        assert answer.headers["Content-Disposition"].startswith('attachment; filename="')
        files.done("PATCH", name, to=b"renamed " + name[:200])
        files.done("DELETE", b"renamed " + name[:200])
    assert files.names() == []
    assert files.ask("PUT", b"y" * 256, "x").code == 400
    missing = files.ask("GET", b"\xff", content="true")
    assert missing.code == 404 and "no such file" in missing.message


def test_no_link_leads_out_of_the_volume(shared_server, wire):
    files, folder = claimed(shared_server, wire, "trap")
    host = shared_server.folder / "host"
    host.mkdir()
    (host / "secret").write_text("untouched")
    script = f"cd /volume; ln -s /etc etc; ln -s {host} host; ln -s ../../../.. up; ln -s {host}/secret file; mkfifo pipe"
    shared_server.create(with_volume(pod("traps", script), "trap"))
    shared_server.wait_phase("traps", "Succeeded", "pod")
    for path in ["etc", "etc/passwd", "host/secret", "up/etc/passwd", "file", "..", "../names", "a/../../names"]:
        for refused in [files.ask("GET", path), files.ask("GET", path, content="true")]:
            assert refused.code == 422 and "leads out of its volume" in refused.message, (path, refused)
    for refused in [files.ask("PUT", "host/new", "x"), files.ask("POST", "host/new"),
                    files.ask("DELETE", "host/secret", recursive="true"), files.ask("PATCH", "host/secret", to="mine"),
                    files.ask("PATCH", "pipe", to="host/pipe"), files.ask("PATCH", "pipe", to="../pipe")]:
        assert refused.code == 422, repr(refused)
    through = files.ask("PUT", "file", "x", overwrite="true")
    assert through.code == 409 and "is a link" in through.message
    assert files.ask("GET", "pipe", content="true").code == 400, "nobody waits for a pipe"
    assert os.listdir(host) == ["secret"] and (host / "secret").read_text() == "untouched"
    files.done("DELETE", "host", recursive="true")
    assert (host / "secret").read_text() == "untouched", "the link goes, not what it leads to"


def test_an_absolute_path_begins_at_the_volume(shared_server, wire):
    files, _ = claimed(shared_server, wire, "absolute")
    files.done("PUT", "/etc-passwd", "mine")
    assert files.content("//etc-passwd") == b"mine"
    assert files.ask("GET", "/etc/passwd", content="true").code == 404


def test_links_that_change_all_the_time_win_no_race(shared_server, wire):
    """A folder that is a link to outside half of the time: what is written is in the volume or nowhere."""
    files, folder = claimed(shared_server, wire, "race")
    outside = shared_server.folder / "outside"
    outside.mkdir()
    (folder / "real").mkdir()
    stop = threading.Event()

    def swap():
        link, real, place = (os.fspath(folder / name) for name in ["link", "real", "door"])
        os.symlink(outside, link)
        while not stop.is_set():
            os.rename(real, place)
            os.rename(place, real)
            os.rename(link, place)
            os.rename(place, link)

    swapper = threading.Thread(target=swap)
    swapper.start()
    codes = [files.ask("PUT", f"door/{number}", "x").code for number in range(300)]
    stop.set()
    swapper.join()
    assert os.listdir(outside) == []
    assert set(codes) <= {200, 404, 422}, set(codes)


def test_a_file_is_replaced_only_on_request_and_edited_only_as_it_was_read(shared_server, wire):
    files, _ = claimed(shared_server, wire, "edited")
    tag = files.done("PUT", "a.yaml", "one").json["tag"]
    there = files.ask("PUT", "a.yaml", "two")
    assert there.code == 409 and "is there already" in there.message
    files.done("PUT", "a.yaml", "two", overwrite="true")
    changed = files.ask("PUT", "a.yaml", "three", {"If_Match": f'"{tag}"'})
    assert changed.code == 409 and "was changed meanwhile" in changed.message
    read = files.done("GET", "a.yaml", content="true")
    files.done("PUT", "a.yaml", "three", {"If_Match": read.headers["ETag"]})
    assert files.content("a.yaml") == b"three"


def test_a_file_is_read_in_parts(shared_server, wire):
    files, _ = claimed(shared_server, wire, "parts")
    files.done("PUT", "digits", "0123456789")
    answer = files.ask("GET", "digits", headers={"Range": "bytes=2-4"}, content="true")
    assert (answer.code, answer.raw, answer.headers["Content-Range"]) == (206, b"234", "bytes 2-4/10")
    assert files.ask("GET", "digits", headers={"Range": "bytes=99-"}, content="true").code == 416


def test_a_large_file_passes_without_being_held(shared_server, wire):
    """More than a body may be elsewhere, and more than the server grows by."""
    files, folder = claimed(shared_server, wire, "large")
    size = 256 << 20
    before = memory_of(shared_server)

    def pieces():
        for _ in range(size >> 20):
            yield b"\x5a" * (1 << 20)

    made = files.done("PUT", "big", pieces(), {"Content_Length": str(size)})
    assert made.json["bytes"] == size == (folder / "big").stat().st_size
    response = wire.send("GET", path_of("large", "big", content="true"))
    got = 0
    while piece := response.read(1 << 20):
        assert piece.count(b"\x5a") == len(piece)
        got += len(piece)
    assert got == size
    assert memory_of(shared_server) - before < 64 << 20
    full = files.ask("PUT", "huge", b"", {"Content_Length": str(1 << 60)})
    assert full.code == 413 and "room for" in full.message


def memory_of(server):
    with open(f"/proc/{server.pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_an_upload_that_breaks_off_leaves_nothing(shared_server, wire):
    files, folder = claimed(shared_server, wire, "broken")
    other = Wire(shared_server)
    other.connection.putrequest("PUT", path_of("broken", "half"))
    other.connection.putheader("Authorization", f"Bearer {other.token}")
    other.connection.putheader("Content-Length", "1000000")
    other.connection.endheaders()
    other.connection.send(b"x" * 100_000)
    wait_for("it to begin", lambda: os.listdir(folder))
    other.connection.close()
    wait_for("nothing to be left", lambda: os.listdir(folder) == [])
    assert files.names() == []


def test_a_volume_that_may_only_be_read_says_so(shared_server, wire):
    folder = shared_server.folder / "fixed"
    folder.mkdir()
    (folder / "file").write_text("x")
    files, _ = claimed(shared_server, wire, "fixed", "--path", folder, "--read-only")
    assert files.done("GET").json["readOnly"] is True and files.content("file") == b"x"
    for refused in [files.ask("PUT", "new", "x"), files.ask("POST", "new"), files.ask("PATCH", "file", to="new"),
                    files.ask("DELETE", "file")]:
        assert refused.code == 403 and "may only be read" in refused.message
    assert os.listdir(folder) == ["file"]


def test_files_belong_to_whom_their_folder_belongs(shared_server, wire):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    files, folder = claimed(shared_server, wire, "owned")
    os.chown(folder, 1234, 1234)
    files.done("PUT", "mine", "x")
    files.done("POST", "sub")
    for name in ["mine", "sub"]:
        assert (folder / name).stat().st_uid == 1234
    made = with_volume(pod("writes", "echo more >> /volume/mine"), "owned")
    made["spec"]["securityContext"] = {"runAsUser": 1234, "runAsGroup": 1234}
    shared_server.create(made)
    shared_server.wait_phase("writes", "Succeeded", "pod")
    assert files.content("mine") == b"xmore\n"


def test_it_takes_a_right_of_its_own(shared_server, wire):
    """Who may see claims may not see files; who may run pods may."""
    files, _ = claimed(shared_server, wire, "guarded")
    files.done("PUT", "file", "x")
    viewer = user(shared_server, "viewer", "view", "default")
    editor = user(shared_server, "editor", "edit", "default")
    seen = Files(viewer.wire(), "guarded")
    assert seen.ask("GET", "file", content="true").code == 403 and seen.ask("PUT", "new", "x").code == 403
    assert Files(editor.wire(), "guarded").content("file") == b"x"
    nobody = Files(Wire(shared_server, token=None), "guarded")
    assert nobody.ask("GET").code == 401


def test_a_claim_reaches_no_volume_that_is_not_its_own(shared_server, wire):
    files, _ = claimed(shared_server, wire, "rich")
    files.done("PUT", "file", "x")
    volume = shared_server.get("pvc", "rich")["spec"]["volumeName"]
    thief = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "thief"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": volume}}
    shared_server.create(thief)
    refused = Files(wire, "thief").ask("GET")
    assert refused.code == 503 and "has no folder yet" in refused.message


def test_a_page_on_a_volume_never_runs_on_the_consoles_origin(shared_server, wire):
    files, _ = claimed(shared_server, wire, "pages")
    files.done("PUT", "evil.html", "<script>fetch('/api')</script>")
    browser = Browser(shared_server.console)
    where = path_of("pages", "evil.html", content="true")
    assert browser.ask(where)[0] == 401, "not without a login"
    browser.follow(shared_server.cli("open").out.strip())
    status, headers, text = browser.ask(where)
    assert (status, text) == (200, "<script>fetch('/api')</script>")
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Content-Disposition"].startswith("attachment")
    assert any("sandbox" in policy for policy in headers.get_all("Content-Security-Policy"))
    foreign = browser.ask(path_of("pages", "new"), "PUT", "x", Origin="http://evil.example")
    assert foreign[0] == 403 and files.names() == [b"evil.html"]


def test_a_claim_grows_when_more_is_asked_for(shared_server):
    claimed(shared_server, None, "growing", "--size", "1Gi")
    patch = '{"spec": {"resources": {"requests": {"storage": "3Gi"}}}}'
    shared_server.kubectl("patch", "pvc", "growing", "-p", patch)
    made = wait_for("it to grow", lambda: (now := shared_server.get("pvc", "growing"))["status"]["capacity"] == {
        "storage": "3Gi"} and now)
    assert shared_server.get("pv", made["spec"]["volumeName"])["spec"]["capacity"] == {"storage": "3Gi"}
    smaller = shared_server.try_kubectl("patch", "pvc", "growing", "-p", patch.replace("3Gi", "2Gi"))
    assert smaller.code == 1 and "less than status.capacity" in smaller.err
