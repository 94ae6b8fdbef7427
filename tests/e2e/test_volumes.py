"""PersistentVolumes: what kubectl shows of the folders behind claims, and what becomes of them."""

import json
import os

from harness import wait_for
from jobs import pod, with_volume
from objects import make, namespace


def claim(name, size="1Gi", **spec):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **spec}}


def bound(server, name):
    return wait_for(f"{name} to be bound", lambda: (made := server.get("pvc", name)) and made.get(
        "status", {}).get("phase") == "Bound" and made)


def test_a_claim_is_bound_to_a_volume_that_kubectl_shows(shared_server):
    shared_server.create(claim("shown", "3Gi"))
    volume = bound(shared_server, "shown")["spec"]["volumeName"]
    row = shared_server.kubectl("get", "pv", volume, "--no-headers").split()
    assert row[:7] == [volume, "3Gi", "RWO", "Delete", "Bound", "default/shown", "local"], row
    row = shared_server.kubectl("get", "pvc", "shown", "--no-headers").split()
    assert row[:6] == ["shown", "Bound", volume, "3Gi", "RWO", "local"], row


def test_deleting_a_claim_removes_its_files(shared_server):
    shared_server.create(claim("gone"))
    volume = bound(shared_server, "gone")["spec"]["volumeName"]
    shared_server.create(with_volume(pod("writes", "echo x > /volume/file"), "gone"))
    shared_server.wait_phase("writes", "Succeeded", "pod")
    folder = shared_server.data / "volumes/default/gone"
    assert (folder / "file").read_text() == "x\n"
    shared_server.kubectl("delete", "pvc", "gone")
    wait_for("its volume to go", lambda: shared_server.get("pv", volume) is None)
    assert not folder.exists()
    shared_server.create(claim("gone"))
    bound(shared_server, "gone")
    assert list(folder.iterdir()) == [], "a new claim begins empty"


def test_files_stay_while_a_pod_uses_them(shared_server):
    shared_server.create(claim("used"))
    volume = bound(shared_server, "used")["spec"]["volumeName"]
    shared_server.create(with_volume(pod("uses", "echo x > /volume/file; exec sleep 600", grace=0), "used"))
    file = shared_server.data / "volumes/default/used/file"
    wait_for("its file", file.exists)
    shared_server.kubectl("delete", "pvc", "used")
    assert file.exists() and shared_server.get("pv", volume)["status"]["phase"] == "Bound"
    shared_server.kubectl("delete", "pod", "uses")
    wait_for("its volume to go", lambda: shared_server.get("pv", volume) is None)
    assert not file.exists()


def test_a_folder_of_the_users_is_a_volume_and_is_never_removed(shared_server):
    folder = shared_server.folder / "datasets"
    folder.mkdir()
    (folder / "file").write_text("x")
    made = shared_server.cli("data", "create", "datasets", "--path", folder)
    assert made.code == 0, repr(made)
    volume = shared_server.get("pv", shared_server.get("pvc", "datasets")["spec"]["volumeName"])
    assert volume["spec"]["hostPath"]["path"] == str(folder)
    assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    shared_server.kubectl("delete", "pvc", "datasets")
    name = volume["metadata"]["name"]
    wait_for("it to be released", lambda: shared_server.get("pv", name)["status"]["phase"] == "Released")
    assert (folder / "file").read_text() == "x"
    shared_server.kubectl("delete", "pv", name)
    assert (folder / "file").exists()


def test_a_volume_that_somebody_made_is_taken(shared_server):
    folder = shared_server.folder / "archive"
    folder.mkdir()
    (folder / "file").write_text("found")
    shared_server.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "archive"}, "spec": {
        "storageClassName": "manual", "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": str(folder)}}})
    wait_for("it to be available", lambda: shared_server.get("pv", "archive").get("status", {}).get("phase") == "Available")
    shared_server.create(claim("reads", storageClassName="manual"))
    assert bound(shared_server, "reads")["status"]["capacity"] == {"storage": "10Gi"}
    shared_server.create(with_volume(pod("reader", "cat /volume/file"), "reads"))
    shared_server.wait_phase("reader", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "reader") == "found"


