"""Who may do what: the default roles in one namespace, asked about and tried."""

import itertools
import json
import re

import pytest
from harness import wait_for
from jobs import config_map
from objects import binding, make, named, namespace, role, secret
from people import account, certificate, user
from wire import Wire

READ = {"get", "list", "watch"}
WRITE = {"create", "update", "patch", "delete", "deletecollection"}
VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]

# name: (group, version, is it in a namespace)
RESOURCES = {
    "pods": ("", "v1", True), "pods/log": ("", "v1", True), "configmaps": ("", "v1", True),
    "secrets": ("", "v1", True), "services": ("", "v1", True), "serviceaccounts": ("", "v1", True),
    "persistentvolumeclaims": ("", "v1", True), "events": ("", "v1", True),
    "resourcequotas": ("", "v1", True), "limitranges": ("", "v1", True),
    "deployments": ("apps", "v1", True), "replicasets": ("apps", "v1", True),
    "leases": ("coordination.k8s.io", "v1", True),
    "pytorchtrainingjobs": ("batch.tensorstack.dev", "v1beta1", True),
    "pytorchjobs": ("kubeflow.org", "v1", True),
    "roles": ("rbac.authorization.k8s.io", "v1", True),
    "rolebindings": ("rbac.authorization.k8s.io", "v1", True),
    "namespaces": ("", "v1", False), "nodes": ("", "v1", False),
    "clusterroles": ("rbac.authorization.k8s.io", "v1", False),
    "clusterrolebindings": ("rbac.authorization.k8s.io", "v1", False),
    "priorityclasses": ("scheduling.k8s.io", "v1", False),
    "customresourcedefinitions": ("apiextensions.k8s.io", "v1", False),
}
OURS = {"pods", "configmaps", "services", "serviceaccounts", "persistentvolumeclaims", "events", "deployments",
        "replicasets", "pytorchtrainingjobs", "pytorchjobs"}  # who may view reads them, who may edit writes them
ROLES = ["none", "view", "edit", "admin", "cluster-admin"]


def allowed(who, verb, resource, here=True):
    """What the default ClusterRoles of Kubernetes say, bound in one namespace; here: in that one."""
    if who == "cluster-admin":
        return True
    if who == "none" or not here:
        return False
    if resource == "namespaces":
        return verb == "get"  # the one that they are in
    if resource in ("pods/log", "resourcequotas", "limitranges"):
        return verb in READ
    if resource in OURS:
        return verb in READ or who != "view"
    if resource in ("secrets", "leases"):
        return who != "view"
    if resource in ("roles", "rolebindings"):
        return who == "admin"
    return False


@pytest.fixture(scope="module")
def people(shared_server):
    """One of each role in the namespace team; there is another namespace."""
    shared_server.create(namespace("team"))
    shared_server.create(namespace("others"))
    found = {role: user(shared_server, f"user-{role}", role, "team") for role in ["view", "edit", "admin"]}
    found["none"] = certificate(shared_server, "user-none")
    found["cluster-admin"] = certificate(shared_server, "user-root", "system:masters")
    return found


@pytest.fixture(scope="module")
def wires(people):
    return {who: person.wire() for who, person in people.items()}


def review(wire, verb, resource, place):
    plain, _, sub = resource.partition("/")
    group, version, namespaced = RESOURCES[resource]
    attributes = {"verb": verb, "group": group, "version": version, "resource": plain}
    if sub:
        attributes["subresource"] = sub
    if namespaced:
        attributes["namespace"] = place
    elif resource == "namespaces" and verb in ("get", "update", "patch", "delete"):
        attributes.update(namespace=place, name=place)
    answer = wire.ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes}})
    assert answer.code == 201, repr(answer)
    return answer.json["status"]


def body(resource, name):
    group, version, _ = RESOURCES[resource]
    kinds = {"roles": "Role", "rolebindings": "RoleBinding", "pytorchtrainingjobs": "PyTorchTrainingJob",
             "pytorchjobs": "PyTorchJob", "configmaps": "ConfigMap", "customresourcedefinitions":
             "CustomResourceDefinition", "persistentvolumeclaims": "PersistentVolumeClaim",
             "serviceaccounts": "ServiceAccount", "resourcequotas": "ResourceQuota", "limitranges": "LimitRange",
             "replicasets": "ReplicaSet", "clusterroles": "ClusterRole", "clusterrolebindings": "ClusterRoleBinding",
             "priorityclasses": "PriorityClass"}
    made = {"apiVersion": f"{group}/{version}".lstrip("/"), "metadata": {"name": name},
            "kind": kinds.get(resource, resource.rstrip("s").capitalize())}
    if "bindings" in resource:
        made["roleRef"] = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
    return made


