"""How CustomResourceDefinitions change, which are refused, and how they end with their objects."""

import copy
import json

import pytest
from harness import wait_for
from jobs import config_map
from locomotives import CRD, CRDS, LOCOS, definition, install, loco
from objects import conditions_of, namespace
from wire import Watch, Wire


# ---- changes of the definition -------------------------------------------------------------------


def other(plural, kind, group="cars.example.com", **version):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Cluster", "names": {"plural": plural, "kind": kind},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                         "openAPIV3Schema": {"type": "object", "properties": {"spec": {
                             "type": "object", "properties": {"size": {"type": "integer"}}}}}}, **version}]}}


def test_names_are_filled_in(shared_server):
    made = shared_server.create(other("wagons", "Wagon"))
    assert made["spec"]["names"] == {"plural": "wagons", "kind": "Wagon", "singular": "wagon",
                                     "listKind": "WagonList"}
    assert made["spec"]["conversion"] == {"strategy": "None"}


def test_a_definition_can_grow(shared_server):
    crd = other("tenders", "Tender")
    shared_server.create(crd)
    shared_server.kubectl("wait", "crd/tenders.cars.example.com", "--for=condition=Established", "--timeout=20s")
    tender = {"apiVersion": "cars.example.com/v1", "kind": "Tender", "metadata": {"name": "t"},
              "spec": {"size": 1, "color": "red"}}
    refused = shared_server.try_kubectl("create", "-f", "-", input=json.dumps(tender))
    assert refused.code == 1 and 'unknown field "spec.color"' in refused.err, repr(refused)
    version = crd["spec"]["versions"][0]
    version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["color"] = {
        "type": "string", "description": "How it is painted."}
    version["additionalPrinterColumns"] = [{"name": "Color", "type": "string", "jsonPath": ".spec.color"}]
    newer = copy.deepcopy(version)
    newer.update(name="v2", storage=False)
    crd["spec"]["versions"].append(newer)
    shared_server.kubectl("apply", "-f", "-", input=json.dumps(crd))
    wait_for("the new field", lambda: shared_server.try_kubectl(
        "create", "-f", "-", input=json.dumps(tender)).code == 0)
    assert shared_server.kubectl("get", "tender", "--no-headers").split()[:2] == ["t", "red"]
    wait_for("its text", lambda: "How it is painted." in shared_server.kubectl("explain", "tender.spec.color"))
    moved = shared_server.kubectl("get", "tenders.v2.cars.example.com", "t", "-o", "json")
    assert json.loads(moved)["apiVersion"] == "cars.example.com/v2"
    shared_server.kubectl("patch", "crd", "tenders.cars.example.com", "--type=json", "-p", json.dumps([
        {"op": "replace", "path": "/spec/versions/0/storage", "value": False},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": True}]))
    assert wait_for("both", lambda: sorted(shared_server.get("crd", "tenders.cars.example.com")
                                           ["status"]["storedVersions"]) == ["v1", "v2"])


def test_two_definitions_cannot_have_one_kind(shared_server):
    shared_server.create(other("cabooses", "Caboose"))
    answer = Wire(shared_server).ask("POST", CRDS, other("cabeese", "Caboose"))
    if answer.code == 422:  # said at once is as good as said by a condition
        assert "Caboose" in answer.message and "already in use" in answer.message, repr(answer)
        return
    second = wait_for("its conditions", lambda: (lambda made: conditions_of(made) and made)(
        shared_server.get("crd", "cabeese.cars.example.com")))
    assert conditions_of(second)["NamesAccepted"] == "False"
    assert conditions_of(second).get("Established") != "True"
    told = next(c for c in second["status"]["conditions"] if c["type"] == "NamesAccepted")
    assert '"Caboose" is already in use' in told["message"], told
    assert Wire(shared_server).get("/apis/cars.example.com/v1/cabeese").code == 404


def deep(crd, path, value):
    """crd with something else at a path such as spec.versions.0.storage; DELETE removes."""
    *parents, last = [int(word) if word.isdigit() else word for word in path.split("/")]
    at = crd
    for word in parents:
        at = at[word]
    if value is DELETE:
        del at[last]
    else:
        at[last] = value
    return crd


DELETE = object()
SCHEMA = "spec/versions/0/schema/openAPIV3Schema"
SPEC = f"{SCHEMA}/properties/spec"


@pytest.mark.parametrize("path,value,field", [
    ("metadata/name", "other.cars.example.com", "metadata.name"),
    ("spec/group", "cars", "spec.group"),
    ("spec/scope", "Everywhere", "spec.scope"),
    ("spec/names/plural", "Bads", "spec.names.plural"),
    ("spec/names/kind", DELETE, "spec.names.kind"),
    ("spec/versions", [], "spec.versions"),
    ("spec/versions/0/storage", False, "spec.versions"),
    ("spec/versions/0/name", "V One", "spec.versions[0].name"),
    ("spec/versions/0/schema", DELETE, "spec.versions[0].schema.openAPIV3Schema"),
    (f"{SCHEMA}/type", "array", "spec.versions[0].schema.openAPIV3Schema.type"),
    (f"{SPEC}/type", DELETE, "spec.versions[0].schema.openAPIV3Schema.properties[spec].type"),
    (f"{SPEC}/properties/size/default", "big",
     "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].default"),
    (f"{SPEC}/properties/size/pattern", "(", "properties[size].pattern"),
    (f"{SPEC}/properties/size/type", "number of", "properties[size].type"),
    (f"{SPEC}/properties/list", {"type": "array"}, "properties[list].items"),
    (f"{SPEC}/properties/keyed", {"type": "array", "x-kubernetes-list-type": "map", "items": {"type": "object"}},
     "properties[keyed].x-kubernetes-list-map-keys"),
    ("spec/versions/0/additionalPrinterColumns", [{"name": "A", "type": "text", "jsonPath": ".spec.x"}],
     "spec.versions[0].additionalPrinterColumns[0].type"),
    ("spec/versions/0/additionalPrinterColumns", [{"name": "A", "type": "string", "jsonPath": "spec["}],
     "spec.versions[0].additionalPrinterColumns[0].jsonPath"),
    ("spec/versions/0/subresources", {"scale": {"specReplicasPath": "x", "statusReplicasPath": ".status.n"}},
     "spec.versions[0].subresources.scale.specReplicasPath"),
    ("spec/versions/0/selectableFields", [{"jsonPath": ".spec.none"}], "selectableFields[0]"),
    ("spec/conversion", {"strategy": "Webhook"}, "spec.conversion"),
    ("spec/preserveUnknownFields", True, "spec.preserveUnknownFields"),
], ids=lambda value: value if isinstance(value, str) and "/" in value else "")
def test_a_bad_definition_is_refused_naming_the_field(shared_server, path, value, field):
    bad = deep(other("bads", "Bad"), path, value)
    answer = Wire(shared_server).ask("POST", CRDS, bad)
    assert answer.code == 422 and answer.json["reason"] == "Invalid", repr(answer)
    assert field.lower() in answer.message.lower(), repr(answer)
    assert any(field.lower() in cause["field"].lower() for cause in answer.json["details"]["causes"]), repr(answer)


def test_the_groups_of_kubernetes_are_protected(shared_server):
    answer = Wire(shared_server).ask("POST", CRDS, other("things", "Thing", "mine.k8s.io"))
    assert answer.code == 422 and "api-approved.kubernetes.io" in answer.message, repr(answer)


def test_a_definition_cannot_take_one_of_our_kinds(shared_server):
    mine = other("pods", "Pod", "batch.tensorstack.dev")
    mine["metadata"]["name"] = "pytorchtrainingjobs.batch.tensorstack.dev"
    mine["spec"]["names"] = {"plural": "pytorchtrainingjobs", "kind": "PyTorchTrainingJob"}
    answer = Wire(shared_server).ask("POST", CRDS, mine)
    assert answer.code in (403, 409), repr(answer)
    changed = shared_server.try_kubectl("patch", "crd", "pytorchtrainingjobs.batch.tensorstack.dev",
                                        "--type=merge", "-p", '{"spec":{"versions":[]}}')
    assert changed.code == 1, repr(changed)


# ---- the end -------------------------------------------------------------------------------------


def test_deleting_a_definition_deletes_its_objects_and_it_can_come_again(server):
    install(server)
    server.create(namespace("other"))
    server.create(loco("gone"))
    server.kubectl("create", "-n", "other", "-f", "-", input=json.dumps(loco("gone-too")))
    watch = Watch(server, LOCOS, {"resourceVersion": server.get("loco", "gone")["metadata"]["resourceVersion"]})
    server.kubectl("delete", "crd", CRD, "--timeout=20s")
    assert watch.next()["type"] == "DELETED"
    watch.close()
    assert server.get("crd", CRD) is None
    assert Wire(server).get(LOCOS).code == 404
    refused = server.try_kubectl("get", "loco")
    assert refused.code == 1, repr(refused)
    assert "rail.example.com" not in server.kubectl("api-versions")
    install(server)
    assert server.list("loco", "-A") == [], "nothing of the old ones"
    server.create(loco("gone"))


def test_a_finalizer_of_an_object_holds_its_definition(server):
    install(server)
    held = loco("held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    server.create(held)
    server.kubectl("delete", "crd", CRD, "--wait=false")
    wait_for("the object to be asked", lambda: "deletionTimestamp" in server.get("loco", "held")["metadata"])
    ending = server.get("crd", CRD)
    assert ending["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    refused = Wire(server).ask("POST", LOCOS, loco("late"))
    assert refused.code in (403, 405, 409), repr(refused)
    assert conditions_of(ending).get("Terminating") == "True", ending["status"]
    server.kubectl("patch", "loco", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    server.kubectl("wait", f"crd/{CRD}", "--for=delete", "--timeout=20s")


def test_definitions_and_objects_survive_a_kill(server):
    install(server)
    before = server.create(loco("kept"))
    server.kill()
    server.up()
    assert server.get("loco", "kept") == before
    refused = Wire(server).ask("POST", LOCOS, loco("bad", fuel="water"))
    assert refused.code == 422, "validation works at once after a start"
    server.kubectl("api-resources")  # explain believes what kubectl remembers, and asks nobody anew
    assert "What it burns." in server.kubectl("explain", "loco.spec.fuel")


def test_objects_of_a_foreign_kind_own_and_are_owned(server):
    install(server)
    owner = server.create(loco("owner"))
    child = config_map("child")
    child["metadata"]["ownerReferences"] = [{"apiVersion": "rail.example.com/v1", "kind": "Locomotive",
                                             "name": "owner", "uid": owner["metadata"]["uid"]}]
    server.create(child)
    server.kubectl("delete", "loco", "owner")
    wait_for("the child to go", lambda: server.get("configmap", "child") is None)
