"""kubectl create, with files and without: what it says, what is stored, what is refused."""

import base64
import json
import re

import pytest
from harness import wait_for
from jobs import config_map, pod, shell_job
from objects import containers, deployment
from wire import Wire

MAPS = "/api/v1/namespaces/default/configmaps"


def create(server, obj, *flags):
    text = obj if isinstance(obj, str) else json.dumps(obj)
    return server.try_kubectl("create", "-f", "-", *flags, input=text)


# ---- without a file ------------------------------------------------------------------------------


@pytest.mark.parametrize("command,said", [
    ("namespace made", "namespace/made created"),
    ("configmap made --from-literal=a=1", "configmap/made created"),
    ("secret generic made --from-literal=password=s3cret", "secret/made created"),
    ("serviceaccount made", "serviceaccount/made created"),
    ("role made --verb=get,list --resource=pods,pods/log", "role.rbac.authorization.k8s.io/made created"),
    ("rolebinding made --role=made --user=jo --serviceaccount=default:made",
     "rolebinding.rbac.authorization.k8s.io/made created"),
    ("clusterrole made --verb=get --resource=nodes", "clusterrole.rbac.authorization.k8s.io/made created"),
    ("clusterrole made-url --verb=get --non-resource-url=/metrics",
     "clusterrole.rbac.authorization.k8s.io/made-url created"),
    ("clusterrolebinding made --clusterrole=made --group=team",
     "clusterrolebinding.rbac.authorization.k8s.io/made created"),
    ("quota made --hard=count/configmaps=1000,secrets=1000", "resourcequota/made created"),
    ("priorityclass made --value=1000 --description=urgent", "priorityclass.scheduling.k8s.io/made created"),
    ("deployment made --image=host --replicas=0", "deployment.apps/made created"),
    ("service clusterip made --tcp=80:8080", "service/made created"),
    ("service clusterip made-headless --clusterip=None --tcp=80", "service/made-headless created"),
    ("secret docker-registry made-pull --docker-server=r --docker-username=u --docker-password=p",
     "secret/made-pull created"),
])
def test_create_without_a_file(shared_server, command, said):
    assert shared_server.kubectl("create", *command.split()) == said + "\n"
    again = shared_server.try_kubectl("create", *command.split())
    assert again.code == 1 and "already exists" in again.err, repr(again)


def test_a_job_of_kubernetes(shared_server):
    said = shared_server.kubectl("create", "job", "made", "--image=host", "--", "sh", "-c", "exit 0")
    assert said == "job.batch/made created\n"
    shared_server.kubectl("wait", "job/made", "--for=condition=Complete", "--timeout=30s")


def test_what_was_made_without_a_file(shared_server):
    get = shared_server.get
    shared_server.kubectl("create", "secret", "generic", "kept", "--from-literal=password=s3cret")
    kept = get("secret", "kept")
    assert kept["type"] == "Opaque"
    assert base64.b64decode(kept["data"]["password"]) == b"s3cret"
    shared_server.kubectl("create", "namespace", "kept")
    made = wait_for("phase", lambda: get("namespace", "kept")["status"].get("phase") and get("namespace", "kept"))
    assert made["status"]["phase"] == "Active"
    assert made["metadata"]["labels"] == {"kubernetes.io/metadata.name": "kept"}
    assert made["spec"]["finalizers"] == ["kubernetes"]
    wait_for("its service account", lambda: shared_server.list("serviceaccounts", "-n", "kept"))
    shared_server.kubectl("create", "deployment", "kept", "--image=host", "--replicas=0", "--port=80")
    spec = get("deployment", "kept")["spec"]
    assert spec["selector"] == {"matchLabels": {"app": "kept"}}
    assert spec["strategy"] == {"type": "RollingUpdate", "rollingUpdate": {
        "maxSurge": "25%", "maxUnavailable": "25%"}}
    assert (spec["revisionHistoryLimit"], spec["progressDeadlineSeconds"]) == (10, 600)
    [container] = containers(get("deployment", "kept"))
    assert container["ports"] == [{"containerPort": 80, "protocol": "TCP"}]
    assert container["terminationMessagePath"] == "/dev/termination-log"
    shared_server.kubectl("create", "service", "clusterip", "kept", "--tcp=80:8080")
    made = get("service", "kept")["spec"]
    assert made["type"] == "ClusterIP" and made["sessionAffinity"] == "None"
    assert [(p["port"], p["targetPort"], p["protocol"]) for p in made["ports"]] == [(80, 8080, "TCP")]
    shared_server.kubectl("create", "priorityclass", "kept", "--value=7")
    assert (get("priorityclass", "kept")["value"], get("priorityclass", "kept")["preemptionPolicy"]) == \
        (7, "PreemptLowerPriority")
    shared_server.kubectl("create", "role", "kept", "--verb=get", "--resource=pods,deployments.apps")
    assert get("role", "kept")["rules"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]}]