def attempt(wire, verb, resource, place):
    """A real request of that verb that changes nothing; its code."""
    plain, _, sub = resource.partition("/")
    group, version, namespaced = RESOURCES[resource]
    base = f"/apis/{group}/{version}" if group else f"/api/{version}"
    many = f"{base}/namespaces/{place}/{plain}" if namespaced else f"{base}/{plain}"
    name = place if resource == "namespaces" else "no-such-thing"
    one = f"{many}/{name}" + (f"/{sub}" if sub else "")
    dry = {"dryRun": "All"}
    if verb == "watch":
        response = wire.send("GET", many, query={"watch": "true", "timeoutSeconds": "1"})
        response.close()
        wire.close()
        return response.status
    answer = {
        "get": lambda: wire.get(one), "list": lambda: wire.get(many),
        "create": lambda: wire.ask("POST", many, body(resource, "no-such-thing"), dry),
        "update": lambda: wire.ask("PUT", one, body(resource, name), dry),
        "patch": lambda: wire.ask("PATCH", one, {}, dry, Content_Type="application/merge-patch+json"),
        "delete": lambda: wire.ask("DELETE", one, None, dry),
        "deletecollection": lambda: wire.ask("DELETE", many, None, {**dry, "labelSelector": "no=thing"}),
    }[verb]()
    if answer.code == 403:
        assert answer.json["reason"] == "Forbidden", repr(answer)
    return answer.code


def cells(resources):
    return itertools.product(resources, VERBS)


@pytest.mark.parametrize("place", ["team", "others"])
@pytest.mark.parametrize("who", ROLES)
def test_access_reviews_say_what_the_default_roles_allow(wires, who, place):
    wrong = []
    for resource, verb in cells(RESOURCES):
        if resource == "pods/log" and verb not in READ:
            continue
        says = review(wires[who], verb, resource, place)["allowed"]
        if says != allowed(who, verb, resource, place == "team"):
            wrong.append(f"{verb} {resource}: {'allowed' if says else 'denied'}")
    assert not wrong, f"{who} in {place}: {wrong}"


@pytest.mark.parametrize("place", ["team", "others"])
@pytest.mark.parametrize("who", ROLES)
def test_requests_are_answered_as_the_default_roles_allow(wires, who, place):
    wrong = []
    for resource, verb in cells(RESOURCES):
        if resource == "pods/log" and verb != "get" or resource == "namespaces" and verb == "deletecollection":
            continue
        code = attempt(wires[who], verb, resource, place)
        if (code == 403) == allowed(who, verb, resource, place == "team") or code in (401, 500):
            wrong.append(f"{verb} {resource}: {code}")
    assert not wrong, f"{who} in {place}: {wrong}"


def test_can_i(people):
    asked = lambda who, *words: people[who].try_kubectl("auth", "can-i", *words)  # noqa: E731
    yes = asked("view", "list", "pods", "-n", "team")
    assert (yes.code, yes.out) == (0, "yes\n"), repr(yes)
    no = asked("view", "get", "secrets", "-n", "team")
    assert (no.code, no.out) == (1, "no\n"), repr(no)
    assert asked("edit", "create", "pods/exec", "-n", "team").code == 0
    assert asked("view", "create", "pods/exec", "-n", "team").code == 1
    assert asked("edit", "create", "serviceaccounts/token", "-n", "team").code == 0
    assert asked("view", "get", "pods", "--subresource=log", "-n", "team").code == 0
    assert asked("none", "get", "/api").code == 0, "everybody discovers"
    assert asked("none", "get", "/metrics").code == 1
    assert asked("cluster-admin", "*", "*").code == 0


