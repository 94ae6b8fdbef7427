"""kubectl apply, by the client and by the server, and kubectl diff."""

import copy
import json
import re

import pytest
from jobs import config_map, shell_job
from objects import containers, deployment, env, labelled
from wire import Wire


def apply(server, obj, *flags):
    return server.kubectl("apply", "-f", "-", *flags, input=json.dumps(obj))


def try_apply(server, obj, *flags):
    return server.try_kubectl("apply", "-f", "-", *flags, input=json.dumps(obj))


def server_side(server, obj, manager, *flags):
    return apply(server, obj, "--server-side", f"--field-manager={manager}", *flags)


def managed(server, kind, name):
    """{(manager, operation, subresource): fields} of an object."""
    obj = json.loads(server.kubectl("get", kind, name, "-o", "json", "--show-managed-fields"))
    return {(entry["manager"], entry["operation"], entry.get("subresource")): entry["fieldsV1"]
            for entry in obj["metadata"]["managedFields"]}


def said_of(obj):
    """All of an object but what controllers note in its status."""
    rest = {key: value for key, value in obj["metadata"].items() if key != "resourceVersion"}
    return {**obj, "metadata": rest, "status": None}


def partial(name, **spec):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


# ---- by the client -------------------------------------------------------------------------------


def test_a_deployment_is_created_then_unchanged_then_configured(shared_server):
    made = deployment("thrice")
    assert apply(shared_server, made) == "deployment.apps/thrice created\n"
    shared_server.kubectl("rollout", "status", "deployment/thrice")  # from here on only its status may change
    before = said_of(shared_server.get("deployment", "thrice"))
    assert apply(shared_server, made) == "deployment.apps/thrice unchanged\n"
    assert said_of(shared_server.get("deployment", "thrice")) == before
    containers(made)[0]["image"] = "host:2"
    assert apply(shared_server, made) == "deployment.apps/thrice configured\n"
    after = shared_server.get("deployment", "thrice")
    assert containers(after)[0]["image"] == "host:2"
    assert after["metadata"]["generation"] == before["metadata"]["generation"] + 1


def test_a_job_is_created_then_unchanged_then_configured(shared_server):
    made = shell_job("job-thrice", "exit 0")
    name = "pytorchtrainingjob.batch.tensorstack.dev/job-thrice"
    assert apply(shared_server, made) == f"{name} created\n"
    assert apply(shared_server, made) == f"{name} unchanged\n"
    made["metadata"]["labels"] = {"a": "b"}
    assert apply(shared_server, made) == f"{name} configured\n"


def test_a_field_removed_from_the_file_goes_and_what_others_set_stays(shared_server):
    made = deployment("threeway", env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}])
    del made["spec"]["replicas"]
    made["metadata"]["annotations"] = {"note": "mine"}
    made["spec"]["template"]["spec"]["nodeSelector"] = {"never": "anywhere"}
    apply(shared_server, made)
    shared_server.kubectl("label", "deployment", "threeway", "owner=ops")
    shared_server.kubectl("set", "env", "deployment/threeway", "C=3")
    shared_server.kubectl("scale", "deployment/threeway", "--replicas=2")
    containers(made)[0]["env"] = [{"name": "A", "value": "9"}]
    del made["metadata"]["annotations"]
    apply(shared_server, made)
    now = shared_server.get("deployment", "threeway")
    assert env(now) == {"A": "9", "C": "3"}
    assert now["metadata"]["labels"] == {"owner": "ops"}
    assert "note" not in now["metadata"]["annotations"]
    assert now["spec"]["replicas"] == 2, "what the file does not say is left as it is"


def test_a_list_of_a_job_is_replaced_as_a_whole(shared_server):
    made = shell_job("lists", "exit 0", env=[{"name": "A", "value": "1"}])
    made["spec"]["runPolicy"] = {"cleanUpPolicy": "All"}
    apply(shared_server, made)
    del made["spec"]["runPolicy"]
    apply(shared_server, made)
    now = shared_server.get("pj", "lists")
    assert now["spec"].get("runPolicy", {}).get("cleanUpPolicy") != "All"


