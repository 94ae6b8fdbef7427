"""kubectl describe, explain, api-resources, events, top: what a newcomer looks at first."""

import json
import re

import pytest
from harness import wait_for
from jobs import pod, shell_job
from objects import deployment, make, namespace


def described(server, *what):
    """{heading: value} of the outermost lines, and the whole text."""
    text = server.kubectl("describe", *what)
    return dict(re.findall(r"^([A-Z][\w .-]*?):[ \t]*(.*)$", text, re.M)), text


# ---- describe ------------------------------------------------------------------------------------


def test_describe_a_pod(shared_server):
    shared_server.create(pod("told", "exit 3", env=[{"name": "COLOR", "value": "red"}]))
    wait_for("its end", lambda: shared_server.get("pod", "told")["status"]["phase"] == "Failed")
    told, text = described(shared_server, "pod", "told")
    assert (told["Name"], told["Namespace"], told["Status"]) == ("told", "default", "Failed")
    assert told["Node"].startswith("node-0/") and told["Service Account"] == "default"
    for wanted in [r"State: +Terminated", r"Reason: +Error", r"Exit Code: +3", r"COLOR: +red",
                   r"memory: +16Mi", r"^Conditions:", r"^QoS Class: +Burstable", r"^Events:"]:
        assert re.search(wanted, text, re.M), f"{wanted}\n{text}"
    wait_for("its events", lambda: re.search(
        r"Normal +Scheduled .* Successfully assigned default/told to node-0",
        shared_server.kubectl("describe", "pod", "told")))


def test_describe_a_node(shared_server):
    told, text = described(shared_server, "node", "node-0")
    assert told["Name"] == "node-0" and told["Unschedulable"] == "false"
    for wanted in [r"^Addresses:", r"InternalIP: +\d+\.", r"Hostname: +\S", r"^Capacity:", r"^Allocatable:",
                   r"cpu: +\d", r"memory: +\d+", r"pods: +\d+", r"Ready +True", r"^System Info:",
                   r"Kernel Version: +\d", r"^Non-terminated Pods:", r"^Allocated resources:"]:
        assert re.search(wanted, text, re.M), f"{wanted}\n{text}"


def test_describe_a_namespace_with_quota_and_limits(shared_server):
    shared_server.create(namespace("told"))
    _, text = described(shared_server, "namespace", "told")
    assert "No resource quota." in text and "No LimitRange resource." in text
    shared_server.kubectl("create", "quota", "told", "--hard=pods=3,requests.memory=1Gi", "-n", "told")
    make(shared_server, {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "told"}, "spec": {
        "limits": [{"type": "Container", "default": {"memory": "64Mi"}}]}}, "-n", "told")
    wait_for("the quota's status", lambda: "Resource Quotas" in
             shared_server.kubectl("describe", "namespace", "told"))
    told, text = described(shared_server, "namespace", "told")
    assert told["Status"] == "Active"
    assert re.search(r"pods +0 +3$", text, re.M) and re.search(r"requests.memory +0 +1Gi$", text, re.M), text
    assert re.search(r"Container +memory .*64Mi", text), text


def test_describe_a_quota(shared_server):
    shared_server.create(namespace("counted"))
    shared_server.kubectl("create", "quota", "told", "--hard=pods=3", "-n", "counted")
    make(shared_server, pod("one", "sleep 60", grace=0), "-n", "counted")
    wait_for("the count", lambda: re.search(
        r"^pods +1 +3$", shared_server.kubectl("describe", "quota", "told", "-n", "counted"), re.M))
    _, text = described(shared_server, "quota", "told", "-n", "counted")
    assert re.search(r"^Resource +Used +Hard$", text, re.M), text


def test_describe_a_claim(shared_server):
    shared_server.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "told"},
                          "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
    wait_for("it to be bound", lambda: shared_server.get("pvc", "told")["status"].get("phase") == "Bound")
    told, text = described(shared_server, "pvc", "told")
    assert (told["Status"], told["StorageClass"], told["Capacity"]) == ("Bound", "local", "1Gi"), text
    assert told["Access Modes"] == "RWO" and told["Used By"] == "<none>"
    assert told["Volume"], "the volume's name"


