"""Volumes of pods that are no claims: ConfigMaps, Secrets, tokens, what a pod knows of itself, and folders."""

import json
import os

import pytest
from harness import KUBECTL, wait_for
from jobs import config_map, mounting, pod
from objects import namespace, secret
from people import claims

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


def output(server, made):
    server.create(made)
    name = made["metadata"]["name"]
    server.wait_phase(name, "Succeeded", "pod")
    return server.kubectl("logs", name)


def file_of(server, name, path):
    """A file of a volume of the pod, as the machine has it."""
    return server.data / "pods" / server.get("pod", name)["metadata"]["uid"] / "volumes" / path


# ---- the service account -------------------------------------------------------------------------


def test_the_token_is_bound_to_the_pod(shared_server):
    text = output(shared_server, pod("bound", f"cd {ACCOUNT}; ls; cat namespace; echo; cat token"))
    *names, token = text.split()
    assert names == ["ca.crt", "namespace", "token", "default"]
    told = claims(token)
    assert told["sub"] == "system:serviceaccount:default:default"
    assert told["kubernetes.io"]["pod"]["name"] == "bound"
    assert 3600 <= told["exp"] - told["iat"] <= 3700
    assert not os.path.exists(ACCOUNT), "nothing of it is on the host"


def test_kubectl_in_a_pod_needs_no_configuration(shared_server):
    made = pod("incluster", f"unset KUBECONFIG; {KUBECTL} auth whoami -o jsonpath={{.status.userInfo.username}}")
    assert output(shared_server, made) == "system:serviceaccount:default:default"


@pytest.mark.parametrize("where", ["pod", "account", "pod-over-account"])
def test_a_token_that_is_not_wanted(shared_server, where):
    name = f"tokenless-{where}"
    made = pod(name, f"[ -e {ACCOUNT}/token ] && echo given || echo none")
    if where != "pod":
        shared_server.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name},
                              "automountServiceAccountToken": False})
        made["spec"]["serviceAccountName"] = name
    if where != "account":
        made["spec"]["automountServiceAccountToken"] = where == "pod-over-account"
    assert output(shared_server, made) == ("given\n" if where == "pod-over-account" else "none\n")


def test_the_first_pod_of_a_namespace_gets_its_token(shared_server):
    shared_server.create(namespace("fresh"))
    made = pod("first", f"cat {ACCOUNT}/namespace")
    made["metadata"]["namespace"] = "fresh"
    shared_server.create(made)
    wait_for("its end", lambda: shared_server.kubectl(
        "get", "pod", "first", "-n", "fresh", "-o", "jsonpath={.status.phase}") == "Succeeded")
    assert shared_server.kubectl("logs", "first", "-n", "fresh") == "fresh"


# ---- ConfigMaps and Secrets ----------------------------------------------------------------------


def test_config_maps_and_secrets_as_files(shared_server):
    shared_server.create(config_map("settings", **{"a.ini": "x=1", "b.ini": "y=2"}))
    shared_server.create(secret("keys", password="hush"))
    made = pod("files", "cat /v/a.ini /v/b.ini /w/deep/p; stat -L -c ' %a' /w/deep/p; touch /v/new 2>/dev/null || echo refused")
    mounting(made, {"configMap": {"name": "settings"}})
    mounting(made, {"secret": {"secretName": "keys", "items": [{"key": "password", "path": "deep/p", "mode": 0o400}]}}, "/w")
    assert output(shared_server, made).replace("\n", "") == "x=1y=2hush 400refused"


def test_one_key_at_a_place_by_sub_path(shared_server):
    shared_server.create(config_map("single", **{"train.yaml": "lr: 1"}))
    made = mounting(pod("onekey", "cat /etc/train.yaml; ls /etc/passwd"), {"configMap": {"name": "single"}},
                    "/etc/train.yaml", subPath="train.yaml")
    assert output(shared_server, made) == "lr: 1/etc/passwd\n"


@pytest.mark.parametrize("source,missing,create", [
    ({"configMap": {"name": "late"}}, 'configmap "late" not found', config_map("late", file="there")),
    ({"secret": {"secretName": "late"}}, 'secret "late" not found', secret("late", file="there"))])
def test_a_pod_waits_for_what_is_missing_and_goes_on(shared_server, source, missing, create):
    name = "waits-" + create["kind"].lower()
    shared_server.create(mounting(pod(name, "cat /v/file"), source))
    words = f'MountVolume.SetUp failed for volume "v0" : {missing}'
    wait_for("the event", lambda: ("FailedMount", words) in shared_server.events(name))
    status = shared_server.get("pod", name)["status"]
    assert status["phase"] == "Pending"
    assert status["containerStatuses"][0]["state"]["waiting"]["reason"] == "ContainerCreating"
    shared_server.create(create)
    shared_server.wait_phase(name, "Succeeded", "pod")
    assert shared_server.kubectl("logs", name) == "there"