def test_apply_after_create_warns_and_takes_over(shared_server):
    shared_server.create(config_map("adopted", a="1"))
    done = try_apply(shared_server, config_map("adopted", a="2"))
    assert done.code == 0 and done.out == "configmap/adopted configured\n", repr(done)
    assert "Warning: resource configmaps/adopted is missing the " \
           "kubectl.kubernetes.io/last-applied-configuration annotation" in done.err, repr(done)


def test_a_list_of_objects_is_applied_and_pruned(shared_server):
    def files(*names):
        items = [labelled(config_map(name), app="pruned") for name in names]
        return {"apiVersion": "v1", "kind": "List", "items": items}
    flags = ["--prune", "-l", "app=pruned", "--prune-allowlist=core/v1/ConfigMap"]
    said = apply(shared_server, files("p1", "p2"), *flags)
    assert said == "configmap/p1 created\nconfigmap/p2 created\n"
    said = apply(shared_server, files("p2"), *flags)
    assert said == "configmap/p2 unchanged\nconfigmap/p1 pruned\n"


def test_view_and_set_last_applied(shared_server):
    apply(shared_server, config_map("last", a="1"))
    seen = shared_server.kubectl("apply", "view-last-applied", "configmap/last", "-o", "json")
    assert json.loads(seen)["data"] == {"a": "1"}


def test_apply_of_what_is_wrong_names_every_wrong_field(shared_server):
    made = deployment("wrong", replicas=-1)
    made["spec"]["template"]["metadata"]["labels"] = {"app": "another"}
    refused = try_apply(shared_server, made)
    assert refused.code == 1, repr(refused)
    assert 'The Deployment "wrong" is invalid' in refused.err, repr(refused)
    assert re.search("spec.replicas: Invalid value: -1: .*greater than or equal to 0", refused.err)
    assert "spec.template.metadata.labels: Invalid value" in refused.err, repr(refused)
    assert "`selector` does not match template `labels`" in refused.err, repr(refused)


# ---- by the server -------------------------------------------------------------------------------


def test_server_side_apply_creates_and_the_second_time_writes_nothing(shared_server):
    said = server_side(shared_server, config_map("ssa", color="red"), "alice")
    assert said == "configmap/ssa serverside-applied\n"
    before = shared_server.get("configmap", "ssa")
    server_side(shared_server, config_map("ssa", color="red"), "alice")
    assert shared_server.get("configmap", "ssa") == before
    assert "last-applied" not in json.dumps(before)


def test_server_side_apply_removes_what_its_manager_no_longer_says(shared_server):
    server_side(shared_server, config_map("shrinks", a="1", b="2"), "alice")
    server_side(shared_server, config_map("shrinks", c="3"), "bob")
    server_side(shared_server, config_map("shrinks", a="1"), "alice")
    assert shared_server.get("configmap", "shrinks")["data"] == {"a": "1", "c": "3"}


def test_a_field_of_two_managers_stays_until_both_let_go(shared_server):
    server_side(shared_server, config_map("both", a="1", b="2"), "alice")
    server_side(shared_server, config_map("both", a="1"), "bob")
    server_side(shared_server, config_map("both", b="2"), "alice")
    assert shared_server.get("configmap", "both")["data"] == {"a": "1", "b": "2"}
    server_side(shared_server, config_map("both"), "bob")
    assert shared_server.get("configmap", "both")["data"] == {"b": "2"}


def test_a_conflict_names_the_other_manager_and_the_field(shared_server):
    server_side(shared_server, config_map("fought", color="red"), "alice")
    refused = try_apply(shared_server, config_map("fought", color="blue"), "--server-side",
                        "--field-manager=bob")
    assert refused.code == 1, repr(refused)
    assert 'Apply failed with 1 conflict: conflict with "alice": .data.color' in refused.err
    assert "re-run the apply\n  command with the `--force-conflicts` flag" in refused.err
    assert shared_server.get("configmap", "fought")["data"] == {"color": "red"}
    said = server_side(shared_server, config_map("fought", color="blue"), "bob", "--force-conflicts")
    assert said == "configmap/fought serverside-applied\n"
    assert shared_server.get("configmap", "fought")["data"] == {"color": "blue"}
    owners = managed(shared_server, "configmap", "fought")
    assert owners[("bob", "Apply", None)]["f:data"]["f:color"] == {}
    assert "f:color" not in json.dumps(owners.get(("alice", "Apply", None), {}))