def test_describe_a_deployment(shared_server):
    shared_server.create(deployment("told", replicas=1))
    shared_server.kubectl("rollout", "status", "deployment/told", "--timeout=30s")
    told, text = described(shared_server, "deployment", "told")
    assert told["Replicas"] == "1 desired | 1 updated | 1 total | 1 available | 0 unavailable", text
    assert told["StrategyType"] == "RollingUpdate" and told["Selector"] == "app=told"
    assert re.search(r"Available +True +MinimumReplicasAvailable", text), text
    assert re.search(r"Progressing +True +NewReplicaSetAvailable", text), text
    assert re.match(r"told-\w+ \(1/1 replicas created\)", told["NewReplicaSet"]), text
    wait_for("its events", lambda: re.search(r"Normal +ScalingReplicaSet .*Scaled up replica set told-\w+ "
                                             r"from 0 to 1", shared_server.kubectl("describe", "deploy", "told")))
    told, text = described(shared_server, "replicaset", "-l", "app=told")
    assert told["Controlled By"] == "Deployment/told" and told["Replicas"] == "1 current / 1 desired"
    shared_server.kubectl("delete", "deployment", "told")


def test_describe_of_a_service_a_secret_a_role_and_a_class(shared_server):
    shared_server.kubectl("create", "service", "clusterip", "told", "--tcp=80:8080")
    assert described(shared_server, "service", "told")[0]["TargetPort"] == "8080/TCP"
    shared_server.kubectl("create", "secret", "generic", "told", "--from-literal=password=s3cret")
    _, text = described(shared_server, "secret", "told")
    assert "password:  6 bytes" in text and "s3cret" not in text
    shared_server.kubectl("create", "role", "told", "--verb=get", "--resource=pods")
    assert re.search(r"pods +\[\] +\[\] +\[get\]", described(shared_server, "role", "told")[1])
    shared_server.kubectl("create", "priorityclass", "told", "--value=5")
    assert described(shared_server, "priorityclass", "told")[0]["Value"] == "5"
    assert described(shared_server, "serviceaccount", "default")[0]["Name"] == "default"


def test_describe_a_job(shared_server):
    shared_server.create(shell_job("told-job", "exit 0"))
    shared_server.wait_phase("told-job", "Succeeded")
    told, text = described(shared_server, "pj", "told-job")
    assert told["Kind"] == "PyTorchTrainingJob" and told["Name"] == "told-job"
    assert re.search(r"^ +Phase: +Succeeded$", text, re.M), text
    assert re.search(r"^  Normal +Created ", text, re.M), text


# ---- explain and discovery -----------------------------------------------------------------------


def test_every_served_kind_is_explained(shared_server):
    rows = [line.split() for line in shared_server.kubectl("api-resources", "--no-headers").splitlines()]
    assert len(rows) > 25
    problems = []
    for row in rows:
        plural, version, kind = row[0], row[-3], row[-1]
        done = shared_server.try_kubectl("explain", plural, f"--api-version={version}", "--recursive")
        description = re.search(r"DESCRIPTION:\n((?:    .*\n?)+)", done.out)
        if done.code != 0 or f"KIND:       {kind}\n" not in done.out:
            problems.append(f"{plural}: {done!r}"[:600])
        elif not description or description[1].strip() in ("", "<empty>"):
            problems.append(f"{plural}: no description")
        elif "FIELDS:" not in done.out or "apiVersion" not in done.out:
            problems.append(f"{plural}: no fields")
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("path,words", [
    ("pod.spec.containers.resources.limits", ["map[string]Quantity"]),
    ("pods.metadata.ownerReferences", ["uid", "-required-", "blockOwnerDeletion"]),
    ("deployment.spec.strategy.rollingUpdate", ["maxSurge"]),
    ("deployment.spec.strategy.type", ["ENUM:", "Recreate", "RollingUpdate"]),
    ("pytorchjob.spec.pytorchReplicaSpecs", ["replicas", "restartPolicy", "template"]),
    ("pj.spec.replicaSpecs.template.spec.containers.env", ["valueFrom"]),
    ("customresourcedefinition.spec.versions", ["storage", "served", "additionalPrinterColumns"]),
    ("pods.metadata.creationTimestamp", ["<string>"])])
