"""backup and restore: all that the server knows, saved while it runs."""

import os
import threading

import pytest
from harness import Server, wait_for
from jobs import config_map, shell_job
from processes import pids_running


@pytest.fixture
def other(server, tmp_path_factory):
    """A second data folder, with ports of its own; nothing runs there yet."""
    made = Server(tmp_path_factory.mktemp("other"))
    yield made
    made.tear_down()


def access_lists(server):
    """What lets all pods write to the volume `shared`, and to its folders."""
    folder = server.data / "volumes/default/shared"
    return [(os.getxattr(path, name), path.stat().st_gid) for path in [folder, folder / "models"]
            for name in os.listxattr(path)]


def backup(server, *flags):
    file = server.folder / "backup"
    said = server.cli("backup", file, *flags)
    assert said.code == 0, repr(said)
    return file


def test_all_that_a_server_knew_is_there_again(server, other):
    server.kubectl("create", "namespace", "vision")
    server.cli("user", "add", "ann", "--role", "edit", "-n", "vision", "--kubeconfig-out", server.folder / "ann")
    server.cli("data", "create", "shared")
    (server.folder / "file").write_text("weights")
    server.cli("data", "cp", server.folder / "file", "shared:models/")
    server.create(shell_job("done", "echo words that stay"))
    server.wait_phase("done", "Succeeded")
    server.create(shell_job("gone", "echo of a deleted job"))
    server.wait_phase("gone", "Succeeded")
    server.cli("delete", "gone")
    wait_for("its log to be kept", lambda: any((server.data / "logs").glob("default/gone*/*/*")))
    lists = access_lists(server)
    file = backup(server, "--volumes", "--logs")
    assert file.stat().st_mode & 0o777 == 0o600
    said = other.cli("restore", file)
    assert said.code == 0 and "trainyard up" in said.out, repr(said)
    other.up()
    assert other.get("pj", "done")["status"] == server.get("pj", "done")["status"]
    assert other.get("namespace", "vision") and other.get("pj", "gone") is None
    assert other.cli("data", "cat", "shared:models/file").out == "weights"
    assert access_lists(other) == lists
    assert "of a deleted job" in other.cli("logs", "gone").out
    assert other.token() == server.token(), "who could get in still can"
    assert "ann" in other.cli("user", "list").out
    uid = server.create(config_map("after"))["metadata"]["resourceVersion"]
    assert int(other.create(config_map("after"))["metadata"]["resourceVersion"]) + 1000 > int(uid)


def test_without_flags_logs_and_volumes_are_left_out_and_their_sizes_told(server, other):
    server.cli("data", "create", "shared")
    (server.folder / "big").write_bytes(b"x" * 3_000_000)
    server.cli("data", "cp", server.folder / "big", "shared:")
    dry = server.cli("backup", server.folder / "dry", "--dry-run")
    assert dry.code == 0 and not (server.folder / "dry").exists(), repr(dry)
    assert "3.0 MB  left out; --volumes takes it in" in dry.out and "--logs" in dry.out, repr(dry)
    file = backup(server)
    assert file.stat().st_size < 3_000_000
    assert other.cli("restore", file).code == 0
    other.up()
    assert other.cli("data", "ls", "shared").code == 0, "the volume is there, and empty"


def test_jobs_that_ran_are_started_again_elsewhere(server, other, gate):
    server.create(shell_job("long", "echo begun; sleep 600"))
    server.wait_phase("long", "Running")
    file = backup(server)
    assert other.cli("restore", file).code == 0
    other.up()
    other.wait_phase("long", "Running")
    wait_for("its new process", lambda: pids_running(str(other.data)))
    assert server.get("pj", "long")["status"]["phase"] == "Running", "where it was saved, it goes on"


def test_is_consistent_while_much_is_written(server, other):
    """Pairs are written one after the other: the second is never there without the first."""
    stop = threading.Event()

    def write():
        for i in range(10_000):
            if stop.is_set():
                return
            for name in ["first", "second"]:
                server.api("/api/v1/namespaces/default/configmaps", server.token(), "POST",
                           f'{{"metadata": {{"name": "{name}-{i}"}}}}')

    writer = threading.Thread(target=write)
    writer.start()
    try:
        wait_for("some writes", lambda: len(server.list("configmaps")) > 20)
        files = []
        for i in range(3):
            files.append(server.folder / f"backup-{i}")
            assert server.cli("backup", files[-1]).code == 0
    finally:
        stop.set()
        writer.join()
    assert other.cli("restore", files[-1]).code == 0
    other.up()
    names = {item["metadata"]["name"] for item in other.list("configmaps")}
    seconds = {name for name in names if name.startswith("second-")}
    assert seconds and {name.replace("second", "first") for name in seconds} <= names


def test_restore_over_a_running_server_or_other_data_is_refused(server):
    file = backup(server)
    running = server.cli("restore", file)
    assert running.code == 1 and "trainyard down --all" in running.err, repr(running)
    assert server.status() and server.kubectl("get", "nodes")
    server.cli("down")
    full = server.cli("restore", file)
    assert full.code == 1 and "holds data already" in full.err and "mv " in full.err, repr(full)
    for said in [running, full]:
        assert len(said.err.splitlines()) == 1, repr(said)
    assert not list(server.data.glob(".*")), "nothing is left of the attempts"
    server.up()


def corrupt(file, how):
    data = file.read_bytes()
    if how == "a changed byte":
        middle = len(data) // 2
        data = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:]
    elif how == "half of it":
        data = data[:len(data) // 2]
    elif how == "its last byte missing":
        data = data[:-1]
    elif how == "more behind it":
        data += b"x"
    elif how == "only a beginning":
        data = data[:100]
    elif how == "another file":
        data = b"hello\n"
    elif how == "empty":
        data = b""
    file.write_bytes(data)


@pytest.mark.parametrize("how", ["a changed byte", "half of it", "its last byte missing", "more behind it",
                                 "only a beginning", "another file", "empty", "missing", "a folder"])
def test_damaged_backup_changes_nothing(shared_server, tmp_path, how):
    server, file = shared_server, tmp_path / "backup"
    assert server.cli("backup", file).code == 0
    if how == "missing":
        file.unlink()
    elif how == "a folder":
        file.unlink()
        file.mkdir()
    else:
        corrupt(file, how)
    target = tmp_path / "data"
    said = server.cli("restore", "--data-dir", target, file)
    assert said.code == 1 and len(said.err.splitlines()) == 1 and str(file) in said.err, repr(said)
    if how in ("another file", "empty"):
        assert "no backup of trainyard's" in said.err, repr(said)
    elif how not in ("missing", "a folder"):
        assert "is damaged" in said.err and "Nothing was changed" in said.err, repr(said)
    assert not target.exists()


def test_backup_to_a_bad_place_is_refused(server):
    there = server.folder / "there"
    there.write_text("mine")
    taken = server.cli("backup", there)
    assert taken.code == 1 and "there already" in taken.err and there.read_text() == "mine", repr(taken)
    nowhere = server.cli("backup", server.folder / "no" / "folder")
    assert nowhere.code == 1 and str(server.folder / "no") in nowhere.err, repr(nowhere)
    nothing = server.cli("backup", "--data-dir", server.folder / "empty", server.folder / "x")
    assert nothing.code == 1 and "no server has run" in nothing.err, repr(nothing)
    assert not list(server.data.glob(".*")) and not (server.folder / "empty").exists()