def test_bytes_of_any_kind_in_a_config_map(shared_server):
    file = shared_server.folder / "blob"
    file.write_bytes(bytes(range(256)))
    shared_server.kubectl("create", "configmap", "bytes", f"--from-file={file}", "--from-literal=text=ü")
    made = shared_server.get("configmap", "bytes")
    assert base64.b64decode(made["binaryData"]["blob"]) == bytes(range(256))
    assert made["data"] == {"text": "ü"}


def test_run_makes_a_pod(shared_server):
    said = shared_server.kubectl("run", "quick", "--image=host", "--restart=Never", "--", "sh", "-c", "echo hi")
    assert said == "pod/quick created\n"
    shared_server.wait_phase("quick", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "quick") == "hi\n"


def test_create_token_prints_one(shared_server):
    token = shared_server.kubectl("create", "token", "default", "--duration=1h").strip()
    assert re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", token), token
    missing = shared_server.try_kubectl("create", "token", "nobody")
    assert missing.code == 1 and 'serviceaccounts "nobody" not found' in missing.err, repr(missing)


def test_a_quota_holds(shared_server):
    shared_server.kubectl("create", "namespace", "tight")
    shared_server.kubectl("create", "quota", "two", "--hard=count/configmaps=2,pods=1", "-n", "tight")
    wait_for("the quota's status", lambda: json.loads(shared_server.kubectl(
        "get", "quota", "two", "-n", "tight", "-o", "json")).get("status", {}).get("hard"))
    used = int(json.loads(shared_server.kubectl("get", "quota", "two", "-n", "tight", "-o", "json"))
               ["status"]["used"]["count/configmaps"])
    for i in range(2 - used):
        shared_server.kubectl("create", "configmap", f"c{i}", "-n", "tight")
    refused = shared_server.try_kubectl("create", "configmap", "more", "-n", "tight")
    assert refused.code == 1, repr(refused)
    assert 'configmaps "more" is forbidden: exceeded quota: two, requested: count/configmaps=1, ' \
           "used: count/configmaps=2, limited: count/configmaps=2" in refused.err, repr(refused)


# ---- several at once -----------------------------------------------------------------------------


def test_a_list_is_created_applied_and_deleted(shared_server):
    """kubectl get -o json prints a List; what it prints must be good for apply."""
    made = {"apiVersion": "v1", "kind": "List", "items": [config_map("in-list"), deployment("in-list"),
                                                         shell_job("in-list", "exit 0")]}
    done = create(shared_server, made)
    assert done.code == 0, repr(done)
    assert done.out == ("configmap/in-list created\ndeployment.apps/in-list created\n"
                        "pytorchtrainingjob.batch.tensorstack.dev/in-list created\n")
    printed = shared_server.kubectl("get", "configmap/in-list", "deployment/in-list", "-o", "yaml")
    again = shared_server.try_kubectl("apply", "-f", "-", input=printed)
    assert again.code == 0 and again.out.count("configured") == 2, repr(again)
    gone = shared_server.try_kubectl("delete", "-f", "-", input=json.dumps(made))
    assert gone.code == 0 and gone.out.count("deleted") == 3, repr(gone)


def test_documents_of_one_file_are_created_in_order(shared_server):
    text = "\n---\n".join(["# nothing", json.dumps(config_map("first-doc")), "", json.dumps(config_map("second-doc"))])
    done = create(shared_server, text)
    assert done.code == 0, repr(done)
    assert done.out == "configmap/first-doc created\nconfigmap/second-doc created\n"


