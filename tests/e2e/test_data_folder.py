"""What an operator meets: damaged files, locks, taken ports, a full disk, the end of a server."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from harness import Server, wait_for
from jobs import config_map, pod
from objects import SLEEP
from processes import is_alive
from wire import Watch, Wire, raw_socket

MAPS = "/api/v1/namespaces/default/configmaps"


# ---- damage --------------------------------------------------------------------------------------


@pytest.fixture
def filled(server):
    """A server that was stopped, with a store of some size and a good copy of it."""
    wire = Wire(server)
    for i in range(200):
        wire.ask("POST", MAPS, config_map(f"kept-{i}", marker=f"MARK{i}-" + "x" * 2000))
    assert server.cli("down").code == 0
    copy = server.folder / "copy"
    copy.mkdir()
    for file in server.data.glob("store.db*"):
        shutil.copy2(file, copy)
    yield server
    if server.status():
        server.cli("down")
    for file in server.data.glob("store.db*"):
        file.unlink()
    for file in copy.iterdir():
        shutil.copy2(file, server.data)
    server.up("--accept-loss")  # of what the test wrote after the copy was made


def flip(file, offset, length):
    with open(file, "r+b") as store:
        store.seek(offset)
        old = store.read(length)
        store.seek(offset)
        store.write(bytes(byte ^ 0xA5 for byte in old))


def truncate(file, size):
    os.truncate(file, size)


def find(file, marker):
    return file.read_bytes().index(marker)


def pages(file):
    return range(0, file.stat().st_size, 4096)


DAMAGE = {
    "the header flipped": lambda file: flip(file, 0, 16),
    "the first page flipped": lambda file: flip(file, 100, 3900),
    "a page in the middle flipped": lambda file: flip(file, pages(file)[len(pages(file)) // 2], 4096),
    "every fifth page flipped at its beginning": lambda file: [flip(file, at, 64) for at in pages(file)[5::5]],
    "an object's text flipped": lambda file: flip(file, find(file, b"MARK100-") - 40, 60),
    "cut in half": lambda file: truncate(file, file.stat().st_size // 2),
    "cut by a little": lambda file: truncate(file, file.stat().st_size - 5000),
    "cut to nothing": lambda file: truncate(file, 0),
    "another file": lambda file: file.write_text("This is not a database.\n" * 1000),
    "a database of something else": lambda file: other_database(file),
}


def other_database(file):
    file.unlink()
    with sqlite3.connect(file) as database:
        database.execute("create table birds (name text)")


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_store_is_refused_in_words(filled, kind):
    file = filled.data / "store.db"
    DAMAGE[kind](file)
    damaged = file.read_bytes()
    refused = filled.try_up()
    assert refused.code == 1, repr(refused)
    assert str(file) in refused.err or "configmaps default/kept-" in refused.err, \
        f"it should name the file or the object: {refused!r}"
    words = refused.err.lower()
    assert any(word in words for word in ["damaged", "corrupt", "not a", "truncated", "empty", "another"]), repr(refused)
    assert any(word in words for word in ["restore", "backup", "copy", "move"]), f"it should say what to do: {refused!r}"
    assert file.read_bytes() == damaged, "it is left as it is for who wants to save something of it"
    assert filled.status() is None


def test_a_good_copy_put_back_works(filled):
    file = filled.data / "store.db"
    DAMAGE["cut in half"](file)
    assert filled.try_up().code == 1
    for left in filled.data.glob("store.db*"):
        left.unlink()
    for good in (filled.folder / "copy").iterdir():
        shutil.copy2(good, filled.data)
    filled.up()
    assert len(filled.list("configmaps")) >= 200
    assert filled.get("configmap", "kept-7")["data"]["marker"].startswith("MARK7-")


def test_a_store_of_a_newer_program_is_refused(filled):
    file = filled.data / "store.db"
    with sqlite3.connect(file) as database:
        version = database.execute("pragma user_version").fetchone()[0]
        database.execute(f"pragma user_version = {version + 1000}")
    refused = filled.try_up()
    if refused.code == 0:
        pytest.skip("the version of the store is kept elsewhere than in user_version")
    assert "newer" in refused.err and str(file) in refused.err, repr(refused)


# ---- one server a folder -------------------------------------------------------------------------


def test_a_second_server_on_one_folder_is_refused(server):
    second = server.cli("up", "--detach", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0")
    assert second.code == 1 and str(server.pid) in second.err and str(server.data) in second.err, repr(second)
    link = server.folder / "same"
    link.symlink_to(server.data)
    second = server.cli("up", "--detach", "--data-dir", link, "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0")
    assert second.code == 1, f"also by another name: {second!r}"
    assert server.api("/readyz") == (200, "ok")


def test_two_at_the_same_moment_become_one(stopped_server):
    results = []
    starts = [threading.Thread(target=lambda: results.append(stopped_server.cli(
        "up", "--detach", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0"))) for _ in range(5)]
    for start in starts:
        start.start()
    for start in starts:
        start.join()
    assert sorted(result.code for result in results) == [0, 1, 1, 1, 1], f"{results}"


def test_the_lock_of_a_killed_server_heals(server):
    for _ in range(3):
        server.kill()
        server.up()
    assert server.get("namespace", "default")


def test_a_pid_that_now_belongs_to_another_is_not_taken_for_the_server(server):
    server.kill()
    bystander = subprocess.Popen(["sleep", "1000"])
    try:
        file = server.data / "server.json"
        told = json.loads(file.read_text())
        told["pid"] = bystander.pid
        file.write_text(json.dumps(told))
        down = server.cli("down")
        assert down.code == 1, repr(down)
        assert bystander.poll() is None, "an innocent process was ended"
        assert server.status() is None
        server.up()
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


@pytest.mark.parametrize("flag,other", [("--listen", "--console"), ("--console", "--listen")])
def test_a_taken_port_names_the_process_and_the_flag(stopped_server, flag, other):
    holder = subprocess.Popen([sys.executable, "-c", "import socket,time\ns=socket.socket()\ns.bind(('127.0.0.1',0))\n"
                               "s.listen()\nprint(s.getsockname()[1],flush=True)\ntime.sleep(1000)"],
                              stdout=subprocess.PIPE, text=True)
    try:
        port = holder.stdout.readline().strip()
        refused = stopped_server.cli("up", "--detach", flag, f"127.0.0.1:{port}", other, "127.0.0.1:0")
        assert refused.code == 1 and flag in refused.err and port in refused.err, repr(refused)
        assert str(holder.pid) in refused.err and "python" in refused.err, f"it should say who has it: {refused!r}"
    finally:
        holder.kill()
        holder.wait()


# ---- the end -------------------------------------------------------------------------------------


def test_sigterm_ends_it_within_two_seconds_whatever_goes_on(server):
    server.create(pod("talks", "while :; do echo hi; sleep 0.1; done", grace=0))
    server.wait_phase("talks", "Running", "pod")
    watches = [Watch(server, MAPS, {"resourceVersion": "0"}) for _ in range(20)]
    streams = [server.stream("kubectl", "logs", "-f", "talks"), server.stream("kubectl", "get", "pods", "-w")]
    streams[0].wait_text("hi")
    stuck = raw_socket(server)
    stuck.sendall(b"POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
    host, port = server.listen.split(":")
    silent = socket.create_connection((host, int(port)))
    pid = server.pid
    began = time.monotonic()
    os.kill(pid, signal.SIGTERM)
    wait_for("its end", lambda: not is_alive(pid), 5)
    took = time.monotonic() - began
    for watch in watches:
        watch.close()
    stuck.close()
    silent.close()
    assert took < 2, f"{took:.1f} s"
    assert server.status() is None


def test_acknowledged_writes_survive_a_kill_at_any_moment(server):
    known, stop = {}, threading.Event()

    def write(who):
        wire, n = Wire(server), 0
        while not stop.is_set():
            name = f"w-{who}-{n}"
            try:
                answer = wire.ask("POST", MAPS, config_map(name, n=str(n)))
            except Exception:  # noqa: BLE001 - the server was killed
                return
            if answer.code == 201:
                known[name] = answer.json["metadata"]["resourceVersion"]
            n += 1
    for _ in range(3):
        writers = [threading.Thread(target=write, args=[f"{time.monotonic_ns()}-{i}"]) for i in range(8)]
        for writer in writers:
            writer.start()
        time.sleep(0.5)
        server.kill()
        stop.set()
        for writer in writers:
            writer.join()
        stop.clear()
        server.up()
    assert len(known) > 50
    found = {item["metadata"]["name"]: item["metadata"]["resourceVersion"]
             for item in Wire(server).get(MAPS).json["items"]}
    lost = [name for name in known if found.get(name) != known[name]]
    assert not lost, f"{len(lost)} of {len(known)} acknowledged writes are gone: {lost[:5]}"


# ---- a full disk ---------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tools, tmp_path):
    """A server whose data folder is on a disk of 64 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,mode=700", "tmpfs", disk],
                      capture_output=True).returncode != 0:
        pytest.skip("may not mount a small disk here")
    server = Server(tmp_path / "server")
    server.data = disk / "data"
    server.env["TRAINYARD_DATA_DIR"] = str(server.data)
    server.disk = disk
    try:
        server.up()
        yield server
    finally:
        (disk / "filler").unlink(missing_ok=True)
        try:
            server.tear_down()
        finally:
            subprocess.run(["umount", "-l", disk], check=True)