def test_a_key_that_a_read_only_volume_lacks_is_waited_for(shared_server):
    shared_server.create(config_map("lacking", other="1"))
    shared_server.create(mounting(pod("lacks", "cat /v"), {"configMap": {"name": "lacking"}}, subPath="file"))
    wait_for("the reason", lambda: "the subPath file does not exist" in json.dumps(shared_server.get("pod", "lacks")["status"]))
    shared_server.kubectl("patch", "configmap", "lacking", "-p", json.dumps({"data": {"file": "there"}}))
    shared_server.wait_phase("lacks", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "lacks") == "there"


def test_what_is_optional_may_be_missing(shared_server):
    made = mounting(pod("optional", "ls /v | wc -l"), {"configMap": {"name": "nobody", "optional": True}})
    assert output(shared_server, made).strip() == "0"


def test_a_change_reaches_a_running_pod_all_at_once(shared_server):
    shared_server.create(config_map("live", a="1", b="1"))
    script = "until [ $(cat /v/a) = 2 ]; do [ \"$(cd -P /v/..data; cat a b 2>/dev/null)\" != 12 ] || exit 3; done; cat /v/b /v/c; ls /v"
    shared_server.create(mounting(pod("watches", script), {"configMap": {"name": "live"}}))
    shared_server.wait_phase("watches", "Running", "pod")
    changed = config_map("live", a="2", b="2", c="new")
    shared_server.kubectl("replace", "-f", "-", input=json.dumps(changed))
    shared_server.wait_phase("watches", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "watches") == "2newa\nb\nc\n"


def test_files_follow_also_after_a_restart_of_the_server(server):
    server.create(config_map("live", a="1"))
    script = f"until [ $(cat /v/a) = 2 ]; do sleep 0.1; done; cat {ACCOUNT}/token"
    server.create(mounting(pod("survives", script), {"configMap": {"name": "live"}}))
    server.wait_phase("survives", "Running", "pod")
    before = file_of(server, "survives", ".kube-api-access/token").read_text()
    server.kill()
    server.up()
    server.kubectl("replace", "-f", "-", input=json.dumps(config_map("live", a="2")))
    server.wait_phase("survives", "Succeeded", "pod")
    assert claims(server.kubectl("logs", "survives"))["iat"] >= claims(before)["iat"]


# ---- what a pod knows of itself ------------------------------------------------------------------


