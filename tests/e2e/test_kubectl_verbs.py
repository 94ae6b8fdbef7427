"""kubectl's verbs on things that do not run."""

import json

import pytest
from jobs import config_map, pod, shell_job


def test_api_resources_lists_what_is_served(shared_server):
    lines = shared_server.kubectl("api-resources", "--no-headers").splitlines()
    kinds = {line.split()[-1] for line in lines}
    assert {"ConfigMap", "Event", "Namespace", "Node", "PersistentVolumeClaim", "Pod", "Service",
            "PyTorchTrainingJob", "PodGroup"} <= kinds
    job_line = next(line for line in lines if line.endswith("PyTorchTrainingJob"))
    assert job_line.split() == ["pytorchtrainingjobs", "pj", "batch.tensorstack.dev/v1beta1", "true",
                                "PyTorchTrainingJob"]


def test_explain_prints_real_text(shared_server):
    text = shared_server.kubectl("explain", "pytorchtrainingjob.spec.replicaSpecs")
    for wanted in ["PyTorchTrainingJob", "restartPolicy", "replicas", "template", "Ranks count"]:
        assert wanted in text, text
    text = shared_server.kubectl("explain", "pj.spec.torchrunConfig.procPerNode")
    assert "How many processes each pod runs" in text
    assert "containers" in shared_server.kubectl("explain", "pod.spec")
    missing = shared_server.try_kubectl("explain", "pj.spec.nonsense")
    assert missing.code != 0 and "nonsense" in missing.err, repr(missing)


def test_version_of_both_sides(shared_server):
    assert "serverVersion" in json.loads(shared_server.kubectl("version", "-o", "json"))


def test_applying_twice_changes_nothing_the_second_time(shared_server):
    text = json.dumps(config_map("applied", color="red"))
    apply = lambda text: shared_server.kubectl("apply", "-f", "-", input=text)  # noqa: E731
    assert apply(text) == "configmap/applied created\n"
    before = shared_server.get("configmap", "applied")
    assert apply(text) == "configmap/applied unchanged\n"
    assert shared_server.get("configmap", "applied") == before
    assert apply(text.replace("red", "blue")) == "configmap/applied configured\n"
    assert shared_server.get("configmap", "applied")["data"] == {"color": "blue"}
    assert apply(json.dumps(config_map("applied", size="9"))) == "configmap/applied configured\n"
    assert shared_server.get("configmap", "applied")["data"] == {"size": "9"}


def test_label_and_annotate(shared_server):
    shared_server.create(config_map("marked"))
    shared_server.kubectl("label", "configmap", "marked", "team=vision", "tier=1")
    shared_server.kubectl("annotate", "configmap", "marked", "note=first try")
    metadata = shared_server.get("configmap", "marked")["metadata"]
    assert metadata["labels"] == {"team": "vision", "tier": "1"}
    assert metadata["annotations"]["note"] == "first try"
    refused = shared_server.try_kubectl("label", "configmap", "marked", "tier=2")
    assert refused.code != 0 and "--overwrite" in refused.err, repr(refused)
    shared_server.kubectl("label", "configmap", "marked", "tier=2", "team-", "--overwrite")
    assert shared_server.get("configmap", "marked")["metadata"]["labels"] == {"tier": "2"}


@pytest.mark.parametrize("selector,expected", [
    ("team=vision", {"s1", "s2"}), ("team!=vision", {"s3"}), ("team in (speech,none)", {"s3"}),
    ("team notin (speech)", {"s1", "s2"}), ("tier", {"s1"}), ("!tier", {"s2", "s3"}),
    ("team=vision,tier=1", {"s1"})])
def test_label_selectors(shared_server, selector, expected):
    if shared_server.get("configmap", "s1") is None:
        labels = {"s1": {"team": "vision", "tier": "1"}, "s2": {"team": "vision"},
                  "s3": {"team": "speech"}}
        for name, pairs in labels.items():
            made = config_map(name)
            made["metadata"]["labels"] = {**pairs, "set": "selectors"}
            shared_server.create(made)
    found = shared_server.list("configmap", "-l", f"set=selectors,{selector}")
    assert {item["metadata"]["name"] for item in found} == expected


