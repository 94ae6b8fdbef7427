"""kubectl delete: grace, cascades, selectors, finalizers, whole namespaces."""

import json
import time

import pytest
from harness import wait_for
from jobs import config_map, pod, shell_job
from objects import deployment, labelled, make, namespace, secret
from wire import Wire

MAPS = "/api/v1/namespaces/default/configmaps"


def owned(name, owner, block=None, api="v1"):
    """A config map that belongs to another object."""
    made = config_map(name)
    reference = {"apiVersion": api, "kind": owner["kind"], "name": owner["metadata"]["name"],
                 "uid": owner["metadata"]["uid"]}
    if block is not None:
        reference["blockOwnerDeletion"] = block
    made["metadata"]["ownerReferences"] = [reference]
    return made


# ---- how -----------------------------------------------------------------------------------------


def test_delete_says_what_and_fails_for_what_is_not_there(shared_server):
    shared_server.create(config_map("once"))
    assert shared_server.kubectl("delete", "configmap", "once").startswith('configmap "once" deleted')
    missing = shared_server.try_kubectl("delete", "configmap", "once")
    assert missing.code == 1 and 'configmaps "once" not found' in missing.err, repr(missing)
    quiet = shared_server.try_kubectl("delete", "configmap", "once", "--ignore-not-found")
    assert quiet.code == 0, repr(quiet)


def test_delete_by_label_by_file_and_all(shared_server):
    shared_server.create(namespace("swept"))
    for name in ["a", "b", "c"]:
        make(shared_server, labelled(secret(name, x="1"), keep="yes" if name == "c" else "no"), "-n", "swept")
    said = shared_server.kubectl("delete", "secret", "-n", "swept", "-l", "keep=no")
    assert said.count("deleted") == 2
    left = lambda: {made["metadata"]["name"] for made in shared_server.list("secrets", "-n", "swept")}  # noqa: E731
    assert left() & {"a", "b", "c"} == {"c"}
    shared_server.kubectl("delete", "-n", "swept", "-f", "-", input=json.dumps(secret("c")))
    assert not left() & {"a", "b", "c"}
    make(shared_server, secret("d", x="1"), "-n", "swept")
    shared_server.kubectl("delete", "secret", "--all", "-n", "swept")
    assert not left()


def test_grace_period_is_honoured(server):
    script = "trap 'echo asked; sleep 100' TERM; echo ready; while :; do sleep 0.05; done"
    server.create(pod("slow", script, grace=600))
    wait_for("it", lambda: "ready" in server.try_kubectl("logs", "slow").out)
    began = time.monotonic()
    server.kubectl("delete", "pod", "slow", "--grace-period=2", "--timeout=30s")
    took = time.monotonic() - began
    assert 1.5 < took < 10, f"{took:.1f} s"


def test_force_ends_at_once(server):
    server.create(pod("stuck", "trap '' TERM; echo ready; while :; do sleep 0.05; done", grace=600))
    wait_for("it", lambda: "ready" in server.try_kubectl("logs", "stuck").out)
    server.kubectl("delete", "pod", "stuck", "--wait=false")
    going = server.get("pod", "stuck")["metadata"]
    assert going["deletionGracePeriodSeconds"] == 600 and going["deletionTimestamp"]
    done = server.try_kubectl("delete", "pod", "stuck", "--grace-period=0", "--force", "--timeout=20s")
    assert done.code == 0 and 'pod "stuck" force deleted' in done.out, repr(done)
    assert "Warning: Immediate deletion does not wait" in done.err, repr(done)
    assert server.get("pod", "stuck") is None


def test_now_is_a_grace_of_one_second(server):
    server.create(pod("prompt", "trap '' TERM; echo ready; while :; do sleep 0.05; done", grace=600))
    wait_for("it", lambda: "ready" in server.try_kubectl("logs", "prompt").out)
    server.kubectl("delete", "pod", "prompt", "--now", "--timeout=20s")
    assert server.get("pod", "prompt") is None


def test_preconditions(shared_server):
    made = shared_server.create(config_map("guarded"))["metadata"]
    wire = Wire(shared_server)
    wrong = {"uid": "00000000-0000-0000-0000-000000000000"}
    for precondition in [wrong, {"resourceVersion": "1"}]:
        answer = wire.ask("DELETE", f"{MAPS}/guarded", {"preconditions": precondition})
        assert answer.code == 409 and answer.json["reason"] == "Conflict", repr(answer)
    answer = wire.ask("DELETE", f"{MAPS}/guarded", {"preconditions": {
        "uid": made["uid"], "resourceVersion": made["resourceVersion"]}})
    assert answer.code == 200 and answer.json["status"] == "Success", repr(answer)
    told = {key: value for key, value in answer.json["details"].items() if value}
    assert told == {"name": "guarded", "kind": "configmaps", "uid": made["uid"]}


