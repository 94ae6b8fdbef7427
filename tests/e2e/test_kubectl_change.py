"""kubectl edit, replace, patch, label, annotate and set."""

import json
import re
from pathlib import Path

import pytest
from harness import KUBECTL
from jobs import config_map, pod, shell_job
from objects import containers, deployment, env, labelled
from wire import Wire

UNKNOWN_FORMAT = ("the body of the request was in an unknown format - accepted media types include: "
                  "application/json-patch+json, application/merge-patch+json, "
                  "application/apply-patch+yaml")


def edit(server, editor, *args):
    """kubectl edit with a command for an editor, as git's and kubectl's users script it."""
    return server.run([KUBECTL, "edit", *args], env={
        "KUBECONFIG": f"{server.data}/kubeconfig", "KUBE_EDITOR": editor, "TMPDIR": str(server.folder)})


def patch(server, what, body, *flags):
    return server.kubectl("patch", *what.split("/"), "-p", json.dumps(body), *flags)


# ---- edit and replace ----------------------------------------------------------------------------


def test_edit_writes_what_the_editor_leaves(shared_server):
    shared_server.create(config_map("edited", color="red"))
    done = edit(shared_server, "sed -i s/red/blue/", "configmap", "edited")
    assert done.code == 0 and done.out == "configmap/edited edited\n", repr(done)
    assert shared_server.get("configmap", "edited")["data"] == {"color": "blue"}


def test_edit_of_a_job_and_of_a_deployment(shared_server):
    shared_server.create(shell_job("edited-job", "exit 0"))
    done = edit(shared_server, "sed -i s/^metadata:/metadata:\\\\n\\ \\ labels:\\ {a:\\ b}/", "pj", "edited-job")
    assert done.code == 0 and done.out.endswith("edited-job edited\n"), repr(done)
    assert shared_server.get("pj", "edited-job")["metadata"]["labels"] == {"a": "b"}
    shared_server.create(deployment("edited"))
    done = edit(shared_server, "sed -i s/image:.host/image:\\ other/", "deployment/edited")
    assert done.code == 0, repr(done)
    assert containers(shared_server.get("deployment", "edited"))[0]["image"] == "other"


def test_edit_without_a_change_says_so(shared_server):
    shared_server.create(config_map("unedited", color="red"))
    done = edit(shared_server, "true", "configmap", "unedited")
    assert done.code == 0 and "Edit cancelled, no changes made." in done.text, repr(done)


def test_an_edit_that_is_refused_keeps_the_users_text(shared_server):
    shared_server.create(deployment("misedited"))
    done = edit(shared_server, "sed -i 's/replicas: 0/replicas: -5/'", "deployment/misedited")
    assert done.code == 1, repr(done)
    copy = re.search(r'A copy of your changes has been stored to "(.*)"', done.err)
    assert copy, repr(done)
    assert "# * spec.replicas: Invalid value: -5" in Path(copy[1]).read_text(), "with the reason at its top"
    assert "Edit cancelled, no valid changes were saved" in done.err, repr(done)


def test_replace(shared_server):
    shared_server.create(config_map("replaced", a="1"))
    replace = lambda obj, *flags: shared_server.try_kubectl(  # noqa: E731
        "replace", "-f", "-", *flags, input=json.dumps(obj))
    done = replace(config_map("replaced", b="2"))
    assert done.code == 0 and done.out == "configmap/replaced replaced\n", repr(done)
    assert shared_server.get("configmap", "replaced")["data"] == {"b": "2"}
    missing = replace(config_map("irreplaceable"))
    assert missing.code == 1 and 'configmaps "irreplaceable" not found' in missing.err, repr(missing)
    uid = shared_server.get("configmap", "replaced")["metadata"]["uid"]
    forced = replace(config_map("replaced", c="3"), "--force")
    assert forced.code == 0 and "configmap/replaced replaced" in forced.out, repr(forced)
    assert shared_server.get("configmap", "replaced")["metadata"]["uid"] != uid


