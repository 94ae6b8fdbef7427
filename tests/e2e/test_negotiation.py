"""What a client may ask to be sent and in which form: media types, compression, discovery, methods."""

import gzip
import json
import re

import pytest
from jobs import config_map
from wire import Wire, is_status

MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
def wire(shared_server):
    return Wire(shared_server)


# ---- media types ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "nonsense", "application/x-www-form-urlencoded",
                                  "multipart/form-data"])
def test_unknown_media_types_of_a_body_are_refused(wire, kind):
    answer = wire.ask("POST", MAPS, config_map("typed"), {"dryRun": "All"}, Content_Type=kind)
    assert is_status(answer, 415) and answer.json["reason"] == "UnsupportedMediaType"
    assert "the body of the request was in an unknown format - accepted media types include: application/json, " \
           "application/yaml" in answer.message, repr(answer)


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"])
def test_media_types_of_a_body_that_are_json(wire, kind):
    answer = wire.ask("POST", MAPS, {**config_map("x"), "metadata": {"generateName": "json-"}}, Content_Type=kind)
    assert answer.code == 201, repr(answer)


def test_an_unknown_kind_of_patch(wire):
    wire.ask("POST", MAPS, config_map("patchless"))
    answer = wire.ask("PATCH", f"{MAPS}/patchless", {}, Content_Type="application/json")
    assert is_status(answer, 415)
    assert "application/strategic-merge-patch+json" in answer.message, repr(answer)


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "image/*", "application/json;as=Tables;v=v1;g=x"])
def test_answers_nobody_can_give_are_406(wire, accept):
    answer = wire.get(MAPS, Accept=accept)
    assert is_status(answer, 406) and answer.json["reason"] == "NotAcceptable"
    assert "application/json" in answer.message, repr(answer)


@pytest.mark.parametrize("accept", ["*/*", "application/*", "application/json", "application/json;q=0.1",
                                    "application/vnd.kubernetes.protobuf,application/json",
                                    "application/vnd.kubernetes.protobuf, */*", "text/html, application/json;q=0.9"])
def test_answers_in_json_for_who_takes_it(wire, accept):
    answer = wire.get("/api/v1/namespaces/default", Accept=accept)
    assert answer.code == 200 and answer.headers["Content-Type"] == "application/json", repr(answer)
    assert answer.json["metadata"]["name"] == "default"


def test_protobuf_alone_is_protobuf_or_406(wire):
    answer = wire.get("/api/v1/namespaces/default", Accept="application/vnd.kubernetes.protobuf")
    if answer.code == 200:
        assert answer.headers["Content-Type"] == "application/vnd.kubernetes.protobuf"
        assert answer.raw.startswith(b"k8s\0")
    else:
        assert is_status(answer, 406)


def test_answers_in_yaml(wire):
    answer = wire.get("/api/v1/namespaces/default", Accept="application/yaml")
    if answer.code == 406:
        pytest.skip("answers in YAML are not given (the spec asks for JSON)")
    assert answer.code == 200 and b"\nkind: Namespace\n" in b"\n" + answer.raw


def test_metadata_alone(wire):
    accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    answer = wire.get("/api/v1/namespaces/default", Accept=accept)
    assert answer.json["kind"] == "PartialObjectMetadata" and "spec" not in answer.json, repr(answer)
    answer = wire.get("/api/v1/namespaces", Accept=accept.replace(";g=", "List;g="))
    assert answer.json["kind"] == "PartialObjectMetadataList"
    assert all(set(item) <= {"apiVersion", "kind", "metadata"} for item in answer.json["items"])


@pytest.mark.parametrize("policy,has", [("None", None), ("Metadata", "PartialObjectMetadata"), ("Object", "Namespace"),
                                        (None, "PartialObjectMetadata")])
def test_tables(wire, policy, has):
    query = {"includeObject": policy} if policy else None
    answer = wire.get("/api/v1/namespaces", query, Accept="application/json;as=Table;v=v1;g=meta.k8s.io")
    assert answer.json["kind"] == "Table" and answer.json["apiVersion"] == "meta.k8s.io/v1"
    row = answer.json["rows"][0]
    assert (row.get("object") or {}).get("kind") == has, row
    assert answer.json["metadata"]["resourceVersion"]


# ---- compression ---------------------------------------------------------------------------------