def test_can_i_list(people):
    text = people["view"].kubectl("auth", "can-i", "--list", "-n", "team")
    heading, rows = text.splitlines()[0], text.splitlines()[1:]
    assert heading.split() == ["Resources", "Non-Resource", "URLs", "Resource", "Names", "Verbs"]
    row = lambda name: next((line for line in rows if line.split()[0] == name), None)  # noqa: E731
    assert re.search(r"\[get list watch\]$", row("configmaps")), text
    assert re.search(r"\[get list watch\]$", row("*.batch.tensorstack.dev") or row("pytorchtrainingjobs.batch.tensorstack.dev")), text
    assert row("secrets") is None, text
    assert re.search(r"\[create\]$", row("selfsubjectaccessreviews.authorization.k8s.io")), text
    assert re.search(r"\[/api/\*\] .*\[get\]", text), text
    admin = people["cluster-admin"].kubectl("auth", "can-i", "--list")
    assert re.search(r"^\*\.\* +\[\] +\[\] +\[\*\]$", admin, re.M), admin


def test_a_refusal_says_who_what_and_where(people):
    refused = people["view"].try_kubectl("get", "secrets", "-n", "team")
    assert refused.code == 1
    assert refused.err == ('Error from server (Forbidden): secrets is forbidden: User "user-view" cannot list '
                           'resource "secrets" in API group "" in the namespace "team"\n'), repr(refused)
    refused = people["view"].try_kubectl("delete", "pj", "x", "-n", "team")
    assert 'pytorchtrainingjobs.batch.tensorstack.dev "x" is forbidden: User "user-view" cannot delete resource ' \
           '"pytorchtrainingjobs" in API group "batch.tensorstack.dev" in the namespace "team"' in refused.err
    refused = people["edit"].try_kubectl("get", "nodes")
    assert 'nodes is forbidden: User "user-edit" cannot list resource "nodes" in API group "" at the cluster scope' \
        in refused.err, repr(refused)
    refused = people["view"].try_kubectl("get", "pods", "-A")
    assert "at the cluster scope" in refused.err, repr(refused)
    refused = people["none"].try_kubectl("get", "--raw", "/metrics")
    assert 'User "user-none" cannot get path "/metrics"' in refused.err, repr(refused)
    answer = people["view"].wire().get("/api/v1/namespaces/team/secrets")
    assert answer.json["details"] == {"kind": "secrets"} and answer.json["code"] == 403


def test_a_stranger_does_not_learn_what_exists(shared_server, people):
    make(shared_server, secret("hidden", a="1"), "-n", "team")
    wire = people["view"].wire()
    for method in ["GET", "DELETE"]:
        there, absent = (wire.ask(method, f"/api/v1/namespaces/team/secrets/{name}") for name in ["hidden", "absent"])
        assert there.code == absent.code == 403
        assert there.message.replace("hidden", "absent") == absent.message
    for path in ["/api/v1/namespaces/nowhere/pods", "/api/v1/namespaces/nowhere"]:
        assert wire.get(path).code == 403, "not even namespaces"
    bad = wire.ask("POST", "/api/v1/namespaces/team/secrets", "{")
    assert bad.code == 403, "before the body is looked at"


def test_view_edit_and_admin_at_work(people):
    team = ["-n", "team"]
    text = json.dumps(config_map("work", a="1"))
    assert people["view"].try_kubectl("create", *team, "-f", "-", input=text).code == 1
    people["edit"].kubectl("create", *team, "-f", "-", input=text)
    assert people["view"].kubectl("get", "cm", "work", *team, "-o", "jsonpath={.data.a}") == "1"
    people["edit"].kubectl("create", "secret", "generic", "work", *team)
    assert people["edit"].try_kubectl("create", "role", "r", "--verb=get", "--resource=pods", *team).code == 1
    people["admin"].kubectl("create", "role", "r", "--verb=get", "--resource=pods", *team)
    people["admin"].kubectl("create", "rolebinding", "r", "--role=r", "--user=user-none", *team)
    assert people["none"].kubectl("auth", "can-i", "get", "pods", *team) == "yes\n"
    people["admin"].kubectl("delete", "rolebinding", "r", *team)
    assert people["none"].try_kubectl("auth", "can-i", "get", "pods", *team).out == "no\n"
    refused = people["admin"].try_kubectl("create", "quota", "q", "--hard=pods=1", *team)
    assert refused.code == 1 and "resourcequotas is forbidden" in refused.err, repr(refused)
    assert people["admin"].try_kubectl("delete", "namespace", "team").code == 1


# ---- nobody gives what they do not have ----------------------------------------------------------