def test_labels_as_a_file_follow_the_pod(shared_server):
    made = mounting(pod("downward", "until grep -q done /v/labels; do sleep 0.05; done; cat /v/labels /v/name"),
                    {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
                                               {"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}})
    made["metadata"]["labels"] = {"stage": "begun"}
    shared_server.create(made)
    shared_server.wait_phase("downward", "Running", "pod")
    shared_server.kubectl("label", "pod", "downward", "stage=done", "--overwrite")
    shared_server.wait_phase("downward", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "downward") == 'stage="done"downward'


def test_a_token_for_somebody_else(shared_server):
    made = mounting(pod("audience", "cat /v/t"), {"projected": {"sources": [
        {"serviceAccountToken": {"path": "t", "audience": "vault", "expirationSeconds": 7200}}]}})
    told = claims(output(shared_server, made))
    assert told["aud"] == ["vault"] and told["exp"] - told["iat"] == 7200


# ---- folders -------------------------------------------------------------------------------------


def test_containers_share_an_empty_folder(shared_server):
    made = mounting(pod("shares", "cat /v/run-7/file"), {"emptyDir": {}})
    made["spec"]["initContainers"] = [{
        "name": "fill", "image": "host", "command": ["sh", "-c", "echo filled > /v/file"], "env": [{"name": "RUN", "value": "7"}],
        "volumeMounts": [{"name": "v0", "mountPath": "/v", "subPathExpr": "run-$(RUN)"}]}]
    assert output(shared_server, made) == "filled\n"


def test_a_folder_in_memory_is_as_large_as_it_may_be(shared_server):
    made = mounting(pod("inmemory", "df -k --output=size,fstype /v | tail -1"), {"emptyDir": {"medium": "Memory", "sizeLimit": "8Mi"}})
    assert output(shared_server, made).split() == ["8192", "tmpfs"]


def test_containers_share_a_folder_in_memory(shared_server):
    made = mounting(pod("sharemem", "until [ -s /v/from-other ]; do sleep 0.05; done; cat /v/from-init /v/from-other; exec sleep 600", grace=0),
                    {"emptyDir": {"medium": "Memory", "sizeLimit": "4Mi"}})
    other = {"image": "host", "volumeMounts": [{"name": "v0", "mountPath": "/w"}]}
    made["spec"]["initContainers"] = [{"name": "first", "command": ["sh", "-c", "echo init > /w/from-init"], **other}]
    made["spec"]["containers"].append({"name": "other", "command": ["sh", "-c", "echo other > /w/from-other; dd if=/dev/zero of=/w/big bs=1M count=8 2>&1 | tail -1"], **other})
    shared_server.create(made)
    wait_for("what the others wrote", lambda: shared_server.try_kubectl("logs", "sharemem", "-c", "main").out == "init\nother\n")
    folder = file_of(shared_server, "sharemem", "v0")
    assert f" {folder} " in open("/proc/self/mountinfo").read()
    assert os.statvfs(folder).f_blocks * os.statvfs(folder).f_frsize == 4 << 20, "no more fits, whoever writes"
    shared_server.kubectl("delete", "pod", "sharemem")
    wait_for("its folder to go", lambda: not folder.parent.parent.exists())
    assert str(folder) not in open("/proc/self/mountinfo").read()


def test_a_host_path_must_be_what_it_says(shared_server):
    folder = shared_server.folder / "host"
    made = mounting(pod("typed", "cat /v/file"), {"hostPath": {"path": str(folder), "type": "Directory"}})
    shared_server.create(made)
    words = f'MountVolume.SetUp failed for volume "v0" : hostPath type check failed: {folder} is not a directory'
    wait_for("the event", lambda: ("FailedMount", words) in shared_server.events("typed"))
    folder.mkdir()
    (folder / "file").write_text("found")
    shared_server.wait_phase("typed", "Succeeded", "pod")
    made = mounting(pod("made", "echo x > /v/file"), {"hostPath": {"path": str(folder / "new"), "type": "DirectoryOrCreate"}})
    output(shared_server, made)
    assert (folder / "new/file").read_text() == "x\n"


def test_a_host_path_of_no_type_is_made(shared_server):
    folder = shared_server.folder / "untyped/deep"
    output(shared_server, mounting(pod("untyped", "echo x > /v/file"), {"hostPath": {"path": str(folder)}}))
    assert (folder / "file").read_text() == "x\n"
    assert folder.stat().st_mode & 0o777 == 0o755 and folder.stat().st_uid == os.getuid()


def started(server, name):
    return "Started" in dict(server.events(name))


def test_what_cannot_be_mounted_is_told_and_has_not_started(shared_server):
    file = shared_server.folder / "plain"
    file.write_text("x")
    shared_server.create(mounting(pod("below-a-file", "true"), {"hostPath": {"path": f"{file}/deep"}}))
    shared_server.wait_event("below-a-file", "FailedMount", 'MountVolume.SetUp failed for volume "v0"')
    folder = shared_server.folder / "brief"
    folder.mkdir()
    assert shared_server.cli("data", "create", "brief", "--path", folder).code == 0
    folder.rmdir()
    shared_server.create(mounting(pod("gone", "true"), {"persistentVolumeClaim": {"claimName": "brief"}}))
    shared_server.wait_event("gone", "FailedMount", f"{folder} does not exist on this machine")
    folder.mkdir()
    shared_server.wait_phase("gone", "Succeeded", "pod")
    # What only the container's supervisor finds out.
    shared_server.create(mounting(pod("over-a-file", "true"), {"hostPath": {"path": str(folder)}}, "/etc/passwd"))
    shared_server.wait_phase("over-a-file", "Failed", "pod")
    shared_server.wait_event("over-a-file", "FailedMount", "mountPath /etc/passwd is not")
    shared_server.create(pod("no-program", "", command=["/no/such/program"]))
    shared_server.wait_phase("no-program", "Failed", "pod")
    shared_server.wait_event("no-program", "Failed", "/no/such/program")
    assert not any(started(shared_server, name) for name in ["below-a-file", "over-a-file", "no-program"])
    assert started(shared_server, "gone")
    for name in ["below-a-file", "over-a-file", "no-program"]:
        shared_server.kubectl("delete", "pod", name)


def test_another_pods_token_is_out_of_reach(shared_server):
    shared_server.create(pod("holder", "exec sleep 600", grace=0))
    shared_server.wait_phase("holder", "Running", "pod")
    token = file_of(shared_server, "holder", ".kube-api-access/token")
    assert token.read_text()
    said = output(shared_server, pod("thief", f"exec 2>&1; cat {token}; ls -A {shared_server.data}; find {shared_server.data} /tmp /run /var -xdev -name .kube-api-access; echo end"))
    assert said.endswith("end\n") and token.read_text() not in said, said
    # Those of another server on this machine, such as its owner's own, are not this one's to hide.
    own = shared_server.get("pod", "holder")["metadata"]["uid"]
    assert not [line for line in said.splitlines() if own in line and line.endswith(".kube-api-access")], said
    shared_server.kubectl("delete", "pod", "holder")


def test_nothing_stays_when_the_pod_goes(shared_server):
    shared_server.create(secret("brief", key="hush"))
    shared_server.create(mounting(pod("leaves", "exec sleep 600", grace=0), {"secret": {"secretName": "brief"}}))
    shared_server.wait_phase("leaves", "Running", "pod")
    file = file_of(shared_server, "leaves", "v0/key")
    assert file.read_text() == "hush"
    assert file.parent.parent.stat().st_mode & 0o777 == 0o700
    shared_server.kubectl("delete", "pod", "leaves")
    wait_for("its folder to go", lambda: not file.parent.parent.parent.exists())
