"""kubectl get: output formats, selectors, paging, watching, columns of every kind."""

import json
import re

import pytest
import yaml
from jobs import config_map, pod, shell_job
from objects import deployment, labelled, make, namespace, secret, service
from wire import Wire


@pytest.fixture(scope="module")
def yard(shared_server):
    """Three config maps in one namespace, one of the same name in another."""
    shared_server.create(namespace("yard"))
    shared_server.create(namespace("siding"))
    for name, labels, data in [("b", {"team": "vision", "tier": "1"}, "20"),
                               ("a", {"team": "vision"}, "10"), ("c", {"team": "speech"}, "3")]:
        make(shared_server, labelled(config_map(name, load=data), **labels, set="yard"), "-n", "yard")
    make(shared_server, labelled(config_map("a", load="9"), set="yard"), "-n", "siding")
    return shared_server


def names(server, *args):
    return server.kubectl("get", "configmap", "-n", "yard", "-o", "name", *args).split()


# ---- output --------------------------------------------------------------------------------------


def test_output_as_yaml_json_and_name(yard):
    as_yaml = yaml.safe_load(yard.kubectl("get", "configmap", "a", "-n", "yard", "-o", "yaml"))
    as_json = json.loads(yard.kubectl("get", "configmap", "a", "-n", "yard", "-o", "json"))
    assert as_yaml["data"] == as_json["data"] == {"load": "10"}
    assert as_json["apiVersion"] == "v1" and as_json["kind"] == "ConfigMap"
    assert yard.kubectl("get", "configmap", "a", "-n", "yard", "-o", "name") == "configmap/a\n"
    listed = json.loads(yard.kubectl("get", "configmap", "-n", "yard", "-o", "json"))
    assert listed["kind"] == "List" and len(listed["items"]) >= 3
    assert all(item["kind"] == "ConfigMap" for item in listed["items"])


def test_output_by_jsonpath_template_and_columns(yard):
    get = lambda form: yard.kubectl("get", "cm", "-n", "yard", "-l", "set=yard", "-o", form)  # noqa: E731
    assert get("jsonpath={.items[*].metadata.name}") == "a b c"
    assert get('jsonpath={range .items[?(@.data.load=="20")]}{.metadata.name}{end}') == "b"
    assert get("go-template={{range .items}}{{.data.load}} {{end}}") == "10 20 3 "
    table = get("custom-columns=WHO:.metadata.name,TEAM:.metadata.labels.team,NONE:.spec.x")
    assert [line.split() for line in table.splitlines()] == [
        ["WHO", "TEAM", "NONE"], ["a", "vision", "<none>"], ["b", "vision", "<none>"],
        ["c", "speech", "<none>"]]


def test_sort_by(yard):
    order = lambda by: [line.split()[0] for line in yard.kubectl(  # noqa: E731
        "get", "cm", "-n", "yard", "-l", "set=yard", f"--sort-by={by}", "--no-headers").splitlines()]
    assert order(".metadata.name") == ["a", "b", "c"]
    assert order("{.data.load}") == ["c", "a", "b"], "numbers in texts count as numbers"
    assert order(".metadata.labels.team") in (["c", "a", "b"], ["c", "b", "a"])


def test_labels_as_columns(yard):
    shown = yard.kubectl("get", "cm", "-n", "yard", "-l", "tier", "--show-labels")
    assert shown.splitlines()[0].split() == ["NAME", "DATA", "AGE", "LABELS"]
    assert shown.splitlines()[1].endswith("set=yard,team=vision,tier=1")
    chosen = yard.kubectl("get", "cm", "-n", "yard", "-l", "set=yard", "-L", "team,tier")
    assert chosen.splitlines()[0].split() == ["NAME", "DATA", "AGE", "TEAM", "TIER"]
    assert chosen.splitlines()[1].split()[3:] == ["vision"]


def test_age_is_told_in_seconds(yard):
    row = yard.kubectl("get", "cm", "a", "-n", "yard", "--no-headers").split()
    assert row[:2] == ["a", "1"] and re.fullmatch(r"(\d+m)?(\d+s)?", row[2]), row


# ---- which ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("selector,expected", [
    ("team=vision", "a b"), ("team==vision", "a b"), ("team!=vision", "c"), ("tier!=1", "a c"),
    ("team in (speech,none)", "c"), ("team notin (vision)", "c"), ("tier notin (1)", "a c"), ("tier", "b"),
    ("!tier", "a c"), ("team=vision,!tier", "a"), ("team,team notin (none),tier in (1,2)", "b"),
    ("tier>0", "b"), ("tier<1", ""), ("team in ()", "")])
