"""Another project's CustomResourceDefinition, and the objects that it makes possible."""

import json
import re

import pytest
from locomotives import CRD, LOCOS, MERGE, definition, install, loco, problems
from objects import conditions_of
from wire import Watch, Wire


@pytest.fixture(scope="module")
def rail(shared_server):
    """A server with the CRD; said is what kubectl said when it was made."""
    shared_server.said = install(shared_server)
    return shared_server


@pytest.fixture(scope="module")
def wire(rail):
    return Wire(rail)


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