def test_replace_with_another_uid_is_a_conflict(shared_server):
    made = shared_server.create(config_map("same-uid"))
    made["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000"
    refused = shared_server.try_kubectl("replace", "-f", "-", input=json.dumps(made))
    assert refused.code == 1 and "Conflict" in refused.err and "uid" in refused.err.lower(), repr(refused)


def test_what_a_pod_may_never_change(shared_server):
    made = shared_server.create(pod("rigid", "exit 0"))
    made["spec"]["containers"][0]["command"] = ["false"]
    del made["metadata"]["resourceVersion"]  # the node may have written meanwhile
    refused = shared_server.try_kubectl("replace", "-f", "-", input=json.dumps(made))
    assert refused.code == 1, repr(refused)
    assert "spec: Forbidden: pod updates may not change fields other than" in refused.err, repr(refused)


def test_a_deployments_selector_is_immutable(shared_server):
    made = shared_server.create(deployment("rigid"))
    del made["metadata"]["resourceVersion"]  # its controller may have written meanwhile
    made["spec"]["selector"] = {"matchLabels": {"app": "new"}}
    made["spec"]["template"]["metadata"]["labels"] = {"app": "new"}
    refused = shared_server.try_kubectl("replace", "-f", "-", input=json.dumps(made))
    assert refused.code == 1 and "spec.selector: Invalid value" in refused.err, repr(refused)
    assert "field is immutable" in refused.err, repr(refused)


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_what_is_marked_immutable_is(shared_server, kind):
    name = f"stone-{kind.lower()}"
    shared_server.create({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "immutable": True,
                          "data": {"a": "YQ=="}})
    refused = shared_server.try_kubectl("patch", kind, name, "-p", '{"data":{"a":"Yg=="}}')
    assert refused.code == 1 and "data: Forbidden: field is immutable when `immutable` is set" in refused.err
    refused = shared_server.try_kubectl("patch", kind, name, "-p", '{"immutable":false}')
    assert refused.code == 1 and "immutable: Forbidden: field is immutable" in refused.err, repr(refused)
    shared_server.kubectl("label", kind, name, "still=possible")


def test_a_secrets_type_and_its_plain_texts(shared_server):
    made = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "typed"}, "stringData": {"a": "plain"},
            "data": {"b": "Yg=="}}
    stored = shared_server.create(made)
    assert stored["data"] == {"a": "cGxhaW4=", "b": "Yg=="} and "stringData" not in stored
    refused = shared_server.try_kubectl("patch", "secret", "typed", "-p", '{"type":"other"}')
    assert refused.code == 1 and "type: Invalid value" in refused.err, repr(refused)
    refused = shared_server.try_kubectl("patch", "secret", "typed", "-p", '{"data":{"c":"%%%"}}')
    assert refused.code == 1, "what is no base64 is refused"


# ---- patches -------------------------------------------------------------------------------------


def test_a_strategic_patch_merges_containers_by_name(shared_server):
    shared_server.create(deployment("merged", env=[{"name": "A", "value": "1"}]))
    said = patch(shared_server, "deployment/merged", {"spec": {"template": {"spec": {"containers": [
        {"name": "side", "image": "host", "command": ["true"]},
        {"name": "main", "env": [{"name": "B", "value": "2"}]}]}}}})
    assert said == "deployment.apps/merged patched\n"
    now = shared_server.get("deployment", "merged")
    by_name = {container["name"]: container for container in containers(now)}
    assert set(by_name) == {"main", "side"}
    assert {entry["name"]: entry["value"] for entry in by_name["main"]["env"]} == {"A": "1", "B": "2"}
    assert by_name["main"]["command"][0] == "sh", "what was not named is kept"


def test_directives_of_a_strategic_patch(shared_server):
    shared_server.create(deployment("directed", env=[{"name": "A", "value": "1"},
                                                     {"name": "B", "value": "2"}]))
    patch(shared_server, "deployment/directed", {"spec": {"template": {"spec": {"containers": [
        {"name": "main", "env": [{"name": "A", "$patch": "delete"}]}]}}}})
    assert env(shared_server.get("deployment", "directed")) == {"B": "2"}
    patch(shared_server, "deployment/directed", {"spec": {"template": {"spec": {"containers": [
        {"name": "main", "env": [{"name": "C", "value": "3"}, {"$patch": "replace"}]}]}}}})
    assert env(shared_server.get("deployment", "directed")) == {"C": "3"}
    patch(shared_server, "deployment/directed", {"spec": {
        "strategy": {"$retainKeys": ["type"], "type": "Recreate"}}})
    assert shared_server.get("deployment", "directed")["spec"]["strategy"] == {"type": "Recreate"}