def test_label_selectors_with_every_operator(yard, selector, expected):
    assert names(yard, "-l", f"set=yard,{selector}") == [f"configmap/{name}" for name in expected.split()]


@pytest.mark.parametrize("selector", ["team=a=b", "in (", "team in x", "=x", "a b", "team>x"])
def test_label_selectors_that_are_none(yard, selector):
    answer = Wire(yard).get("/api/v1/namespaces/yard/configmaps", {"labelSelector": selector})
    assert answer.code == 400 and answer.json["reason"] == "BadRequest", repr(answer)


@pytest.mark.parametrize("selector,expected", [
    ("metadata.name=a", "a"), ("metadata.name==a", "a"), ("metadata.name!=a,metadata.name!=c", "b"),
    ("metadata.namespace=yard,metadata.name=c", "c"), ("metadata.namespace!=yard", "")])
def test_field_selectors(yard, selector, expected):
    found = names(yard, "-l", "set=yard", "--field-selector", selector)
    assert found == [f"configmap/{name}" for name in expected.split()]


def test_field_selectors_that_are_not_known_are_refused(yard):
    refused = yard.try_kubectl("get", "configmap", "--field-selector", "data.load=10")
    assert refused.code == 1 and "(BadRequest)" in refused.err, repr(refused)
    assert "field label not supported: data.load" in refused.err, repr(refused)


def test_pods_by_phase_and_node(shared_server):
    shared_server.create(pod("ended", "exit 0"))
    waiting = pod("waiting", "exit 0")
    waiting["spec"]["nodeSelector"] = {"never": "anywhere"}
    shared_server.create(waiting)
    shared_server.wait_phase("ended", "Succeeded", "pod")
    by = lambda selector: shared_server.kubectl(  # noqa: E731
        "get", "pods", "-o", "name", "--field-selector", selector).split()
    assert by("status.phase=Succeeded,metadata.name=ended") == ["pod/ended"]
    assert by("status.phase!=Succeeded,metadata.name!=x") == ["pod/waiting"]
    assert by("spec.nodeName=node-0,metadata.name=ended") == ["pod/ended"]
    assert "pod/waiting" in by("spec.nodeName=") and "pod/ended" not in by("spec.nodeName=")
    assert by("spec.restartPolicy=Never,metadata.name=ended") == ["pod/ended"]


def test_all_namespaces(yard):
    rows = yard.kubectl("get", "cm", "-A", "-l", "set=yard", "--no-headers").splitlines()
    assert [row.split()[:2] for row in rows] == [["siding", "a"], ["yard", "a"], ["yard", "b"], ["yard", "c"]]


def test_chunks_give_the_whole(yard):
    pages = yard.try_kubectl("get", "cm", "-n", "yard", "-l", "set=yard", "--chunk-size=1", "-o", "name", "-v=8")
    assert pages.out.split() == ["configmap/a", "configmap/b", "configmap/c"]
    asked = re.findall(r"GET.*configmaps\?\S*", pages.err)
    assert len([line for line in asked if "limit=1" in line]) >= 3, asked
    assert len([line for line in asked if "continue=" in line]) >= 2, asked


def test_several_kinds_at_once(yard):
    yard.kubectl("create", "secret", "generic", "mixed", "-n", "yard")
    found = yard.kubectl("get", "cm/a", "secret/mixed", "-n", "yard", "-o", "name")
    assert found == "configmap/a\nsecret/mixed\n"
    table = yard.kubectl("get", "configmaps,secrets", "-n", "yard")
    assert "configmap/a" in table and "secret/mixed" in table
    two = yard.kubectl("get", "cm", "a", "b", "-n", "yard", "-o", "name")
    assert two == "configmap/a\nconfigmap/b\n"


def test_all_is_pods_services_and_workloads(shared_server):
    shared_server.create(deployment("in-all"))
    shared_server.create(service("in-all"))
    listed = shared_server.kubectl("get", "all", "-o", "name")
    assert "deployment.apps/in-all" in listed and "service/in-all" in listed, listed
    assert "configmap" not in listed and "secret" not in listed