# ---- dry runs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode,said", [("server", "(server dry run)"), ("client", "(dry run)")])
def test_dry_runs_store_nothing_but_print_the_object(shared_server, mode, said):
    for made in [deployment("dry"), shell_job("dry", "exit 0")]:
        kind = made["kind"].lower()
        done = create(shared_server, made, f"--dry-run={mode}")
        assert done.code == 0 and done.out.endswith(f"dry created {said}\n"), repr(done)
        printed = create(shared_server, made, f"--dry-run={mode}", "-o", "json").json()
        assert printed["kind"] == made["kind"]
        assert ("uid" in printed["metadata"]) == (mode == "server")
        assert shared_server.get(kind, "dry") is None
    without_file = shared_server.kubectl("create", "namespace", "dry", f"--dry-run={mode}", "-o", "name")
    assert without_file == "namespace/dry\n" and shared_server.get("namespace", "dry") is None


def test_a_dry_run_is_refused_where_the_real_one_would_be(shared_server):
    refused = create(shared_server, deployment("dry", replicas=-1), "--dry-run=server")
    assert refused.code == 1 and "spec.replicas" in refused.err, repr(refused)
    shared_server.create(config_map("there"))
    refused = create(shared_server, config_map("there"), "--dry-run=server")
    assert refused.code == 1 and "AlreadyExists" in refused.err, repr(refused)
    done = shared_server.kubectl("delete", "configmap", "there", "--dry-run=server")
    assert done.startswith('configmap "there" deleted') and "(server dry run)" in done
    assert shared_server.get("configmap", "there"), "still there"


# ---- unknown and repeated fields -----------------------------------------------------------------


def misspelt(name):
    made = deployment(name)
    made["spec"]["replicaz"] = 3
    containers(made)[0]["imagee"] = "x"
    return made


def test_unknown_fields_are_refused_naming_all(shared_server):
    refused = create(shared_server, misspelt("strict"))
    assert refused.code == 1, repr(refused)
    assert 'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: ' \
        in refused.err, repr(refused)
    assert 'unknown field "spec.replicaz"' in refused.err, repr(refused)
    assert 'unknown field "spec.template.spec.containers[0].imagee"' in refused.err, repr(refused)
    assert shared_server.get("deployment", "strict") is None


def test_unknown_fields_of_a_job_are_refused_naming_all(shared_server):
    made = shell_job("strict", "exit 0")
    made["spec"]["nonsense"] = 1
    made["spec"]["replicaSpecs"][0]["replicaz"] = 1
    refused = create(shared_server, made)
    assert refused.code == 1 and "strict decoding error: " in refused.err, repr(refused)
    assert 'unknown field "spec.nonsense"' in refused.err, repr(refused)
    assert 'unknown field "spec.replicaSpecs[0].replicaz"' in refused.err, repr(refused)


def test_unknown_fields_with_warn_and_ignore(shared_server):
    warned = create(shared_server, misspelt("warn"), "--validate=warn")
    assert warned.code == 0 and warned.out == "deployment.apps/warn created\n", repr(warned)
    assert 'Warning: unknown field "spec.replicaz"\n' in warned.err, repr(warned)
    assert 'Warning: unknown field "spec.template.spec.containers[0].imagee"\n' in warned.err
    ignored = create(shared_server, misspelt("ignore"), "--validate=ignore")
    assert ignored.code == 0 and ignored.err == "", repr(ignored)
    for name in ["warn", "ignore"]:
        assert "replicaz" not in shared_server.get("deployment", name)["spec"], "it is dropped"