def fill(disk):
    with open(disk / "filler", "ab", buffering=0) as filler:
        for size in (1 << 20, 4096, 1):
            try:
                while filler.write(b"x" * size) == size:
                    pass
            except OSError:
                pass


def fill_by_writing(wire):
    """Writes until one is refused, for what the files have already may have room for some."""
    for i in range(2000):
        answer = wire.ask("POST", MAPS, config_map(f"filling-{i}", a="x" * 20_000))
        if answer.code != 201:
            return answer, f"filling-{i}"
    raise AssertionError("the disk is full and everything is taken")


def test_on_a_full_disk_reads_go_on_and_writes_come_back_with_space(small_disk):
    server = small_disk
    server.create(config_map("early", a="1"))
    server.create(pod("runs", SLEEP, grace=0))
    server.wait_phase("runs", "Running", "pod")
    watch = Watch(server, MAPS, {"fieldSelector": "metadata.name=late"})
    fill(server.disk)
    wire = Wire(server)
    refused, failed = fill_by_writing(wire)
    assert refused.code in (500, 503, 507) and refused.json["kind"] == "Status", repr(refused)
    assert any(word in refused.message.lower() for word in ["disk", "space"]), repr(refused)
    assert wire.get(f"{MAPS}/{failed}").code == 404, "what was refused is not there"
    assert wire.get(f"{MAPS}/early").json["data"] == {"a": "1"}
    assert wire.get("/api/v1/namespaces/default/pods/runs").json["status"]["phase"] == "Running"
    assert server.kubectl("get", "configmap", "early", "-o", "name") == "configmap/early\n"
    told = server.try_kubectl("create", "configmap", "late", "--from-literal=a=" + "y" * 50_000)
    assert told.code == 1 and ("disk" in told.err.lower() or "space" in told.err.lower()), repr(told)
    (server.disk / "filler").unlink()
    wait_for("writes to succeed again", lambda: wire.ask("POST", MAPS, config_map("late", a="2")).code == 201)
    assert watch.next()["object"]["data"] == {"a": "2"}
    watch.close()
    server.kill()
    server.up()
    assert server.get("configmap", "late")["data"] == {"a": "2"}
    assert server.get("configmap", "early") and server.get("configmap", failed) is None
    assert server.get("pod", "runs")["status"]["phase"] == "Running", "running jobs are untouched"


