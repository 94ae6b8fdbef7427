"""Another project's CustomResourceDefinition, and the objects that it makes possible."""

import copy
import json
import re

import pytest
import yaml
from harness import ROOT, wait_for
from jobs import config_map
from objects import conditions_of, namespace
from wire import Watch, Wire

FILE = ROOT / "tests/e2e/crds/locomotives.yaml"
CRD = "locomotives.rail.example.com"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
LOCOS = "/apis/rail.example.com/v1/namespaces/default/locomotives"
MERGE = "application/merge-patch+json"


def definition():
    return yaml.safe_load(FILE.read_text())


def loco(name, version="v1", /, **spec):
    return {"apiVersion": f"rail.example.com/{version}", "kind": "Locomotive", "metadata": {"name": name},
            "spec": {"fuel": "coal", "serial": "AB1234", **spec}}


def install(server):
    done = server.try_kubectl("create", "-f", FILE)
    assert done.code == 0, repr(done)
    server.kubectl("wait", f"crd/{CRD}", "--for=condition=Established", "--timeout=20s")
    return done


@pytest.fixture(scope="module")
def rail(shared_server):
    """A server with the CRD; said is what kubectl said when it was made."""
    shared_server.said = install(shared_server)
    return shared_server


@pytest.fixture(scope="module")
def wire(rail):
    return Wire(rail)


def problems(answer):
    """{field: message} of an answer that refuses an object."""
    assert answer.code == 422 and answer.json["reason"] == "Invalid", repr(answer)
    return {cause["field"]: cause["message"] for cause in answer.json["details"]["causes"]}


# ---- the definition ------------------------------------------------------------------------------


def test_a_definition_is_established(rail):
    made = rail.get("crd", CRD)
    assert conditions_of(made) == {"NamesAccepted": "True", "Established": "True"}
    assert made["status"]["storedVersions"] == ["v1"]
    assert made["status"]["acceptedNames"]["kind"] == "Locomotive"
    assert made["status"]["acceptedNames"]["shortNames"] == ["loco", "locos"]
    table = rail.kubectl("get", "crd", CRD)
    assert re.search(rf"^{CRD} +\d{{4}}-\d\d-\d\dT", table, re.M), table


def test_rules_that_are_not_evaluated_are_warned_of(rail):
    answer = Wire(rail).ask("POST", LOCOS, loco("heavy", wagons=30))
    if answer.code == 422:
        assert "only electric ones pull more than 20" in answer.message, "then they are evaluated"
    else:
        assert answer.code == 201, repr(answer)
        assert "Warning: " in rail.said.err and "x-kubernetes-validations" in rail.said.err, repr(rail.said)
        assert "spec" in rail.said.err, "it should say where"


def test_its_kind_is_discovered(rail):
    rows = [line.split() for line in rail.kubectl("api-resources", "--no-headers").splitlines()]
    assert ["locomotives", "loco,locos", "rail.example.com/v1", "true", "Locomotive"] in rows
    assert {"rail.example.com/v1", "rail.example.com/v1alpha1"} <= set(rail.kubectl("api-versions").split())
    assert "rail.example.com/v1beta1" not in rail.kubectl("api-versions")
    group = Wire(rail).get("/apis/rail.example.com").json
    assert group["preferredVersion"]["version"] == "v1"
    resources = Wire(rail).get("/apis/rail.example.com/v1").json["resources"]
    assert {entry["name"] for entry in resources} == {
        "locomotives", "locomotives/status", "locomotives/scale"}


def test_it_is_explained(rail):
    text = rail.kubectl("explain", "loco")
    assert "A Locomotive pulls wagons from one yard to another." in text, text
    text = rail.kubectl("explain", "loco.spec.fuel")
    assert "What it burns." in text and "diesel" in text, text
    assert "serial" in rail.kubectl("explain", "locomotives.rail.example.com.spec")
    assert "-required-" in rail.kubectl("explain", "loco.spec")


def test_an_unserved_version_is_not_there(wire):
    assert wire.get("/apis/rail.example.com/v1beta1/namespaces/default/locomotives").code == 404


def test_ours_are_listed_and_stay(shared_server):
    listed = shared_server.kubectl("get", "crd", "-o", "name").split()
    for name in ["pytorchtrainingjobs.batch.tensorstack.dev", "pytorchjobs.kubeflow.org",
                 "podgroups.scheduling.volcano.sh"]:
        assert f"customresourcedefinition.apiextensions.k8s.io/{name}" in listed, listed
    name = "pytorchtrainingjobs.batch.tensorstack.dev"
    assert conditions_of(shared_server.get("crd", name))["Established"] == "True"
    refused = shared_server.try_kubectl("delete", "crd", name)
    assert refused.code == 1 and name in refused.err and "(Forbidden)" in refused.err, repr(refused)
    assert shared_server.get("crd", name)


