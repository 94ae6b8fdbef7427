"""Bad input: a clear error with the field path, and nothing stored."""

import copy
import json

import pytest
from jobs import job, pod, replicas, shell_job

GOOD = job("bad", replicas("exit 0"), torchrunConfig={"enabled": False})
CONTAINER = "spec.replicaSpecs[0].template.spec.containers[0]"


def changed(change):
    """GOOD, with a part of it spoilt."""
    made = copy.deepcopy(GOOD)
    change(made["spec"], made["spec"]["replicaSpecs"][0],
           made["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0])
    return made


def put(target, key, value):
    target[key] = value


def resources(requests, limits):
    return {"requests": requests, "limits": limits}


CASES = {  # what is wrong: (the change, what the message must contain)
    "negative replicas": (lambda s, g, c: put(g, "replicas", -1),
                          ["spec.replicaSpecs[0].replicas", "-1"]),
    "no replicas at all": (lambda s, g, c: put(g, "replicas", 0), ["spec.replicaSpecs", "0"]),
    "replicas as text": (lambda s, g, c: put(g, "replicas", "two"),
                         ["spec.replicaSpecs[0].replicas", "two", "integer"]),
    "replicas as fraction": (lambda s, g, c: put(g, "replicas", 1.5),
                             ["spec.replicaSpecs[0].replicas", "1.5"]),
    "the same type twice": (lambda s, g, c: s["replicaSpecs"].append(copy.deepcopy(g)),
                            ["spec.replicaSpecs[1]", "Duplicate", "worker"]),
    "type that is no name": (lambda s, g, c: put(g, "type", "Worker!"),
                             ["spec.replicaSpecs[0].type", "Worker!"]),
    "no type": (lambda s, g, c: g.pop("type"), ["spec.replicaSpecs[0].type", "Required"]),
    "no template": (lambda s, g, c: g.pop("template"), ["spec.replicaSpecs[0].template", "Required"]),
    "no containers": (lambda s, g, c: put(g["template"]["spec"], "containers", []),
                      ["spec.replicaSpecs[0].template.spec.containers"]),
    "no replicaSpecs": (lambda s, g, c: s.pop("replicaSpecs"), ["spec.replicaSpecs", "Required"]),
    "empty replicaSpecs": (lambda s, g, c: put(s, "replicaSpecs", []), ["spec.replicaSpecs"]),
    "replicaSpecs as object": (lambda s, g, c: put(s, "replicaSpecs", {"worker": {}}),
                               ["spec.replicaSpecs", "array"]),
    "unknown restart policy": (lambda s, g, c: put(g, "restartPolicy", "Sometimes"),
                               ["spec.replicaSpecs[0].restartPolicy", "Sometimes", "OnFailure"]),
    "torchrun without args": (lambda s, g, c: put(s, "torchrunConfig", {"enabled": True}),
                              [f"{CONTAINER}.args", "Required"]),
    "procPerNode of zero": (
        lambda s, g, c: (put(s, "torchrunConfig", {"enabled": True, "procPerNode": "0"}),
                         put(c, "args", ["x.py"])), ["spec.torchrunConfig.procPerNode"]),
    "procPerNode without quotes": (
        lambda s, g, c: (put(s, "torchrunConfig", {"enabled": True, "procPerNode": 4}),
                         put(c, "args", ["x.py"])), ["spec.torchrunConfig.procPerNode", "string"]),
    "request above the limit": (
        lambda s, g, c: put(c, "resources", resources({"memory": "2Gi"}, {"memory": "1Gi"})),
        [f"{CONTAINER}.resources.requests", "2Gi", "1Gi"]),
    "no quantity": (lambda s, g, c: put(c, "resources", resources({"memory": "lots"}, {})),
                    [f"{CONTAINER}.resources.requests", "lots"]),
    "negative quantity": (lambda s, g, c: put(c, "resources", resources({"memory": "-1Gi"}, {})),
                          [f"{CONTAINER}.resources.requests", "-1Gi"]),
    "unknown field": (lambda s, g, c: put(s, "replicaSpec", []), ["spec.replicaSpec", "unknown field"]),
    "unknown field deep down": (lambda s, g, c: put(c, "comand", ["x"]),
                                [f"{CONTAINER}.comand", "unknown field"]),
    "mount of no volume": (
        lambda s, g, c: put(c, "volumeMounts", [{"name": "none", "mountPath": "/x"}]),
        [f"{CONTAINER}.volumeMounts[0].name", "none"]),
    "negative backoffLimit": (lambda s, g, c: put(s, "runPolicy", {"backoffLimit": -1}),
                              ["spec.runPolicy.backoffLimit", "-1"]),
    "deadline of zero": (lambda s, g, c: put(s, "runPolicy", {"activeDeadlineSeconds": 0}),
                         ["spec.runPolicy.activeDeadlineSeconds", "0"]),
    "unknown clean-up": (lambda s, g, c: put(s, "runPolicy", {"cleanUpPolicy": "Some"}),
                         ["spec.runPolicy.cleanUpPolicy", "Some", "Unfinished"]),
    "env without name": (lambda s, g, c: put(c, "env", [{"value": "x"}]), [f"{CONTAINER}.env[0].name"]),
}


@pytest.mark.parametrize("what", CASES)
def test_job_is_refused_with_the_field_path(shared_server, what):
    change, wanted = CASES[what]
    refused = shared_server.try_kubectl("create", "-f", "-", input=json.dumps(changed(change)))
    assert_nothing_stored(shared_server)
    assert refused.code != 0, repr(refused)
    for word in wanted:
        assert word in refused.err, repr(refused)


def assert_nothing_stored(server):
    stored = server.list("pj,pods,services,podgroups")
    server.kubectl("delete", "pj", "--all")  # for the next test's sake
    assert stored == []


@pytest.mark.parametrize("name,wanted", [
    ("x" * 60, "63 characters"), ("x" * 300, "metadata.name"), ("Upper", "metadata.name"),
    ("a_b", "metadata.name"), ("-a", "metadata.name"), ("", "name")])
def test_name_that_pods_cannot_carry(shared_server, name, wanted):
    refused = shared_server.try_kubectl("create", "-f", "-", input=json.dumps(shell_job(name, "exit")))
    assert refused.code != 0 and wanted in refused.err, repr(refused)
    assert_nothing_stored(shared_server)


def test_all_faults_are_named_at_once(shared_server):
    made = changed(lambda s, g, c: (put(g, "replicas", -1), put(g, "restartPolicy", "Sometimes")))
    refused = shared_server.try_kubectl("create", "-f", "-", input=json.dumps(made))
    assert "spec.replicaSpecs[0].replicas" in refused.err, repr(refused)
    assert "spec.replicaSpecs[0].restartPolicy" in refused.err, repr(refused)


def test_status_lists_the_causes(shared_server):
    body = json.dumps(changed(lambda s, g, c: put(g, "replicas", -1)))
    path = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs"
    code, status = shared_server.api(path, shared_server.token(), "POST", body)
    assert code == 422 and status["reason"] == "Invalid", status
    [cause] = status["details"]["causes"]
    assert cause["field"] == "spec.replicaSpecs[0].replicas" and cause["message"] and cause["reason"]


def test_unknown_fields_are_a_warning_where_validation_is_off(server):
    made = changed(lambda s, g, c: put(s, "colour", "red"))
    said = server.try_kubectl("create", "--validate=warn", "-f", "-", input=json.dumps(made))
    assert said.code == 0 and "spec.colour" in said.err, repr(said)
    assert "colour" not in server.get("pj", "bad")["spec"], "it is dropped"


def test_change_to_an_invalid_spec_leaves_the_old_one(server):
    server.create(shell_job("kept", "exit 0"))
    refused = server.try_kubectl("patch", "pj", "kept", "--type=merge", "-p",
                                 '{"spec":{"runPolicy":{"backoffLimit":-1}}}')
    assert refused.code != 0 and "spec.runPolicy.backoffLimit" in refused.err, repr(refused)
    assert server.get("pj", "kept")["spec"]["runPolicy"]["backoffLimit"] == 3


@pytest.mark.parametrize("change,wanted", [
    (lambda c: put(c, "resources", resources({"memory": "2Gi"}, {"memory": "1Gi"})),
     "spec.containers[0].resources.requests"),
    (lambda c: put(c, "volumeMounts", [{"name": "none", "mountPath": "/x"}]),
     "spec.containers[0].volumeMounts[0].name"),
    (lambda c: c.pop("name"), "spec.containers[0].name")])
def test_pod_is_refused_with_the_field_path(shared_server, change, wanted):
    made = pod("bad", "exit 0")
    change(made["spec"]["containers"][0])
    refused = shared_server.try_kubectl("create", "-f", "-", input=json.dumps(made))
    assert refused.code != 0 and wanted in refused.err, repr(refused)
    assert_nothing_stored(shared_server)


def test_spec_of_a_pod_cannot_be_changed(server):
    server.create(pod("fixed", "exit 0"))
    refused = server.try_kubectl("patch", "pod", "fixed", "-p",
                                 '{"spec":{"containers":[{"name":"main","command":["true"]}]}}')
    assert refused.code != 0 and "Forbidden" in refused.err, repr(refused)