def test_large_lists_are_compressed_for_who_accepts_it(shared_server, wire):
    for i in range(4):
        wire.ask("POST", MAPS, config_map(f"large-{i}", a="large " * 20_000))
    plain = wire.get(MAPS)
    assert "Content-Encoding" not in plain.headers and len(plain.raw) > 400_000
    packed = wire.get(MAPS, Accept_Encoding="gzip")
    assert packed.headers["Content-Encoding"] == "gzip", repr(packed)[:300]
    assert "Accept-Encoding" in (packed.headers.get("Vary") or "")
    assert len(packed.raw) < len(plain.raw) / 10
    assert json.loads(gzip.decompress(packed.raw))["items"] == plain.json["items"]
    small = wire.get(f"{MAPS}?limit=1&labelSelector=none", Accept_Encoding="gzip")
    assert "Content-Encoding" not in small.headers
    refused = wire.get(MAPS, Accept_Encoding="gzip;q=0, identity")
    assert "Content-Encoding" not in refused.headers
    for i in range(4):
        wire.ask("DELETE", f"{MAPS}/large-{i}")


# ---- discovery -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path,group", [("/api", ""), ("/apis", "apps")])
def test_aggregated_discovery(wire, path, group):
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    answer = wire.get(path, Accept=f"{accept},application/json")
    assert answer.code == 200 and answer.json["kind"] == "APIGroupDiscoveryList", repr(answer)
    assert answer.json["apiVersion"] == "apidiscovery.k8s.io/v2"
    sent = answer.headers["Content-Type"].replace(" ", "")
    assert set(sent.split(";")) == set(accept.split(";")), sent
    [found] = [item for item in answer.json["items"] if item["metadata"].get("name", "") == group]
    resources = {entry["resource"]: entry for entry in found["versions"][0]["resources"]}
    if group:
        entry = resources["deployments"]
        assert entry["responseKind"] == {"group": "apps", "version": "v1", "kind": "Deployment"}
        assert entry["scope"] == "Namespaced" and "deploy" in entry["shortNames"]
        assert {sub["subresource"] for sub in entry["subresources"]} >= {"status", "scale"}
    else:
        assert {sub["subresource"] for sub in resources["pods"]["subresources"]} >= {"log", "status", "binding", "eviction"}
    plain = wire.get(path)
    assert plain.json["kind"] == ("APIGroupList" if group else "APIVersions")


def test_aggregated_discovery_need_not_be_sent_twice(wire):
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    first = wire.get("/apis", Accept=accept)
    tag = first.headers["ETag"]
    assert tag, repr(first)[:300]
    again = wire.get("/apis", Accept=accept, If_None_Match=tag)
    assert again.code == 304 and again.raw == b""


def test_openapi_documents(wire):
    index = wire.get("/openapi/v3").json["paths"]
    assert {"api/v1", "apis/apps/v1", "apis/batch.tensorstack.dev/v1beta1"} <= set(index)
    for path, entry in index.items():
        answer = wire.get(entry["serverRelativeURL"])
        assert answer.code == 200 and answer.json["openapi"].startswith("3.0"), path
    url = index["apis/apps/v1"]["serverRelativeURL"]
    assert "hash=" in url
    document = wire.get(url)
    assert "immutable" in document.headers.get("Cache-Control", ""), dict(document.headers)
    assert "io.k8s.api.apps.v1.Deployment" in document.json["components"]["schemas"]
    v2 = wire.get("/openapi/v2").json
    assert v2["swagger"] == "2.0" and "io.k8s.api.core.v1.Pod" in v2["definitions"]


def test_health_tells_its_parts(wire):
    for path in ["/livez", "/readyz", "/healthz"]:
        assert wire.get(path).raw == b"ok"
        verbose = wire.get(f"{path}?verbose").raw.decode()
        assert re.search(r"^\[\+\]\S+ ok$", verbose, re.M) and "check passed" in verbose, verbose
    assert wire.get("/metrics").code in (200, 404)


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND", "OPTIONS"])
def test_methods_that_are_none(wire, method):
    answer = wire.ask(method, MAPS)
    assert answer.code in (400, 404, 405, 501), repr(answer)


@pytest.mark.parametrize("method,path", [("PUT", MAPS), ("POST", f"{MAPS}/x"), ("PATCH", MAPS),
                                         ("DELETE", "/api/v1/namespaces")])
def test_methods_in_the_wrong_place(wire, method, path):
    assert is_status(wire.ask(method, path, {}), 405), repr(method)