# ---- its objects ---------------------------------------------------------------------------------


def test_defaults_are_filled_in(rail):
    made = rail.create(loco("defaulted"))
    assert made["spec"] == {"fuel": "coal", "serial": "AB1234", "wagons": 4, "speed": 80.5,
                            "lights": {"front": "white", "rear": "red"}}
    made = rail.create(loco("half", lights={"rear": "green"}, doors=[{"side": "left"}]))
    assert made["spec"]["lights"] == {"front": "white", "rear": "green"}
    assert made["spec"]["doors"] == [{"side": "left", "open": False}]


def test_columns(rail):
    rail.create(loco("columns"))
    heading, row = rail.kubectl("get", "loco", "columns").splitlines()
    assert heading.split() == ["NAME", "FUEL", "WAGONS", "READY", "AGE"]
    assert row.split()[:3] == ["columns", "coal", "4"]
    heading, row = rail.kubectl("get", "loco", "columns", "-o", "wide").splitlines()
    assert heading.split() == ["NAME", "FUEL", "WAGONS", "READY", "SERIAL", "AGE"]
    rail.kubectl("patch", "loco", "columns", "--subresource=status", "--type=merge", "-p",
                 '{"status":{"conditions":[{"type":"Other","status":"False"},{"type":"Ready","status":"True"}]}}')
    assert rail.kubectl("get", "loco", "columns", "--no-headers").split()[:4] == ["columns", "coal", "4", "True"]
    assert "locomotive.rail.example.com/columns" in rail.kubectl("get", "all", "-o", "name")
    assert "locomotive.rail.example.com/columns" in rail.kubectl("get", "rail", "-o", "name")


def test_all_problems_are_named_at_once(wire):
    answer = wire.ask("POST", LOCOS, {
        "apiVersion": "rail.example.com/v1", "kind": "Locomotive", "metadata": {"name": "bad"},
        "spec": {"fuel": "water", "wagons": 41, "name": "ab", "length": 7, "tags": ["a", "b", "c", "d"],
                 "engine": {}, "driver": 5, "ballast": {"sand": "heavy"}, "doors": [{"open": True}],
                 "built": "yesterday", "coupling": {"hook": "a", "buffer": "b"}}})
    found = problems(answer)
    assert 'Unsupported value: "water": supported values: "coal", "diesel", "current"' in found["spec.fuel"]
    assert found["spec.serial"].startswith("Required value")
    assert "should be less than or equal to 40" in found["spec.wagons"]
    assert "should be at least 3 chars long" in found["spec.name"]
    assert "should be a multiple of 5" in found["spec.length"]
    assert re.search("at most 3 items|must have at most 3", found["spec.tags"])
    assert "must be of type string" in found["spec.driver"]
    assert "must be of type integer" in found["spec.ballast.sand"]
    assert found["spec.doors[0].side"].startswith("Required value")
    assert "date-time" in found["spec.built"]
    assert "spec.engine" in answer.message and "must validate one and only one schema (oneOf)" in answer.message
    assert "spec.coupling" in answer.message and "must not validate the schema (not)" in answer.message
    assert 'Locomotive.rail.example.com "bad" is invalid: ' in answer.message


def test_kubectl_prints_a_problem_a_line(rail):
    refused = rail.try_kubectl("create", "-f", "-", input=json.dumps(loco("bad", fuel="water", wagons=-1)))
    assert refused.code == 1, repr(refused)
    assert 'The Locomotive "bad" is invalid: \n* spec.' in refused.err, repr(refused)
    assert "* spec.fuel: Unsupported value" in refused.err and "* spec.wagons: Invalid value" in refused.err


@pytest.mark.parametrize("spec,field", [
    ({"serial": "ab1234"}, "spec.serial"), ({"serial": "AB12345"}, "spec.serial"), ({"wagons": "4"}, "spec.wagons"),
    ({"wagons": 4.5}, "spec.wagons"), ({"wagons": 2**31}, "spec.wagons"), ({"speed": 0}, "spec.speed"),
    ({"name": "x" * 13}, "spec.name"), ({"tags": ["a", "a"]}, "spec.tags[1]"),
    ({"doors": [{"side": "l"}, {"side": "l"}]}, "spec.doors[1]"), ({"ballast": {"a": 1, "b": 2, "c": 3}}, "spec.ballast"),
    ({"engine": {"steam": {}, "electric": {}}}, "spec.engine"), ({"paint": "%%%"}, "spec.paint"),
    ({"port": 1.5}, "spec.port"), ({"extra": {"known": "x"}}, "spec.extra.known"),
    ({"cargo": {"spec": 1}}, "spec.cargo"), ({"lights": []}, "spec.lights"), ({"coupling": {}}, "spec.coupling")],
    ids=lambda value: json.dumps(value)[:40] if isinstance(value, dict) else value)