@pytest.mark.parametrize("content,body", [
    ("application/json", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"},"data":{"a":"1","a":"2"}}'),
    ("application/yaml", 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "%s"}\ndata:\n  a: "1"\n  a: "2"\n')])
def test_repeated_keys(shared_server, content, body):
    wire = Wire(shared_server)
    ask = lambda name, mode: wire.ask("POST", MAPS, body % name, {"fieldValidation": mode},  # noqa: E731
                                      Content_Type=content)
    kind = content[-4:]
    refused = ask(f"repeat-{kind}", "Strict")
    assert refused.code == 400 and refused.json["reason"] == "BadRequest", repr(refused)
    assert re.search(r'strict decoding error: .*(duplicate field "data.a"|key "a" already set in map)',
                     refused.message, re.S), repr(refused)
    warned = ask(f"warn-{kind}", "Warn")
    assert warned.code == 201 and any('"data.a"' in text or '"a"' in text for text in warned.warnings), repr(warned)
    ignored = ask(f"ignore-{kind}", "Ignore")
    assert ignored.code == 201 and not ignored.warnings, repr(ignored)
    assert ignored.json["data"] == {"a": "2"}, "the last one counts"


def test_a_wrong_field_validation_is_refused(shared_server):
    answer = Wire(shared_server).ask("POST", MAPS, config_map("x"), {"fieldValidation": "Maybe"})
    assert answer.code in (400, 422) and "fieldValidation" in answer.message, repr(answer)


def test_values_of_a_wrong_type_name_the_field(shared_server):
    made = deployment("typed")
    made["spec"]["replicas"] = "three"
    refused = create(shared_server, made)
    assert refused.code == 1 and "spec.replicas" in refused.err, repr(refused)


# ---- names ---------------------------------------------------------------------------------------


def test_generate_name(shared_server):
    made = config_map("x")
    made["metadata"] = {"generateName": "gen-"}
    names = {create(shared_server, made, "-o", "name").out.strip() for _ in range(3)}
    assert len(names) == 3
    assert all(re.fullmatch(r"configmap/gen-[bcdfghjklmnpqrstvwxz2456789]{5}", name) for name in names), names
    refused = shared_server.try_kubectl("apply", "-f", "-", input=json.dumps(made))
    assert refused.code == 1 and "generate" in refused.err, repr(refused)


def test_a_long_generate_name_is_cut(shared_server):
    made = pod("x", "exit 0")
    made["metadata"] = {"generateName": "a" * 70}
    made["spec"]["nodeSelector"] = {"never": "anywhere"}
    answer = Wire(shared_server).ask("POST", "/api/v1/namespaces/default/pods", made)
    assert answer.code == 201, repr(answer)
    assert re.fullmatch(r"a{58}[a-z0-9]{5}", answer.json["metadata"]["name"])


@pytest.mark.parametrize("name", ["Upper", "under_score", "-dash", "dash-", "a..b", "ü", "x" * 254, "a/b"])
def test_names_that_are_none_are_refused(shared_server, name):
    answer = Wire(shared_server).ask("POST", MAPS, config_map(name))
    assert answer.code == 422 and answer.json["reason"] == "Invalid", repr(answer)
    assert "metadata.name: Invalid value" in answer.message, repr(answer)
    assert answer.json["details"]["causes"][0]["field"] == "metadata.name"


def test_no_name_at_all(shared_server):
    made = {**config_map("x"), "metadata": {}}
    answer = Wire(shared_server).ask("POST", MAPS, made)
    assert answer.code == 422 and "name or generateName is required" in answer.message, repr(answer)


def test_the_path_and_the_body_must_agree(shared_server):
    wire = Wire(shared_server)
    other = config_map("agree")
    other["metadata"]["namespace"] = "other"
    answer = wire.ask("POST", MAPS, other)
    assert answer.code == 400 and "namespace" in answer.message, repr(answer)
    answer = wire.ask("POST", MAPS, {**config_map("agree"), "kind": "Secret"})
    assert answer.code == 400 and "Secret" in answer.message, repr(answer)
    shared_server.create(config_map("agree"))
    answer = wire.ask("PUT", f"{MAPS}/agree", config_map("disagree"))
    assert answer.code == 400 and "agree" in answer.message, repr(answer)


def test_what_a_client_cannot_choose(shared_server):
    made = config_map("chosen")
    made["metadata"].update(uid="00000000-0000-0000-0000-000000000001", generation=77, selfLink="/x",
                            creationTimestamp="2001-01-01T00:00:00Z",
                            deletionTimestamp="2001-01-01T00:00:00Z")
    answer = Wire(shared_server).ask("POST", MAPS, made)
    assert answer.code == 201, repr(answer)
    metadata = answer.json["metadata"]
    assert metadata["uid"] != made["metadata"]["uid"]
    assert metadata["creationTimestamp"] > "2020" and "deletionTimestamp" not in metadata
    made["metadata"]["resourceVersion"] = "5"
    made["metadata"]["name"] = "chosen-again"
    answer = Wire(shared_server).ask("POST", MAPS, made)
    assert answer.code >= 400, repr(answer)
    assert "resourceVersion should not be set on objects to be created" in answer.message