def test_a_pod_whose_log_fills_the_disk_can_be_deleted(small_disk):
    server = small_disk
    server.create(pod("floods", "exec yes this is a long line of a log that has no end", grace=0))
    server.create(pod("beside", SLEEP, grace=0))
    wait_for("the log to fill the disk", lambda: disk_free(server.disk) < 3 << 20)
    server.wait_phase("beside", "Running", "pod")
    server.kubectl("delete", "pod", "floods", "--timeout=20s")
    assert server.get("pod", "floods") is None
    assert server.create(config_map("afterwards", a="1"))
    wait_for("the event", lambda: any("of its log were lost" in said for _, said in server.events("floods")))


def disk_free(disk):
    status = os.statvfs(disk)
    return status.f_bavail * status.f_frsize


@pytest.mark.parametrize("end", ["down", "kill"])
def test_a_server_starts_on_a_full_disk(small_disk, end):
    server = small_disk
    server.create(config_map("early", a="1"))
    server.create(pod("runs", SLEEP, grace=0))
    server.wait_phase("runs", "Running", "pod")
    if end == "down":
        assert server.cli("down").code == 0
    else:
        server.kill()
    fill(server.disk)
    kubeconfig = (server.data / "kubeconfig").stat()
    server.up()
    assert server.get("configmap", "early")["data"] == {"a": "1"}
    assert server.get("pod", "runs")["status"]["phase"] == "Running"
    assert (server.data / "kubeconfig").stat() == kubeconfig, "what has not changed is not written"
    assert server.cli("down").code == 0, "the commands find it"
    server.up()
    (server.disk / "filler").unlink()
    wait_for("writes to succeed", lambda: Wire(server).ask("POST", MAPS, config_map("late", a="2")).code == 201)


def test_what_cannot_be_written_on_a_full_disk_is_said(small_disk):
    """The server runs without it, and writes it as soon as there is space."""
    server = small_disk
    assert server.cli("down").code == 0
    for name in ["kubeconfig", "server.json"]:
        (server.data / name).unlink()
    fill(server.disk)
    started = server.try_up()
    assert started.code == 0 and f"http://{server.console}" in started.out, f"{started!r}\n{server.log_tail()}"
    assert f"{server.data}/server.json" in started.err, f"{started!r}"
    log = server.log_tail(200)
    for name in ["kubeconfig", "server.json"]:
        assert f"{server.data}/{name}" in log and "free some space" in log, log
    assert server.api("/readyz") == (200, "ok")
    for command in [["down"], ["up", "--detach"]]:
        refused = server.cli(*command)
        assert refused.code == 1 and "or the disk is full" in refused.err, repr(refused)
    (server.disk / "filler").unlink()
    wait_for("commands to find it", server.status)
    assert server.kubectl("get", "namespace", "default", "-o", "name") == "namespace/default\n"


def test_a_folder_that_may_not_be_written_is_refused(stopped_server):
    if os.geteuid() == 0:
        target = Path("/proc/trainyard-test")
    else:
        stopped_server.data.mkdir(mode=0o500)
        target = stopped_server.data / "inside"
    refused = stopped_server.cli("up", "--detach", "--data-dir", target, "--listen", "127.0.0.1:0",
                                 "--console", "127.0.0.1:0")
    assert refused.code == 1 and str(target) in refused.err, repr(refused)