def test_a_wrong_value_is_refused_naming_the_field(wire, spec, field):
    found = problems(wire.ask("POST", LOCOS, loco("wrong", **spec)))
    assert any(path.startswith(field) or field in message for path, message in found.items()), found


@pytest.mark.parametrize("spec", [
    {"port": 80}, {"port": "http"}, {"driver": None}, {"engine": {"steam": {"pressure": 9}}}, {"speed": 1},
    {"coupling": {"hook": "x"}}, {"tags": ["a", "b"]}, {"built": "2024-02-29T12:00:00Z"}, {"paint": "cmVk"},
    {"name": "üüü"}, {"cargo": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "x": 1}}],
    ids=lambda value: json.dumps(value)[:40])
def test_a_right_value_is_kept(wire, spec):
    made = loco("x", **spec)
    made["metadata"] = {"generateName": "right-"}
    answer = wire.ask("POST", LOCOS, made, {"fieldValidation": "Strict"})
    assert answer.code == 201, repr(answer)
    key, value = next(iter(spec.items()))
    assert answer.json["spec"][key] == value


def test_null_for_a_field_with_a_default_is_the_default(wire):
    answer = wire.ask("POST", LOCOS, loco("nulled", wagons=None, name=None))
    assert answer.code == 201, repr(answer)
    assert answer.json["spec"]["wagons"] == 4 and "name" not in answer.json["spec"]


def test_unknown_fields_are_refused_warned_of_or_pruned(rail, wire):
    made = loco("pruned", whistle="loud", lights={"top": "blue"}, extra={"anything": {"goes": 1}})
    made["bell"] = 1
    strict = wire.ask("POST", LOCOS, made, {"fieldValidation": "Strict"})
    assert strict.code == 400 and "strict decoding error" in strict.message, repr(strict)
    for field in ["bell", "spec.whistle", "spec.lights.top"]:
        assert f'unknown field "{field}"' in strict.message, repr(strict)
    assert "anything" not in strict.message
    warned = wire.ask("POST", LOCOS, made, {"fieldValidation": "Warn"})
    assert warned.code == 201 and set(warned.warnings) >= {
        f'unknown field "{field}"' for field in ["bell", "spec.whistle", "spec.lights.top"]}, repr(warned)
    stored = rail.get("loco", "pruned")
    assert "bell" not in stored and "whistle" not in stored["spec"] and "top" not in stored["spec"]["lights"]
    assert stored["spec"]["extra"] == {"anything": {"goes": 1}}, "kept where the schema says so"


@pytest.mark.parametrize("text", ["9007199254740993", "-9223372036854775808", "9223372036854775807", "0.1", "1e21", "-0.5",
                                  "1.5e-7", "123456789.123456789", '"\\u0041\\ud83d\\ude00"', '""', "[]", "{}"])
def test_what_is_kept_as_it_is_comes_back_as_it_was(wire, text):
    body = json.dumps({**loco("x"), "metadata": {"generateName": "exact-"}, "spec": {
        "fuel": "coal", "serial": "AB1234", "extra": {"value": "HERE"}}}).replace('"HERE"', text)
    answer = wire.ask("POST", LOCOS, body)
    assert answer.code == 201, repr(answer)
    read = wire.get(f"{LOCOS}/{answer.json['metadata']['name']}")
    value = read.json["spec"]["extra"]["value"]
    assert value == json.loads(text) and type(value) is type(json.loads(text)), repr(read)


def test_selectable_fields(rail):
    rail.create(loco("selected", fuel="diesel", wagons=7))
    by = lambda selector: rail.kubectl("get", "loco", "-o", "name", "--field-selector", selector).split()  # noqa: E731
    assert by("spec.fuel=diesel") == ["locomotive.rail.example.com/selected"]
    assert by("spec.wagons=7,spec.fuel!=coal") == ["locomotive.rail.example.com/selected"]
    refused = rail.try_kubectl("get", "loco", "--field-selector", "spec.serial=AB1234")
    assert refused.code == 1 and "spec.serial" in refused.err, repr(refused)


def test_status_is_a_resource_of_its_own(rail, wire):
    made = {**loco("split"), "status": {"wagons": 9}}
    created = wire.ask("POST", LOCOS, made).json
    assert "status" not in created and created["metadata"]["generation"] == 1
    answer = wire.ask("PATCH", f"{LOCOS}/split/status", {"status": {"wagons": 2}, "spec": {"fuel": "diesel"}},
                      Content_Type=MERGE)
    assert answer.code == 200 and answer.json["status"] == {"wagons": 2}, repr(answer)
    assert answer.json["spec"]["fuel"] == "coal" and answer.json["metadata"]["generation"] == 1
    answer = wire.ask("PATCH", f"{LOCOS}/split", {"spec": {"fuel": "diesel"}, "status": {"wagons": 5}},
                      Content_Type=MERGE)
    assert answer.json["status"] == {"wagons": 2} and answer.json["metadata"]["generation"] == 2
    answer = wire.ask("PATCH", f"{LOCOS}/split", {"metadata": {"labels": {"a": "b"}}}, Content_Type=MERGE)
    assert answer.json["metadata"]["generation"] == 2, "labels are no spec"