def test_explain_reaches_deep_fields(shared_server, path, words):
    text = shared_server.kubectl("explain", path)
    for word in words:
        assert word in text, text
    assert "<empty>" not in text, text


def test_explain_tells_what_is_missing(shared_server):
    missing = shared_server.try_kubectl("explain", "pods.spec.nonsense")
    assert missing.code == 1 and 'field "nonsense" does not exist' in missing.err, repr(missing)


SHORT_NAMES = {"pods": "po", "services": "svc", "configmaps": "cm", "namespaces": "ns", "nodes": "no",
               "persistentvolumeclaims": "pvc", "persistentvolumes": "pv", "serviceaccounts": "sa",
               "resourcequotas": "quota", "limitranges": "limits", "deployments": "deploy",
               "replicasets": "rs", "events": "ev", "endpoints": "ep", "priorityclasses": "pc",
               "customresourcedefinitions": "crd,crds", "pytorchtrainingjobs": "pj"}
ALL_VERBS = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}


def test_short_names_and_verbs(shared_server):
    text = shared_server.kubectl("api-resources", "-o", "wide")
    heading, rows = text.splitlines()[0], text.splitlines()[1:]
    assert heading.split() == ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", "VERBS", "CATEGORIES"]
    at = {word: heading.index(word) for word in heading.split()}
    cell = lambda row, word, end: row[at[word]:at[end]].strip()  # noqa: E731
    table = {(cell(row, "NAME", "SHORTNAMES"), cell(row, "APIVERSION", "NAMESPACED").rpartition("/")[0]):
             (cell(row, "SHORTNAMES", "APIVERSION"), cell(row, "NAMESPACED", "KIND"),
              set(cell(row, "VERBS", "CATEGORIES").split(",")), row[at["CATEGORIES"]:].strip()) for row in rows}
    shorts = {name: entry[0] for (name, group), entry in table.items()
              if group not in ("events.k8s.io", "metrics.k8s.io")}
    assert {name: shorts.get(name) for name in SHORT_NAMES} == SHORT_NAMES
    for key in [("pods", ""), ("configmaps", ""), ("deployments", "apps"),
                ("pytorchtrainingjobs", "batch.tensorstack.dev"), ("leases", "coordination.k8s.io")]:
        assert table[key][1:3] == ("true", ALL_VERBS), f"{key}: {table[key]}"
    assert table[("namespaces", "")][1] == "false"
    assert table[("namespaces", "")][2] == ALL_VERBS - {"deletecollection"}
    assert table[("selfsubjectaccessreviews", "authorization.k8s.io")][2] == {"create"}
    assert "all" in table[("pods", "")][3].split(","), "its categories"


def test_api_resources_can_be_filtered(shared_server):
    of = lambda *args: shared_server.kubectl("api-resources", "-o", "name", *args).split()  # noqa: E731
    assert "nodes" in of("--namespaced=false") and "pods" not in of("--namespaced=false")
    assert "deployments.apps" in of("--api-group=apps") and "pods" not in of("--api-group=apps")
    listable = of("--verbs=list,watch")
    assert "pods" in listable and "tokenreviews.authentication.k8s.io" not in listable
    assert "tokenreviews.authentication.k8s.io" in of()