def test_a_role_with_more_than_its_maker_has_is_refused(people):
    put = lambda obj: people["admin"].try_kubectl("create", "-n", "team", "-f", "-", input=json.dumps(obj))  # noqa: E731
    refused = put(role("greedy", ["get"], ["nodes"]))
    assert refused.code == 1 and "(Forbidden)" in refused.err, repr(refused)
    assert 'user "user-admin" (groups=["' in refused.err, repr(refused)
    assert "is attempting to grant RBAC permissions not currently held:\n" \
           '{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}' in refused.err, repr(refused)
    for greedy in [role("greedy", ["*"], ["*"], ["*"]), role("greedy", ["create"], ["resourcequotas"])]:
        assert put(greedy).code == 1
    assert put(role("modest", ["get", "delete"], ["pods"])).code == 0
    changed = people["admin"].try_kubectl("patch", "role", "modest", "-n", "team", "--type=json", "-p", json.dumps(
        [{"op": "add", "path": "/rules/0/resources/-", "value": "nodes"}]))
    assert changed.code == 1 and "not currently held" in changed.err, repr(changed)
    applied = people["admin"].try_kubectl("apply", "--server-side", "-n", "team", "-f", "-", input=json.dumps(
        role("applied", ["get"], ["nodes"])))
    assert applied.code == 1 and "not currently held" in applied.err, repr(applied)


def test_a_binding_to_more_than_its_maker_has_is_refused(people):
    put = lambda obj: people["admin"].try_kubectl("create", "-n", "team", "-f", "-", input=json.dumps(obj))  # noqa: E731
    refused = put(binding("crown", "ClusterRole", "cluster-admin", ("User", "user-admin")))
    assert refused.code == 1 and "not currently held" in refused.err, repr(refused)
    for role_name in ["view", "edit", "admin"]:
        assert put(binding(f"hand-{role_name}", "ClusterRole", role_name, ("User", "friend"))).code == 0
    missing = put(binding("lost", "Role", "no-such-role", ("User", "friend")))
    assert missing.code == 1 and "not found" in missing.err, repr(missing)


def test_bind_and_escalate_are_verbs(shared_server, people):
    make(shared_server, role("may-bind", ["bind"], ["clusterroles"], ["rbac.authorization.k8s.io"],
                             resourceNames=["system:discovery", "cluster-admin"]), "-n", "team")
    make(shared_server, binding("may-bind", "Role", "may-bind", ("User", "user-admin")), "-n", "team")
    made = binding("allowed", "ClusterRole", "cluster-admin", ("User", "friend"))
    done = people["admin"].try_kubectl("create", "-n", "team", "-f", "-", input=json.dumps(made))
    assert done.code == 0, repr(done)
    shared_server.kubectl("delete", "rolebinding", "allowed", "may-bind", "-n", "team")


def test_where_a_binding_points_cannot_be_changed(shared_server):
    make(shared_server, binding("fixed", "ClusterRole", "view", ("User", "x")), "-n", "team")
    refused = shared_server.try_kubectl("patch", "rolebinding", "fixed", "-n", "team", "-p",
                                        '{"roleRef":{"name":"edit"}}')
    assert refused.code == 1 and "roleRef: Invalid value" in refused.err, repr(refused)
    assert "cannot change roleRef" in refused.err, repr(refused)


@pytest.mark.parametrize("spoil,field", [
    (lambda made: made.update(roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Rule", "name": "x"}), "roleRef.kind"),
    (lambda made: made["roleRef"].update(name=""), "roleRef.name"),
    (lambda made: made.update(subjects=[{"kind": "Alien", "name": "x"}]), "subjects[0].kind"),
    (lambda made: made.update(subjects=[{"kind": "ServiceAccount", "name": "x"}]), "subjects[0].namespace"),
    (lambda made: made.update(subjects=[{"kind": "User", "name": "", "apiGroup": "rbac.authorization.k8s.io"}]),
     "subjects[0].name")], ids=["kind", "no name", "subject", "no namespace", "nobody"])
def test_bindings_that_are_none(shared_server, people, spoil, field):
    made = binding("bad", "ClusterRole", "view", ("User", "x"))
    spoil(made)
    answer = Wire(shared_server).ask(
        "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings", made)
    assert answer.code == 422 and field in answer.message, repr(answer)


def test_rules_that_are_none(shared_server, people):
    wire = Wire(shared_server)
    path = "/apis/rbac.authorization.k8s.io/v1/namespaces/team/roles"
    for rule, field in [({"apiGroups": [""], "resources": ["pods"], "verbs": []}, "rules[0].verbs"),
                        ({"resources": ["pods"], "verbs": ["get"]}, "rules[0].apiGroups"),
                        ({"apiGroups": [""], "verbs": ["get"]}, "rules[0].resources"),
                        ({"nonResourceURLs": ["/x"], "verbs": ["get"]}, "rules[0].nonResourceURLs")]:
        made = {**role("bad", [], []), "rules": [rule]}
        answer = wire.ask("POST", path, made)
        assert answer.code == 422 and field in answer.message, repr(answer)


# ---- what rules can say --------------------------------------------------------------------------


def may(wire, verb, resource, group="", name=None, place="default"):
    attributes = {"verb": verb, "resource": resource.partition("/")[0], "group": group, "namespace": place}
    if "/" in resource:
        attributes["subresource"] = resource.partition("/")[2]
    if name:
        attributes["name"] = name
    answer = wire.ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes}})
    return answer.json["status"]["allowed"]