def test_several_conflicts_are_listed_by_manager(shared_server):
    server_side(shared_server, config_map("many", a="1", b="1"), "alice")
    shared_server.kubectl("patch", "configmap", "many", "--type=merge", "-p", '{"data":{"c":"1"}}')
    refused = try_apply(shared_server, config_map("many", a="2", b="2", c="2"), "--server-side",
                        "--field-manager=bob")
    assert refused.code == 1, repr(refused)
    assert "Apply failed with 3 conflicts:" in refused.err, repr(refused)
    assert 'conflicts with "alice":\n- .data.a\n- .data.b' in refused.err, repr(refused)
    assert 'conflicts with "kubectl-patch" using v1:\n- .data.c' in refused.err, repr(refused)


def test_setting_the_same_value_is_no_conflict(shared_server):
    server_side(shared_server, config_map("agreed", a="1"), "alice")
    server_side(shared_server, config_map("agreed", a="1"), "bob")
    owners = managed(shared_server, "configmap", "agreed")
    assert {("alice", "Apply", None), ("bob", "Apply", None)} <= set(owners)


def test_containers_of_a_deployment_are_owned_by_name(shared_server):
    made = deployment("owned")
    containers(made).append({**containers(made)[0], "name": "side"})
    server_side(shared_server, made, "alice")
    extra = partial("owned", template={"spec": {"containers": [
        {"name": "main", "env": [{"name": "X", "value": "1"}]}]}})
    server_side(shared_server, extra, "bob")
    assert env(shared_server.get("deployment", "owned")) == {"X": "1"}
    without_side = copy.deepcopy(made)
    del containers(without_side)[1]
    server_side(shared_server, without_side, "alice")
    now = shared_server.get("deployment", "owned")
    assert [container["name"] for container in containers(now)] == ["main"]
    assert env(now) == {"X": "1"}, "bob's stays"
    fields = managed(shared_server, "deployment", "owned")[("bob", "Apply", None)]
    path = fields["f:spec"]["f:template"]["f:spec"]["f:containers"]
    assert path == {'k:{"name":"main"}': {".": {}, "f:name": {}, "f:env": {
        'k:{"name":"X"}': {".": {}, "f:name": {}, "f:value": {}}}}}, json.dumps(path, indent=1)
    server_side(shared_server, partial("owned", template={"spec": {"containers": [
        {"name": "main"}]}}), "bob")
    assert env(shared_server.get("deployment", "owned")) == {}


def test_scaling_by_hand_conflicts_with_the_file(shared_server):
    made = deployment("hand", replicas=0)
    server_side(shared_server, made, "alice")
    shared_server.kubectl("scale", "deployment/hand", "--replicas=1")
    made["spec"]["replicas"] = 0
    refused = try_apply(shared_server, made, "--server-side", "--field-manager=alice")
    assert refused.code == 1 and ".spec.replicas" in refused.err, repr(refused)
    assert 'conflict with "kubectl" with subresource "scale"' in refused.err, repr(refused)
    shared_server.kubectl("delete", "deployment", "hand")


def test_a_jobs_status_belongs_to_its_controller(shared_server):
    server_side(shared_server, shell_job("told", "exit 0"), "alice")
    shared_server.wait_phase("told", "Succeeded")
    owners = managed(shared_server, "pj", "told")
    assert ("alice", "Apply", None) in owners
    status = [key for key in owners if key[2] == "status"]
    assert len(status) == 1 and status[0][1] == "Update", list(owners)
    assert set(owners[status[0]]) == {"f:status"}


def test_client_side_apply_can_be_followed_by_server_side_apply(shared_server):
    apply(shared_server, config_map("moves", a="1", b="2"))
    said = apply(shared_server, config_map("moves", a="1"), "--server-side")
    assert said == "configmap/moves serverside-applied\n"
    assert shared_server.get("configmap", "moves")["data"] == {"a": "1"}, "b was the client's"
    assert ("kubectl", "Apply", None) in managed(shared_server, "configmap", "moves")


def test_managed_fields_are_shown_only_when_asked_for(shared_server):
    server_side(shared_server, config_map("shown", a="1"), "alice")
    assert "managedFields" not in shared_server.kubectl("get", "configmap", "shown", "-o", "yaml")
    shown = shared_server.kubectl("get", "configmap", "shown", "-o", "json", "--show-managed-fields")
    [entry] = json.loads(shown)["metadata"]["managedFields"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", entry.pop("time"))
    assert entry == {"manager": "alice", "operation": "Apply", "apiVersion": "v1",
                     "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:a": {}}}}