def test_a_strategic_patch_of_finalizers_adds_and_removes_single_ones(shared_server):
    made = config_map("final")
    made["metadata"]["finalizers"] = ["example.com/a"]
    shared_server.create(made)
    patch(shared_server, "configmap/final", {"metadata": {"finalizers": ["example.com/b"]}})
    finalizers = lambda: shared_server.get("configmap", "final")["metadata"].get("finalizers", [])  # noqa: E731
    assert sorted(finalizers()) == ["example.com/a", "example.com/b"]
    patch(shared_server, "configmap/final",
          {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/a"]}})
    assert finalizers() == ["example.com/b"]
    patch(shared_server, "configmap/final", {"metadata": {"finalizers": None}})
    assert finalizers() == []


def test_a_strategic_patch_of_a_custom_resource_is_refused(shared_server):
    shared_server.create(shell_job("unstrategic", "exit 0"))
    refused = shared_server.try_kubectl("patch", "pj", "unstrategic", "-p", '{"metadata":{"labels":{"a":"b"}}}')
    assert refused.code == 1 and UNKNOWN_FORMAT in refused.err, repr(refused)
    answer = Wire(shared_server).ask(
        "PATCH", "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/unstrategic",
        {}, Content_Type="application/strategic-merge-patch+json")
    assert answer.code == 415 and answer.json["reason"] == "UnsupportedMediaType", repr(answer)


def test_a_merge_patch_replaces_lists(shared_server):
    shared_server.create(deployment("overwritten", env=[{"name": "A", "value": "1"}]))
    body = containers(deployment("overwritten", env=[{"name": "B", "value": "2"}]))
    patch(shared_server, "deployment/overwritten",
          {"spec": {"template": {"spec": {"containers": body}}}}, "--type=merge")
    assert env(shared_server.get("deployment", "overwritten")) == {"B": "2"}


def test_a_json_patch_with_every_operation(shared_server):
    made = config_map("operated", a="1", b="2")
    made["metadata"]["annotations"] = {"x/y": "3"}
    shared_server.create(made)
    patch(shared_server, "configmap/operated", [
        {"op": "test", "path": "/data/a", "value": "1"}, {"op": "add", "path": "/data/c", "value": "4"},
        {"op": "replace", "path": "/data/a", "value": "9"}, {"op": "remove", "path": "/data/b"},
        {"op": "copy", "from": "/data/c", "path": "/data/d"},
        {"op": "move", "from": "/metadata/annotations/x~1y", "path": "/data/e"}], "--type=json")
    now = shared_server.get("configmap", "operated")
    assert now["data"] == {"a": "9", "c": "4", "d": "4", "e": "3"}
    assert not now["metadata"].get("annotations")


def test_a_failed_test_in_a_json_patch_changes_nothing(shared_server):
    before = shared_server.create(config_map("tested", a="1"))
    refused = shared_server.try_kubectl("patch", "configmap", "tested", "--type=json", "-p", json.dumps([
        {"op": "replace", "path": "/data/a", "value": "2"},
        {"op": "test", "path": "/data/a", "value": "1"}]))
    assert refused.code == 1 and "test" in refused.err, repr(refused)
    assert shared_server.get("configmap", "tested") == {k: v for k, v in before.items()}


@pytest.mark.parametrize("type,body", [
    ("merge", '{"data":{"a":1}}'), ("merge", "[]"), ("json", "{}"),
    ("json", '[{"op":"leap","path":"/data/a"}]'), ("json", '[{"op":"add","path":"data"}]'),
    ("strategic", '{"data":[]}')])
def test_patches_that_make_no_sense_are_refused(shared_server, type, body):
    if shared_server.get("configmap", "sound") is None:
        shared_server.create(config_map("sound", a="1"))
    content = {"merge": "application/merge-patch+json", "json": "application/json-patch+json",
               "strategic": "application/strategic-merge-patch+json"}[type]
    answer = Wire(shared_server).ask("PATCH", "/api/v1/namespaces/default/configmaps/sound", body,
                                     Content_Type=content)
    assert answer.code in (400, 422) and answer.message, repr(answer)
    assert shared_server.get("configmap", "sound")["data"] == {"a": "1"}


def test_a_patch_that_changes_nothing_says_so(shared_server):
    before = shared_server.create(config_map("calm", a="1"))
    assert patch(shared_server, "configmap/calm", {"data": {"a": "1"}}) == \
        "configmap/calm patched (no change)\n"
    after = shared_server.get("configmap", "calm")
    assert after["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]


def test_a_patch_with_an_old_version_is_a_conflict(shared_server):
    old = shared_server.create(config_map("versioned", a="1"))["metadata"]["resourceVersion"]
    patch(shared_server, "configmap/versioned", {"data": {"a": "2"}})
    refused = shared_server.try_kubectl("patch", "configmap", "versioned", "-p", json.dumps(
        {"metadata": {"resourceVersion": old}, "data": {"a": "3"}}))
    assert refused.code == 1 and "the object has been modified" in refused.err, repr(refused)


def test_patching_the_status_changes_nothing_else(shared_server):
    shared_server.create(deployment("told"))
    patch(shared_server, "deployment/told", {"spec": {"replicas": 5}, "status": {"observedGeneration": 1}},
          "--subresource=status")
    assert shared_server.get("deployment", "told")["spec"]["replicas"] == 0
    before = shared_server.get("deployment", "told")["status"]
    patch(shared_server, "deployment/told", {"status": {"replicas": 77}})
    assert shared_server.get("deployment", "told")["status"] == before


# ---- label, annotate, set ------------------------------------------------------------------------


def test_label_by_selector_and_all(shared_server):
    for name in ["l1", "l2"]:
        shared_server.create(labelled(config_map(name), group="labels"))
    said = shared_server.kubectl("label", "configmap", "-l", "group=labels", "tier=1")
    assert said == "configmap/l1 labeled\nconfigmap/l2 labeled\n"
    assert shared_server.kubectl("label", "configmap", "l1", "tier=1") == "configmap/l1 not labeled\n"
    assert shared_server.kubectl("label", "configmap", "l1", "tier-") == "configmap/l1 unlabeled\n"
    assert shared_server.kubectl("label", "configmap", "l1", "--list") == "group=labels\n"
    refused = shared_server.try_kubectl("label", "configmap", "l1", "tier=not valid!")
    assert refused.code == 1 and "tier" in refused.err, repr(refused)


@pytest.mark.parametrize("labels,word", [
    ({"a": "not valid"}, "metadata.labels: Invalid value"), ({"-a": "b"}, "metadata.labels: Invalid value"),
    ({"a": "x" * 64}, "must be no more than 63")])
def test_labels_that_are_none_are_refused(shared_server, labels, word):
    made = config_map("mislabelled")
    made["metadata"]["labels"] = labels
    answer = Wire(shared_server).ask("POST", "/api/v1/namespaces/default/configmaps", made)
    assert answer.code == 422 and word in answer.message, repr(answer)


def test_annotations_can_be_long_but_not_without_end(shared_server):
    shared_server.create(config_map("noted"))
    said = shared_server.kubectl("annotate", "configmap", "noted", "a=" + "x" * 10000, "b=two words")
    assert said == "configmap/noted annotated\n"
    assert shared_server.get("configmap", "noted")["metadata"]["annotations"]["b"] == "two words"
    shared_server.kubectl("annotate", "configmap", "noted", "a-")
    refused = Wire(shared_server).ask(
        "PATCH", "/api/v1/namespaces/default/configmaps/noted",
        {"metadata": {"annotations": {"big": "x" * (256 << 10)}}}, Content_Type="application/merge-patch+json")
    assert refused.code == 422 and "metadata.annotations: Too long" in refused.message, repr(refused)


def test_set_image_env_resources_and_service_account(shared_server):
    shared_server.create(deployment("set"))
    said = shared_server.kubectl("set", "image", "deployment/set", "main=host:9")
    assert said == "deployment.apps/set image updated\n"
    assert shared_server.kubectl("set", "env", "deployment/set", "A=1") == "deployment.apps/set env updated\n"
    said = shared_server.kubectl("set", "resources", "deployment/set", "--limits=memory=64Mi",
                                 "--requests=memory=32Mi")
    assert said == "deployment.apps/set resource requirements updated\n"
    said = shared_server.kubectl("set", "serviceaccount", "deployment/set", "other")
    assert said == "deployment.apps/set serviceaccount updated\n"
    now = shared_server.get("deployment", "set")
    assert containers(now)[0]["image"] == "host:9" and env(now) == {"A": "1"}
    assert containers(now)[0]["resources"]["limits"] == {"memory": "64Mi"}
    assert now["spec"]["template"]["spec"]["serviceAccountName"] == "other"
    wrong = shared_server.try_kubectl("set", "image", "deployment/set", "none=host")
    assert wrong.code == 1 and "unable to find container named" in wrong.err, repr(wrong)