def test_what_is_not_there(yard):
    missing = yard.try_kubectl("get", "configmap", "none")
    assert missing.code == 1
    assert missing.err == 'Error from server (NotFound): configmaps "none" not found\n', repr(missing)
    job = yard.try_kubectl("get", "pj", "none")
    assert 'pytorchtrainingjobs.batch.tensorstack.dev "none" not found' in job.err, repr(job)
    quiet = yard.try_kubectl("get", "configmap", "none", "--ignore-not-found")
    assert (quiet.code, quiet.text) == (0, ""), repr(quiet)
    empty = yard.try_kubectl("get", "secrets", "-n", "siding", "-l", "no=thing")
    assert empty.code == 0 and empty.err == "No resources found in siding namespace.\n", repr(empty)
    nowhere = yard.try_kubectl("get", "pods", "-n", "no-such-namespace")
    assert nowhere.code == 0, repr(nowhere)


def test_raw_and_subresources(shared_server):
    assert json.loads(shared_server.kubectl("get", "--raw", "/version"))["major"] == "1"
    shared_server.create(deployment("scaled"))
    scale = json.loads(shared_server.kubectl("get", "deployment", "scaled", "--subresource=scale", "-o", "json"))
    assert (scale["kind"], scale["apiVersion"]) == ("Scale", "autoscaling/v1")
    assert scale["status"]["selector"] == "app=scaled"
    table = shared_server.kubectl("get", "deployment", "scaled", "--subresource=scale")
    assert table.splitlines()[0].split() == ["NAME", "DESIRED", "AVAILABLE", "AGE"]


# ---- watching ------------------------------------------------------------------------------------


def test_get_w_shows_changes_as_they_come(yard):
    watch = yard.stream("kubectl", "get", "cm", "-n", "siding", "-l", "set=watched", "-w",
                        "--output-watch-events")
    made = labelled(config_map("seen", a="1"), set="watched")
    make(yard, made, "-n", "siding")
    watch.wait_text(r"^ADDED +seen +1 ")
    yard.kubectl("patch", "cm", "seen", "-n", "siding", "-p", '{"data":{"b":"2"}}')
    watch.wait_text(r"^MODIFIED +seen +2 ")
    yard.kubectl("label", "cm", "seen", "-n", "siding", "set=other", "--overwrite")
    watch.wait_text(r"^DELETED +seen +2 ")
    yard.kubectl("delete", "cm", "seen", "-n", "siding")
    make(yard, labelled(config_map("last"), set="watched"), "-n", "siding")
    watch.wait_text(r"^ADDED +last +0 ")
    assert len(re.findall(r"^\w+ED +(seen|last)", watch.text, re.M)) == 4, repr(watch)
    assert watch.text.splitlines()[0].split() == ["EVENT", "NAME", "DATA", "AGE"]


def test_get_w_of_one_object_sees_only_that_one(yard):
    watch = yard.stream("kubectl", "get", "cm", "c", "-n", "yard", "-w", "-o",
                        "jsonpath={.metadata.name} {.metadata.annotations.step}{'\\n'}")
    watch.wait_text(r"^c $")
    yard.kubectl("annotate", "cm", "a", "-n", "yard", "step=other")
    for step in ["1", "2", "3"]:
        yard.kubectl("annotate", "cm", "c", "-n", "yard", f"step={step}", "--overwrite")
    watch.wait_text(r"^c 3$")
    assert watch.text == "c \nc 1\nc 2\nc 3\n"


# ---- columns -------------------------------------------------------------------------------------

COLUMNS = {
    "pods": "NAME READY STATUS RESTARTS AGE",
    "deployments": "NAME READY UP-TO-DATE AVAILABLE AGE",
    "replicasets": "NAME DESIRED CURRENT READY AGE",
    "services": "NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE",
    "configmaps": "NAME DATA AGE",
    "secrets": "NAME TYPE DATA AGE",
    "serviceaccounts": "NAME SECRETS AGE",
    "namespaces": "NAME STATUS AGE",
    "nodes": "NAME STATUS ROLES AGE VERSION",
    "endpoints": "NAME ENDPOINTS AGE",
    "persistentvolumeclaims":
        "NAME STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS VOLUMEATTRIBUTESCLASS AGE",
    "roles.rbac.authorization.k8s.io": "NAME CREATED AT",
    "clusterroles.rbac.authorization.k8s.io": "NAME CREATED AT",
    "rolebindings.rbac.authorization.k8s.io": "NAME ROLE AGE",
    "clusterrolebindings.rbac.authorization.k8s.io": "NAME ROLE AGE",
    "leases.coordination.k8s.io": "NAME HOLDER AGE",
    "priorityclasses.scheduling.k8s.io": "NAME VALUE GLOBAL-DEFAULT AGE PREEMPTIONPOLICY",
    "customresourcedefinitions.apiextensions.k8s.io": "NAME CREATED AT",
    "limitranges": "NAME CREATED AT",
    "pytorchjobs.kubeflow.org": "NAME STATE AGE",
}