def test_every_command_leaves_its_name(shared_server):
    shared_server.create(config_map("touched", a="1"))
    shared_server.kubectl("patch", "configmap", "touched", "-p", '{"data":{"b":"2"}}')
    shared_server.kubectl("label", "configmap", "touched", "x=y")
    shared_server.kubectl("annotate", "configmap", "touched", "x=y")
    owners = managed(shared_server, "configmap", "touched")
    assert set(owners) == {(f"kubectl-{verb}", "Update", None)
                           for verb in ["create", "patch", "label", "annotate"]}
    assert owners[("kubectl-patch", "Update", None)] == {"f:data": {"f:b": {}}}
    assert owners[("kubectl-label", "Update", None)]["f:metadata"]["f:labels"]["f:x"] == {}


@pytest.mark.parametrize("change,code,word", [
    ({"query": {}}, 422, "fieldManager"),
    ({"body": {**config_map("raw"), "metadata": {"name": "raw", "managedFields": [{"manager": "x"}]}}},
     400, "managedFields"),
    ({"body": config_map("another")}, 400, "another"),
    ({"body": {"metadata": {"name": "raw"}}}, 400, "ind"),
    ({"body": "[]"}, 400, ""),
], ids=["no manager", "managed fields", "another name", "no kind", "a list"])
def test_apply_patches_that_are_refused(shared_server, change, code, word):
    wire = Wire(shared_server)
    body = change.get("body", config_map("raw"))
    answer = wire.ask("PATCH", "/api/v1/namespaces/default/configmaps/raw", body,
                      change.get("query", {"fieldManager": "x"}),
                      Content_Type="application/apply-patch+yaml")
    assert answer.code == code and word in answer.message, repr(answer)


def test_an_apply_patch_may_be_yaml(shared_server):
    answer = Wire(shared_server).ask(
        "PATCH", "/api/v1/namespaces/default/configmaps/in-yaml",
        "apiVersion: v1\nkind: ConfigMap\ndata: {a: '1'}\n", {"fieldManager": "x"},
        Content_Type="application/apply-patch+yaml")
    assert answer.code == 201 and answer.json["data"] == {"a": "1"}, repr(answer)


def test_a_manager_that_may_not_force_another_kind_of_patch(shared_server):
    shared_server.create(config_map("unforced"))
    answer = Wire(shared_server).ask(
        "PATCH", "/api/v1/namespaces/default/configmaps/unforced", {"data": {"a": "1"}},
        {"force": "true"}, Content_Type="application/merge-patch+json")
    assert answer.code == 422 and "force" in answer.message, repr(answer)


# ---- diff ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("flags", [[], ["--server-side"]], ids=["client", "server"])
def test_diff_tells_by_its_exit_code(shared_server, flags):
    name = "diff" + "-s" * len(flags)
    made = deployment(name, env=[{"name": "A", "value": "1"}])
    apply(shared_server, made, *flags)
    diff = lambda: shared_server.try_kubectl("diff", "-f", "-", *flags, input=json.dumps(made))  # noqa: E731
    same = diff()
    assert same.code == 0 and same.out == "", repr(same)
    containers(made)[0]["env"][0]["value"] = "2"
    before = shared_server.get("deployment", name)
    other = diff()
    assert other.code == 1, repr(other)
    assert re.search(r"^-\s+value: \"1\"$", other.out, re.M), repr(other)
    assert re.search(r"^\+\s+value: \"2\"$", other.out, re.M), repr(other)
    assert shared_server.get("deployment", name) == before, "nothing was written"


def test_diff_of_something_new_and_of_something_wrong(shared_server):
    diff = lambda obj: shared_server.try_kubectl("diff", "-f", "-", input=json.dumps(obj))  # noqa: E731
    new = diff(config_map("undone", a="1"))
    assert new.code == 1 and "+kind: ConfigMap" in new.out, repr(new)
    assert shared_server.get("configmap", "undone") is None
    wrong = diff(deployment("undone", replicas=-1))
    assert wrong.code > 1 and "spec.replicas" in wrong.err, repr(wrong)