def test_scale(rail, wire):
    rail.create(loco("scaled"))
    said = rail.kubectl("scale", "loco/scaled", "--replicas=6")
    assert said == "locomotive.rail.example.com/scaled scaled\n"
    assert rail.get("loco", "scaled")["spec"]["wagons"] == 6
    rail.kubectl("patch", "loco", "scaled", "--subresource=status", "--type=merge", "-p",
                 '{"status":{"wagons":5,"selector":"a=b"}}')
    scale = wire.get(f"{LOCOS}/scaled/scale").json
    assert (scale["apiVersion"], scale["kind"]) == ("autoscaling/v1", "Scale")
    assert scale["spec"] == {"replicas": 6} and scale["status"] == {"replicas": 5, "selector": "a=b"}
    refused = rail.try_kubectl("scale", "loco/scaled", "--replicas=41")
    assert refused.code == 1 and "spec.wagons" in refused.err, repr(refused)


def test_both_versions_can_be_read_and_written(rail, wire):
    rail.create(loco("two-faced"))
    old_path = LOCOS.replace("/v1/", "/v1alpha1/")
    old = wire.get(f"{old_path}/two-faced")
    assert old.json["apiVersion"] == "rail.example.com/v1alpha1" and old.json["spec"]["fuel"] == "coal"
    assert old.warnings == ["rail.example.com/v1alpha1 Locomotive is going; use rail.example.com/v1"], repr(old)
    assert not wire.get(f"{LOCOS}/two-faced").warnings
    done = rail.try_kubectl("create", "-f", "-", input=json.dumps(loco("old-fashioned", "v1alpha1")))
    assert done.code == 0 and "Warning: rail.example.com/v1alpha1 Locomotive is going" in done.err, repr(done)
    assert rail.get("loco", "old-fashioned")["apiVersion"] == "rail.example.com/v1"
    listed = rail.list("locomotives.v1alpha1.rail.example.com")
    assert {"two-faced", "old-fashioned"} <= {made["metadata"]["name"] for made in listed}
    assert {made["apiVersion"] for made in listed} == {"rail.example.com/v1alpha1"}


def test_what_is_read_has_the_defaults_of_the_stored_version(rail, wire):
    answer = wire.ask("POST", LOCOS.replace("/v1/", "/v1alpha1/"), loco("plain", "v1alpha1"))
    assert answer.code == 201, repr(answer)
    assert rail.get("loco", "plain")["spec"].get("wagons") == 4


def test_watches_of_both_versions(rail):
    version = Wire(rail).get(LOCOS).json["metadata"]["resourceVersion"]
    paths = {"v1": LOCOS, "v1alpha1": LOCOS.replace("/v1/", "/v1alpha1/")}
    watches = {name: Watch(rail, path, {"resourceVersion": version}) for name, path in paths.items()}
    rail.create(loco("seen"))
    rail.kubectl("patch", "loco", "seen", "--type=merge", "-p", '{"spec":{"wagons":1}}')
    rail.kubectl("delete", "loco", "seen")
    for name, watch in watches.items():
        events = [watch.next() for _ in range(3)]
        assert [event["type"] for event in events] == ["ADDED", "MODIFIED", "DELETED"]
        assert {event["object"]["apiVersion"] for event in events} == {f"rail.example.com/{name}"}
        watch.close()


def test_apply_by_the_client_and_by_the_server(rail):
    apply = lambda obj, *flags: rail.kubectl("apply", "-f", "-", *flags, input=json.dumps(obj))  # noqa: E731
    name = "locomotive.rail.example.com/applied"
    assert apply(loco("applied")) == f"{name} created\n"
    assert apply(loco("applied")) == f"{name} unchanged\n"
    assert apply(loco("applied", wagons=9)) == f"{name} configured\n"
    door = lambda side: loco("doors", doors=[{"side": side}], tags=[side])  # noqa: E731
    for who in ["left", "right"]:
        apply(door(who), "--server-side", f"--field-manager={who}")
    spec = rail.get("loco", "doors")["spec"]
    assert {entry["side"] for entry in spec["doors"]} == {"left", "right"}, "a list with keys is merged"
    assert set(spec["tags"]) == {"left", "right"}, "so is a set"


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