@pytest.fixture(scope="module")
def one_of_each(shared_server):
    """At least one object of each kind in COLUMNS, in the namespace each."""
    shared_server.create(namespace("each"))
    add = lambda obj: make(shared_server, obj, "-n", "each")  # noqa: E731
    kubectl = lambda line: shared_server.kubectl(*line.split(), "-n", "each")  # noqa: E731
    waiting = pod("each", "exit 0")
    waiting["spec"]["nodeSelector"] = {"never": "anywhere"}
    add(waiting)
    add(deployment("each"))
    add(service("each"))
    add(config_map("each"))
    add(secret("each", a="b"))
    add({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "each"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
    add({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "by-hand"}, "subsets": [
        {"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}]}]})
    add({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "each"},
         "spec": {"holderIdentity": "me"}})
    add({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "each"}, "spec": {
        "limits": [{"type": "Container", "max": {"memory": "100Gi"}}]}})
    add({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "each"}, "spec": {
        "pytorchReplicaSpecs": {"Master": {"replicas": 1, "template": {"spec": {
            "containers": [{"name": "pytorch", "image": "host", "command": ["true"]}]}}}}}})
    kubectl("create role each --verb=get --resource=pods")
    kubectl("create rolebinding each --role=each --user=jo")
    kubectl("create clusterrole each --verb=get --resource=pods")
    kubectl("create clusterrolebinding each --clusterrole=each --user=jo")
    kubectl("create priorityclass each --value=1")
    return shared_server


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_are_those_of_a_real_server(one_of_each, kind):
    table = one_of_each.kubectl("get", kind, "-n", "each")
    assert table.splitlines()[0].split() == COLUMNS[kind].split(), table


@pytest.mark.parametrize("kind,more", [
    ("pods", "IP NODE NOMINATED NODE READINESS GATES"), ("deployments", "CONTAINERS IMAGES SELECTOR"),
    ("services", "SELECTOR"),
    ("nodes", "INTERNAL-IP EXTERNAL-IP OS-IMAGE KERNEL-VERSION CONTAINER-RUNTIME"),
    ("rolebindings.rbac.authorization.k8s.io", "USERS GROUPS SERVICEACCOUNTS"),
    ("persistentvolumeclaims", "VOLUMEMODE")])
def test_wide_columns_are_those_of_a_real_server(one_of_each, kind, more):
    heading = one_of_each.kubectl("get", kind, "-n", "each", "-o", "wide").splitlines()[0].split()
    assert heading == COLUMNS[kind].split() + more.split()


def test_cells_tell_the_truth(one_of_each):
    row = lambda kind, name="each": one_of_each.kubectl(  # noqa: E731
        "get", kind, name, "-n", "each", "--no-headers").split()
    assert row("pods")[1:4] == ["0/1", "Pending", "0"]
    assert row("deployments")[1:4] == ["0/0", "0", "0"]
    assert row("services")[1] == "ClusterIP" and row("services")[3:5] == ["<none>", "80/TCP"]
    assert row("secrets")[1:3] == ["Opaque", "1"]
    assert row("rolebindings.rbac.authorization.k8s.io")[1] == "Role/each"
    assert row("endpoints", "by-hand")[1] == "10.0.0.1:80"
    assert row("leases.coordination.k8s.io")[1] == "me"
    assert row("priorityclasses.scheduling.k8s.io")[1:3] == ["1", "false"]
    assert one_of_each.kubectl("get", "nodes", "--no-headers").split()[1] == "Ready"


def test_events_columns(shared_server):
    shared_server.create(shell_job("eventful", "exit 0"))
    shared_server.wait_phase("eventful", "Succeeded")
    table = shared_server.kubectl("get", "events").splitlines()
    assert table[0].split() == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