def test_delete_options_that_are_none(shared_server):
    shared_server.create(config_map("opted"))
    wire = Wire(shared_server)
    answer = wire.ask("DELETE", f"{MAPS}/opted", {"propagationPolicy": "Sideways"})
    assert answer.code == 422 and "propagationPolicy" in answer.message, repr(answer)
    assert wire.ask("DELETE", f"{MAPS}/opted", None, {"propagationPolicy": "Background"}).code == 200


def test_two_ways_of_saying_what_happens_to_children(shared_server):
    shared_server.create(config_map("twofold"))
    answer = Wire(shared_server).ask("DELETE", f"{MAPS}/twofold", {
        "propagationPolicy": "Orphan", "orphanDependents": True})
    assert answer.code == 422 and "cannot be both set" in answer.message, repr(answer)


# ---- cascades ------------------------------------------------------------------------------------


def test_background_and_orphan_and_foreground_of_simple_owners(shared_server):
    create = shared_server.create
    for policy in ["background", "orphan", "foreground"]:
        owner = create(config_map(f"owner-{policy}"))
        create(owned(f"child-{policy}", owner, block=True))
        shared_server.kubectl("delete", "configmap", f"owner-{policy}", f"--cascade={policy}", "--timeout=20s")
        assert shared_server.get("configmap", f"owner-{policy}") is None
    wait_for("the children", lambda: not shared_server.get("configmap", "child-background"))
    assert shared_server.get("configmap", "child-foreground") is None
    time.sleep(0.5)
    orphan = shared_server.get("configmap", "child-orphan")
    assert orphan and "ownerReferences" not in orphan["metadata"], orphan


def test_foreground_waits_for_the_children(shared_server):
    owner = shared_server.create(config_map("patient"))
    child = owned("tarries", owner, block=True)
    child["metadata"]["finalizers"] = ["example.com/hold"]
    shared_server.create(child)
    shared_server.kubectl("delete", "configmap", "patient", "--cascade=foreground", "--wait=false")
    wait_for("the child to be asked", lambda: "deletionTimestamp" in
             shared_server.get("configmap", "tarries")["metadata"])
    waiting = shared_server.get("configmap", "patient")
    assert waiting["metadata"]["finalizers"] == ["foregroundDeletion"]
    shared_server.kubectl("patch", "configmap", "tarries", "-p", '{"metadata":{"finalizers":null}}')
    shared_server.kubectl("wait", "configmap/patient", "--for=delete", "--timeout=20s")


def test_a_child_of_two_owners_stays_with_the_second(shared_server):
    first, second = (shared_server.create(config_map(name)) for name in ["first", "second"])
    child = owned("shared-child", first)
    child["metadata"]["ownerReferences"] += owned("x", second)["metadata"]["ownerReferences"]
    shared_server.create(child)
    shared_server.kubectl("delete", "configmap", "first")
    wait_for("one owner to be gone", lambda: [
        owner["name"] for owner in shared_server.get("configmap", "shared-child")["metadata"]["ownerReferences"]
    ] == ["second"])
    shared_server.kubectl("delete", "configmap", "second")
    wait_for("the end", lambda: not shared_server.get("configmap", "shared-child"))


def test_a_child_of_an_owner_that_never_was_is_collected(shared_server):
    ghost = {"kind": "ConfigMap", "metadata": {"name": "ghost", "uid": "11111111-2222-3333-4444-555555555555"}}
    shared_server.create(owned("haunted", ghost))
    wait_for("its end", lambda: not shared_server.get("configmap", "haunted"))


@pytest.mark.parametrize("policy", ["background", "foreground", "orphan"])
def test_cascades_of_a_deployment(server, policy):
    server.create(deployment("web", replicas=1))
    server.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    server.kubectl("delete", "deployment", "web", f"--cascade={policy}", "--timeout=30s")
    if policy == "foreground":
        assert server.list("rs,pods") == [], "all gone before the owner"
    elif policy == "background":
        wait_for("the pods to go", lambda: server.list("rs,pods") == [])
    else:
        time.sleep(1)
        [left] = server.list("rs")
        assert "ownerReferences" not in left["metadata"]
        [running] = server.list("pods")
        assert running["metadata"]["ownerReferences"][0]["uid"] == left["metadata"]["uid"]
        assert running["status"]["phase"] == "Running"


# ---- finalizers ----------------------------------------------------------------------------------