def test_api_versions(shared_server):
    versions = shared_server.kubectl("api-versions").split()
    assert {"v1", "apps/v1", "coordination.k8s.io/v1", "events.k8s.io/v1", "scheduling.k8s.io/v1",
            "rbac.authorization.k8s.io/v1", "authentication.k8s.io/v1", "authorization.k8s.io/v1",
            "apiextensions.k8s.io/v1", "batch.tensorstack.dev/v1beta1", "kubeflow.org/v1",
            "kubeflow.org/v2beta1", "scheduling.volcano.sh/v1beta1"} <= set(versions), versions
    assert versions == sorted(versions), "kubectl sorts them"


def test_version_and_cluster_info(shared_server):
    version = json.loads(shared_server.kubectl("version", "-o", "json"))["serverVersion"]
    assert version["gitVersion"].startswith("v1.32"), version
    assert re.search(r"Server Version: v1\.32", shared_server.kubectl("version"))
    info = re.sub(r"\x1b\[[\d;]*m", "", shared_server.kubectl("cluster-info"))
    assert f"Kubernetes control plane is running at https://{shared_server.listen}" in info


# ---- events and top ------------------------------------------------------------------------------


def test_events_of_one_object_and_of_one_type(shared_server):
    shared_server.create(pod("heard", "exit 1"))
    wait_for("its end", lambda: shared_server.get("pod", "heard")["status"]["phase"] == "Failed")
    wait_for("an event", lambda: "Scheduled" in shared_server.kubectl("events", "--for", "pod/heard"))
    text = shared_server.kubectl("events", "--for", "pod/heard")
    assert text.splitlines()[0].split() == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert all("Pod/heard" in line for line in text.splitlines()[1:]), text
    normal = shared_server.kubectl("events", "--types=Normal", "-A")
    assert "Warning" not in normal
    ordered = shared_server.kubectl("get", "events", "--sort-by=.metadata.creationTimestamp", "-o",
                                    "jsonpath={.items[*].metadata.creationTimestamp}").split()
    assert ordered == sorted(ordered)


def test_events_in_both_groups_are_the_same(shared_server):
    shared_server.create(shell_job("both-groups", "exit 0"))
    shared_server.wait_phase("both-groups", "Succeeded")
    core = {event["metadata"]["uid"]: event for event in shared_server.list("events")}
    new = {event["metadata"]["uid"]: event for event in shared_server.list("events.events.k8s.io")}
    shared = set(core) & set(new)
    assert shared and len(set(core) ^ set(new)) <= 2, "only what came between the two lists"
    for uid in shared:
        assert core[uid]["message"] == new[uid]["note"]
        assert core[uid]["involvedObject"] == new[uid]["regarding"]
        assert core[uid]["reason"] == new[uid]["reason"]


def test_an_event_by_hand_reads_in_the_other_group(shared_server):
    shared_server.create({
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "by-hand"},
        "eventTime": "2030-01-01T00:00:00.000000Z", "reportingController": "example.com/me",
        "reportingInstance": "me-1", "action": "Testing", "reason": "Tested", "type": "Normal",
        "note": "well done", "regarding": {"kind": "ConfigMap", "name": "x", "namespace": "default"}})
    core = shared_server.get("events", "by-hand")
    assert core["message"] == "well done" and core["involvedObject"]["name"] == "x"
    assert core["reportingComponent"] == "example.com/me"


def test_top(shared_server):
    nodes = shared_server.try_kubectl("top", "nodes")
    if nodes.code != 0 and "metrics" in nodes.err.lower():
        pytest.skip(f"metrics are not served: {nodes.err.strip()}")
    heading, row = nodes.out.splitlines()
    assert heading.split() == ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"]
    assert re.match(r"node-0 +\d+m +\d+% +\d+Mi +\d+%", row), row
    shared_server.create(pod("busy", "while :; do :; done", grace=0))
    shared_server.wait_phase("busy", "Running", "pod")
    try:
        wait_for("its use", lambda: re.search(
            r"^busy +[1-9]\d*m +\d+Mi", shared_server.try_kubectl("top", "pods").out, re.M), 60)
    finally:
        shared_server.kubectl("delete", "pod", "busy", "--grace-period=0", "--force")
