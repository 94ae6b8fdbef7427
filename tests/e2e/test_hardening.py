"""What a second look found, each with the test that would have found it first."""

import json
import os
import tempfile
import time
from pathlib import Path

import pytest
from harness import wait_for
from jobs import job, pod, replicas, shell_job, with_volume


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def server_pid(server):
    return json.loads(server.cli("status", "-o", "json").out)["pid"]


def test_waiting_for_a_stubborn_pod_costs_nothing(server):
    server.create(pod("stubborn", "trap '' TERM; echo ready; while :; do sleep 1; done", grace=60))
    wait_for("the trap", lambda: server.get("pod", "stubborn")["status"]["phase"] == "Running"
             and "ready" in server.kubectl("logs", "stubborn"))
    server.kubectl("delete", "pod", "stubborn", "--wait=false")
    pid = server_pid(server)
    before = cpu_seconds(pid)
    time.sleep(1.5)  # the time in which it must do nothing
    assert cpu_seconds(pid) - before < 0.3
    server.kubectl("delete", "pod", "stubborn", "--grace-period=0", "--force", "--timeout=20s")


def test_a_pod_that_waits_for_its_restart_can_be_deleted_at_once(server):
    looping = pod("looping", "exit 1")
    looping["spec"]["restartPolicy"] = "Always"
    server.create(looping)
    wait_for("its end", lambda: server.get("pod", "looping")["status"]
             .get("containerStatuses", [{}])[0].get("lastState", {}).get("terminated"))
    began = time.monotonic()
    server.kubectl("delete", "pod", "looping", "--timeout=20s")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("spoil, message", [
    (lambda spec: spec.update(volumes=[{"name": "../../..", "emptyDir": {}}]), "volumes[0].name"),
    (lambda spec: spec.update(initContainers=[dict(spec["containers"][0])]), "initContainers[0].name"),
    (lambda spec: spec.update(hostname="a\nb"), "hostname"),
    (lambda spec: spec.update(terminationGracePeriodSeconds=2**40), "terminationGracePeriodSeconds"),
], ids=["volume name that leads out", "init container of the same name", "host name of two lines",
        "endless grace"])
def test_pods_that_would_do_harm_are_refused(shared_server, spoil, message):
    made = pod("harm", "exit 0")
    spoil(made["spec"])
    refused = shared_server.try_kubectl("create", "-f", "-", input=json.dumps(made)).err
    assert message in refused, refused


def test_more_replicas_than_anybody_has_are_refused(shared_server):
    for made in (job("many", replicas("exit 0", count=2_000_000_000)),
                 job("many", replicas("exit 0", "a", 9000), replicas("exit 0", "b", 9000))):
        refused = shared_server.try_kubectl("create", "-f", "-", input=json.dumps(made)).err
        assert "spec.replicaSpecs" in refused, refused


def test_what_a_jobs_pods_are_found_by_cannot_be_changed(server):
    server.create(shell_job("fixed", "sleep 60", count=2))
    server.wait_phase("fixed", "Running")
    change = '[{"op":"replace","path":"/spec/replicaSpecs/0/replicas","value":1}]'
    refused = server.try_kubectl("patch", "pj", "fixed", "--type=json", "-p", change).err
    assert "spec.replicaSpecs" in refused and "cannot be changed" in refused, refused


def test_a_link_in_a_volume_does_not_lead_out_of_it(server, tmp_path):
    (tmp_path / "link").symlink_to("/etc")
    server.cli("data", "create", "linked", "--path", str(tmp_path))
    made = with_volume(pod("escape", "cat /volume/passwd"), "linked")
    made["spec"]["containers"][0]["volumeMounts"][0]["subPath"] = "link"
    server.create(made)
    wait_for("the refusal", lambda: "leads out of its volume" in json.dumps(server.get("pod", "escape")["status"]))


def test_the_keys_of_the_servers_user_are_out_of_sight(server):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as home:  # a pod's /tmp is its own anyway
        keys = Path(home, ".ssh")
        keys.mkdir()
        (keys / "id_ed25519").write_text("private")
        Path(home, "notes").write_text("seen\n")
        server.kill()
        server.env["HOME"] = home
        server.up()
        server.create(pod("spy", f"exec 2>&1; cat ~/notes; ls -A {keys}; cat /proc/1/root{keys}/id_ed25519; cat {keys}/id_ed25519; echo end"))
        server.wait_phase("spy", "Succeeded", "pod")
        said = server.kubectl("logs", "spy")
        assert said.startswith("seen\n") and said.endswith("end\n") and "private" not in said, said
        assert "id_ed25519" not in said.splitlines(), said
        assert (keys / "id_ed25519").read_text() == "private"


def test_the_default_namespace_stays(shared_server):
    refused = shared_server.try_kubectl("delete", "namespace", "default").err
    assert "may not be deleted" in refused, refused