def test_a_finalizer_holds_an_object_until_it_is_removed(shared_server):
    made = config_map("held", a="1")
    made["metadata"]["finalizers"] = ["example.com/hold"]
    shared_server.create(made)
    late = shared_server.try_kubectl("delete", "configmap", "held", "--timeout=300ms")
    assert late.code == 1 and "timed out" in late.err, repr(late)
    held = shared_server.get("configmap", "held")["metadata"]
    assert held["deletionTimestamp"] and held["finalizers"] == ["example.com/hold"]
    again = shared_server.try_kubectl("create", "-f", "-", input=json.dumps(config_map("held")))
    assert "AlreadyExists" in again.err and "object is being deleted" in again.err, repr(again)
    wire = Wire(shared_server)
    patch = lambda body: wire.ask("PATCH", f"{MAPS}/held", body,  # noqa: E731
                                  Content_Type="application/merge-patch+json")
    refused = patch({"metadata": {"finalizers": ["example.com/hold", "example.com/more"]}})
    assert refused.code == 422, repr(refused)
    assert "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted" \
        in refused.message
    assert patch({"data": {"a": "2"}}).code == 200, "it can still be changed"
    assert patch({"metadata": {"deletionTimestamp": None}}).json["metadata"]["deletionTimestamp"]
    assert patch({"metadata": {"finalizers": []}}).code == 200
    assert shared_server.get("configmap", "held") is None


def test_a_finalizer_needs_a_qualified_name(shared_server):
    made = config_map("misheld")
    made["metadata"]["finalizers"] = ["hold"]
    refused = shared_server.try_kubectl("create", "-f", "-", input=json.dumps(made))
    assert refused.code == 1 and "metadata.finalizers" in refused.err, repr(refused)


# ---- namespaces ----------------------------------------------------------------------------------


def test_deleting_a_namespace_removes_everything_in_it(server):
    server.create(namespace("doomed"))
    kinds = "configmaps,secrets,pods,deployments,replicasets,services,serviceaccounts,roles,rolebindings," \
            "persistentvolumeclaims,resourcequotas,leases,pytorchtrainingjobs,podgroups,events"
    for made in [config_map("x"), secret("x", a="1"), shell_job("x", "sleep 600"), deployment("x", replicas=1)]:
        make(server, made, "-n", "doomed")
    server.kubectl("create", "role", "x", "--verb=get", "--resource=pods", "-n", "doomed")
    server.kubectl("create", "rolebinding", "x", "--role=x", "--user=jo", "-n", "doomed")
    server.kubectl("create", "quota", "x", "--hard=pods=10", "-n", "doomed")
    wait_for("pods", lambda: len(server.list("pods", "-n", "doomed")) == 2)
    said = server.kubectl("delete", "namespace", "doomed", "--timeout=50s")
    assert said == 'namespace "doomed" deleted\n'
    assert server.get("namespace", "doomed") is None
    assert server.list(kinds, "-n", "doomed") == []
    server.create(namespace("doomed"))
    assert not [made for made in server.list(kinds, "-n", "doomed") if made["metadata"]["name"] == "x"]


def test_a_namespace_that_ends_takes_nothing_new_and_says_what_it_waits_for(shared_server):
    shared_server.create(namespace("ending"))
    held = config_map("held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    make(shared_server, held, "-n", "ending")
    shared_server.kubectl("delete", "namespace", "ending", "--wait=false")
    wait_for("it to end", lambda: shared_server.get("namespace", "ending")["status"]["phase"] == "Terminating")
    refused = shared_server.try_kubectl("create", "configmap", "late", "-n", "ending")
    assert refused.code == 1, repr(refused)
    assert 'configmaps "late" is forbidden: unable to create new content in namespace ending because it is ' \
           "being terminated" in refused.err, repr(refused)
    told = wait_for("conditions", lambda: {c["type"]: c for c in shared_server.get(
        "namespace", "ending")["status"].get("conditions", [])}.get("NamespaceFinalizersRemaining"))
    assert told["status"] == "True" and "example.com/hold" in told["message"], told
    shared_server.kubectl("patch", "configmap", "held", "-n", "ending", "-p", '{"metadata":{"finalizers":null}}')
    shared_server.kubectl("wait", "namespace/ending", "--for=delete", "--timeout=30s")


@pytest.mark.parametrize("name", ["default", "kube-system"])
def test_some_namespaces_stay(shared_server, name):
    refused = shared_server.try_kubectl("delete", "namespace", name)
    assert refused.code == 1 and f'namespaces "{name}" is forbidden' in refused.err, repr(refused)
    assert "this namespace may not be deleted" in refused.err, repr(refused)