def test_rules_by_name_subresource_and_wildcard(shared_server):
    robot = account(shared_server, "ruled")
    wire = robot.wire()
    rules = [
        {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["mine"], "verbs": ["get", "update"]},
        {"apiGroups": ["apps"], "resources": ["*/scale"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
        {"apiGroups": ["kubeflow.org"], "resources": ["*"], "verbs": ["*"]}]
    shared_server.create({**role("ruled", [], []), "rules": rules})
    made = binding("ruled", "Role", "ruled")
    made["subjects"] = [{"kind": "ServiceAccount", "name": "ruled", "namespace": "default"}]
    shared_server.create(made)
    assert may(wire, "get", "configmaps", name="mine") and not may(wire, "get", "configmaps", name="yours")
    assert not may(wire, "get", "configmaps") and not may(wire, "list", "configmaps", name="mine")
    assert may(wire, "get", "deployments/scale", "apps") and not may(wire, "get", "deployments", "apps")
    assert may(wire, "get", "pods/log") and not may(wire, "get", "pods")
    assert may(wire, "dance", "pytorchjobs/status", "kubeflow.org")
    assert not may(wire, "get", "pytorchjobs", "kubeflow.org", place="kube-system")
    assert wire.get("/api/v1/namespaces/default/configmaps/mine").code == 404
    assert wire.get("/api/v1/namespaces/default/configmaps/yours").code == 403
    assert wire.get("/api/v1/namespaces/default/configmaps", {"fieldSelector": "metadata.name=mine"}).code == 403, \
        "list was not given"
    shared_server.kubectl("delete", "rolebinding", "ruled")
    assert wire.get("/api/v1/namespaces/default/configmaps/mine").code == 403, "at once"


def test_groups_and_everybody(shared_server):
    crew = certificate(shared_server, "stoker", "crew", "night")
    assert not may(crew.wire(), "get", "pods")
    shared_server.create(binding("crew", "ClusterRole", "view", ("Group", "crew")))
    assert may(crew.wire(), "get", "pods")
    shared_server.kubectl("delete", "rolebinding", "crew")
    shared_server.create(binding("all", "ClusterRole", "view", ("Group", "system:authenticated")))
    assert may(crew.wire(), "get", "pods")
    shared_server.kubectl("delete", "rolebinding", "all")
    shared_server.create(binding("robots", "ClusterRole", "view", ("Group", "system:serviceaccounts:default")))
    assert may(account(shared_server, "grouped").wire(), "get", "pods")
    assert not may(crew.wire(), "get", "pods")
    shared_server.kubectl("delete", "rolebinding", "robots")


def test_a_cluster_role_can_be_added_to_view(shared_server, people):
    assert not may(people["view"].wire(), "get", "leases", "coordination.k8s.io", place="team")
    shared_server.create({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "more-view", "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
        "rules": [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get"]}]})
    wire = people["view"].wire()
    wait_for("view to grow", lambda: may(wire, "get", "leases", "coordination.k8s.io", place="team"))
    assert may(people["edit"].wire(), "get", "leases", "coordination.k8s.io", place="team")
    assert "leases" in json.dumps(shared_server.get("clusterrole", "view")["rules"])
    shared_server.kubectl("delete", "clusterrole", "more-view")
    wait_for("view to shrink", lambda: not may(wire, "get", "leases", "coordination.k8s.io", place="team"))


def test_the_default_roles_are_there_and_come_back(server):
    names = {made["metadata"]["name"] for made in server.list("clusterroles")}
    assert {"cluster-admin", "admin", "edit", "view", "system:discovery", "system:basic-user"} <= names
    label = server.get("clusterrole", "view")["metadata"]["labels"]
    assert label["kubernetes.io/bootstrapping"] == "rbac-defaults"
    server.kubectl("delete", "clusterrole", "view")
    server.cli("down")
    server.up()
    assert server.get("clusterrole", "view"), "restored at the start"


def test_subject_access_reviews_of_others(shared_server, people):
    ask = lambda wire, spec: wire.ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {  # noqa: E731
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec})
    attributes = {"resourceAttributes": {"verb": "list", "resource": "pods", "namespace": "team"}}
    answer = ask(Wire(shared_server), {"user": "user-view", **attributes})
    assert answer.code == 201 and answer.json["status"]["allowed"] is True, repr(answer)
    assert ask(Wire(shared_server), {"user": "nobody", **attributes}).json["status"]["allowed"] is False
    assert ask(Wire(shared_server), {"groups": ["system:masters"], **attributes}).json["status"]["allowed"] is True
    assert ask(people["view"].wire(), {"user": "nobody", **attributes}).code == 403


def test_auth_reconcile(shared_server):
    text = json.dumps(named(role("x", ["get"], ["pods"]), "reconciled", namespace="default"))
    said = shared_server.kubectl("auth", "reconcile", "-f", "-", input=text)
    assert "role.rbac.authorization.k8s.io/reconciled reconciled" in said


def nosy(path, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nosy"}, "spec": {
        "restartPolicy": "Never", "volumes": [{"name": "v", "hostPath": {"path": str(path)}}],
        "containers": [{"name": "main", "image": "host", "command": ["cat", "/nosy/admin.token"],
                        "volumeMounts": [{"name": "v", "mountPath": "/nosy"}]}], **spec}}


def test_who_may_edit_cannot_read_the_administrators_token_through_a_pod(shared_server, people):
    made = json.dumps(nosy(shared_server.data / "pki"))
    done = people["edit"].try_kubectl("create", "-n", "team", "-f", "-", input=made)
    if done.code == 0:
        wait_for("its end", lambda: json.loads(shared_server.kubectl("get", "pod", "nosy", "-n", "team", "-o", "json"))[
            "status"]["phase"] in ("Succeeded", "Failed"))
        log = people["edit"].try_kubectl("logs", "nosy", "-n", "team")
        shared_server.kubectl("delete", "pod", "nosy", "-n", "team", "--grace-period=0", "--force")
        leaked = shared_server.token().strip() in log.text
        assert not leaked, "the administrator's token was given away"


@pytest.mark.parametrize("made,word", [
    (nosy("/etc"), "hostPath"), (nosy("/etc", hostPID=True, volumes=[{"name": "v", "emptyDir": {}}]), "hostPID")],
    ids=["hostPath", "hostPID"])
def test_pods_that_reach_out_need_the_administrator(people, made, word):
    """Also those of a job: a template is a pod."""
    put = lambda obj: people["edit"].try_kubectl(  # noqa: E731
        "create", "-n", "team", "--dry-run=server", "-f", "-", input=json.dumps(obj))
    refused = put(made)
    assert refused.code == 1 and word in refused.err, repr(refused)
    job = {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob", "metadata": {"name": "nosy"},
           "spec": {"replicaSpecs": [{"type": "worker", "replicas": 1, "template": {"spec": made["spec"]}}]}}
    refused = put(job)
    assert refused.code == 1 and word in refused.err, repr(refused)


def test_a_claim_of_a_folder_of_the_machine_needs_the_administrator(shared_server, people):
    made = {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": "nosy", "annotations": {"trainyard.dev/path": str(shared_server.data / "pki")}},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    refused = people["edit"].try_kubectl("create", "-n", "team", "-f", "-", input=json.dumps(made))
    assert refused.code == 1 and "trainyard.dev/path" in refused.err, repr(refused)
    del made["metadata"]["annotations"]
    people["edit"].kubectl("create", "-n", "team", "-f", "-", input=json.dumps(made))
    refused = people["edit"].try_kubectl("annotate", "pvc", "nosy", "-n", "team", "trainyard.dev/path=/etc")
    assert refused.code == 1 and "trainyard.dev/path" in refused.err, repr(refused)
    people["edit"].kubectl("label", "pvc", "nosy", "-n", "team", "a=b")
    people["edit"].kubectl("delete", "pvc", "nosy", "-n", "team")
