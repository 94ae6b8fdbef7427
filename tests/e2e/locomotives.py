"""A CustomResourceDefinition of another project, whose kind is Locomotive, and what tests do with it."""

import yaml
from harness import ROOT

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


def problems(answer):
    """{field: message} of an answer that refuses an object."""
    assert answer.code == 422 and answer.json["reason"] == "Invalid", repr(answer)
    return {cause["field"]: cause["message"] for cause in answer.json["details"]["causes"]}