def test_deleting_a_namespace_removes_its_volumes(shared_server):
    shared_server.create(namespace("brief"))
    make(shared_server, claim("data"), "-n", "brief")
    mine = lambda: [v for v in shared_server.list("pv") if v["spec"]["claimRef"]["namespace"] == "brief"]  # noqa: E731
    wait_for("its volume", mine)
    shared_server.kubectl("delete", "namespace", "brief", "--timeout=40s")
    wait_for("its volume to go", lambda: not mine())
    assert not (shared_server.data / "volumes/brief/data").exists()


def test_files_of_a_volume_from_the_command_line(shared_server):
    cli = shared_server.cli
    assert cli("data", "create", "files").code == 0
    mine = shared_server.folder / "mine"
    (mine / "deep").mkdir(parents=True)
    (mine / "deep/a.txt").write_text("one\n")
    assert (done := cli("data", "cp", mine, "files:in")).code == 0, repr(done)
    assert cli("data", "cat", "files:in/deep/a.txt").out == "one\n"
    shared_server.create(with_volume(pod("adds", "cp /volume/in/deep/a.txt /volume/b.txt"), "files"))
    shared_server.wait_phase("adds", "Succeeded", "pod")
    assert [line.split() for line in cli("data", "ls", "files").out.splitlines()[1:]] == [["b.txt", "4"], ["in/", "-"]]
    assert json.loads(cli("data", "ls", "files", "-o", "json").out) == [
        {"name": "b.txt", "type": "file", "bytes": 4}, {"name": "in", "type": "folder"}]
    assert cli("data", "ls", "files", "-o", "name").out == "b.txt\nin\n"
    assert cli("data", "cp", "files:b.txt", mine / "back").code == 0
    assert (mine / "back").read_text() == "one\n"
    assert "add -r" in cli("data", "rm", "files:in").err
    assert cli("data", "rm", "-r", "files:in").code == 0
    assert cli("data", "ls", "files").out.split()[2:] == ["b.txt", "4"]
    assert "no such file" in cli("data", "cat", "files:in").err
    assert cli("data", "delete", "files").code == 0
    assert "no volume files" in cli("data", "ls", "files").err
    listed = json.loads(cli("data", "list", "-o", "json").out)
    assert "files" not in [item["metadata"]["name"] for item in listed["items"]]


def test_a_link_that_a_job_left_leads_nowhere_else(shared_server):
    assert shared_server.cli("data", "create", "trap").code == 0
    host = shared_server.folder / "host.txt"
    host.write_text("untouched")
    shared_server.create(with_volume(pod("traps", f"ln -s /etc /volume/etc; ln -s {host} /volume/new.txt; mkfifo /volume/pipe"), "trap"))
    shared_server.wait_phase("traps", "Succeeded", "pod")
    for words in [["cat", "trap:etc/passwd"], ["cat", "trap:../../x"], ["ls", "trap:etc"]]:
        refused = shared_server.cli("data", *words)
        assert refused.code == 1 and "leads out of its volume" in refused.err, repr(refused)
    assert "is no file" in shared_server.cli("data", "cat", "trap:pipe").err, "nobody waits for a pipe"
    (shared_server.folder / "new.txt").write_text("new")
    assert shared_server.cli("data", "cp", shared_server.folder / "new.txt", "trap:").code == 0
    assert host.read_text() == "untouched" and shared_server.cli("data", "cat", "trap:new.txt").out == "new"
    assert shared_server.cli("data", "rm", "trap:etc").code == 0, "the link goes, not what it leads to"
    assert os.path.exists("/etc/passwd")


def test_a_deleted_volume_leaves_a_folder_of_the_users_alone(shared_server):
    folder = shared_server.folder / "precious"
    folder.mkdir()
    (folder / "file").write_text("kept")
    assert shared_server.cli("data", "create", "precious", "--path", folder).code == 0
    assert shared_server.cli("data", "ls", "precious").out.split() == ["NAME", "BYTES", "file", "4"]
    assert shared_server.cli("data", "delete", "precious").code == 0
    wait_for("the volume to go", lambda: "precious" not in shared_server.kubectl("get", "pv", "-o", "name") and "no volume" in
             shared_server.cli("data", "ls", "precious").err)
    assert (folder / "file").read_text() == "kept"