def test_merge_patch_on_a_job(shared_server):
    shared_server.create(shell_job("patched", "exit 0"))
    shared_server.kubectl("patch", "pj", "patched", "--type=merge", "-p",
                          '{"spec":{"runPolicy":{"cleanUpPolicy":"All"}},"metadata":{"labels":{"a":"b"}}}')
    patched = shared_server.get("pj", "patched")
    assert patched["spec"]["runPolicy"]["cleanUpPolicy"] == "All"
    assert patched["metadata"]["labels"] == {"a": "b"}
    assert patched["metadata"]["generation"] == 2, "the spec has changed"


def test_strategic_patch_on_a_pod_and_a_config_map(shared_server):
    shared_server.create(pod("strategic", "exit 0"))
    shared_server.kubectl("patch", "pod", "strategic", "-p", '{"metadata":{"labels":{"a":"b"}}}')
    assert shared_server.get("pod", "strategic")["metadata"]["labels"] == {"a": "b"}
    shared_server.create(config_map("strategic", keep="1", drop="2"))
    shared_server.kubectl("patch", "configmap", "strategic", "-p", '{"data":{"drop":null,"new":"3"}}')
    assert shared_server.get("configmap", "strategic")["data"] == {"keep": "1", "new": "3"}


def test_json_patch(shared_server):
    shared_server.create(config_map("pointed", a="1", b="2"))
    shared_server.kubectl("patch", "configmap", "pointed", "--type=json", "-p", json.dumps([
        {"op": "test", "path": "/data/a", "value": "1"},
        {"op": "replace", "path": "/data/a", "value": "9"}, {"op": "remove", "path": "/data/b"}]))
    assert shared_server.get("configmap", "pointed")["data"] == {"a": "9"}
    refused = shared_server.try_kubectl("patch", "configmap", "pointed", "--type=json", "-p",
                                        '[{"op":"remove","path":"/data/none"}]')
    assert refused.code != 0 and "/data/none" in refused.err, repr(refused)


def test_replace_with_an_old_version_is_a_conflict(shared_server):
    old = shared_server.create(config_map("raced", a="1"))
    shared_server.kubectl("patch", "configmap", "raced", "-p", '{"data":{"a":"2"}}')
    old["data"] = {"a": "3"}
    refused = shared_server.try_kubectl("replace", "-f", "-", input=json.dumps(old))
    assert refused.code != 0 and "Conflict" in refused.err, repr(refused)
    assert shared_server.get("configmap", "raced")["data"] == {"a": "2"}


def test_creating_twice_is_refused(shared_server):
    shared_server.create(config_map("twice"))
    refused = shared_server.try_kubectl("create", "-f", "-", input=json.dumps(config_map("twice")))
    assert refused.code != 0 and "AlreadyExists" in refused.err, repr(refused)


def test_dry_run_on_the_server_stores_nothing(shared_server):
    said = shared_server.kubectl("create", "-f", "-", "--dry-run=server",
                                 input=json.dumps(config_map("dry")))
    assert "dry run" in said
    assert shared_server.get("configmap", "dry") is None


def test_namespaces_keep_names_apart(shared_server):
    shared_server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    shared_server.create(config_map("same", who="default"))
    shared_server.kubectl("create", "-n", "team", "-f", "-",
                          input=json.dumps(config_map("same", who="team")))
    assert shared_server.get("configmap", "same")["data"] == {"who": "default"}
    both = shared_server.list("configmap", "-A", "--field-selector", "metadata.name=same")
    assert {item["metadata"]["namespace"] for item in both} == {"default", "team"}
    refused = shared_server.try_kubectl("create", "-n", "none", "-f", "-",
                                        input=json.dumps(config_map("x")))
    assert refused.code != 0 and "none" in refused.err, repr(refused)


@pytest.mark.parametrize("what, found", [
    (["configmap", "made", "--from-literal=a=1"], ("data", {"a": "1"})),
    (["namespace", "made"], ("kind", "Namespace")),
    (["serviceaccount", "made"], ("kind", "ServiceAccount")),
    (["service", "externalname", "made", "--external-name=host.example"], ("kind", "Service")),
])
def test_create_without_a_file(shared_server, what, found):
    """kubectl sends what it makes itself as protobuf."""
    shared_server.kubectl("create", *what)
    field, value = found
    assert shared_server.get(what[0], "made")[field] == value


def test_get_all_and_unknown_kinds(shared_server):
    shared_server.kubectl("get", "all")
    refused = shared_server.try_kubectl("get", "nonsense")
    assert refused.code != 0 and "doesn't have a resource type" in refused.err, repr(refused)
