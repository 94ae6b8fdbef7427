"""Who gets in, and what the wire says to those who do not."""

import base64
import hashlib
import json
import ssl
import stat

import pytest
from harness import Server
from people import user
from wire import Wire

NO_TOKEN_NEEDED = ["/livez", "/readyz", "/version"]
TOKEN_NEEDED = ["/api", "/apis", "/api/v1", "/api/v1/namespaces/default/pods", "/openapi/v2",
                "/openapi/v3", "/apis/batch.tensorstack.dev/v1beta1/pytorchtrainingjobs", "/metrics",
                "/no/such/path", "/"]


@pytest.mark.parametrize("path", NO_TOKEN_NEEDED)
def test_health_and_version_need_no_token(shared_server, path):
    code, body = shared_server.api(path)
    assert code == 200, body
    if path == "/version":
        assert body["major"] == "1" and int(body["minor"].rstrip("+")) >= 30, body


@pytest.mark.parametrize("path", TOKEN_NEEDED)
def test_everything_else_needs_a_token_also_from_loopback(shared_server, path):
    for token in [None, "wrong", shared_server.token()[:-1]]:
        code, body = shared_server.api(path, token)
        assert code == 401, f"{path} with token {token!r}: {code} {body}"
        assert body["kind"] == "Status" and body["reason"] == "Unauthorized", body


def test_a_write_without_a_token_changes_nothing(shared_server):
    body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"intruder"}}'
    code, _ = shared_server.api("/api/v1/namespaces/default/configmaps", None, "POST", body)
    assert code == 401
    assert shared_server.get("configmap", "intruder") is None


def person_secret(name, token, groups=""):
    data = {"username": name, "token-sha256": hashlib.sha256(token.encode()).hexdigest(), "groups": groups}
    return {"apiVersion": "v1", "kind": "Secret", "type": "trainyard.dev/user",
            "metadata": {"name": f"user-{name}", "namespace": "kube-system"},
            "data": {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}}


def test_who_may_write_secrets_of_kube_system_lets_nobody_in(shared_server):
    eve = user(shared_server, "eve", "admin", "kube-system")
    eve.kubectl("create", "secret", "generic", "plain", "-n", "kube-system", "--from-literal=a=b")
    secret = person_secret("mallory", "ty_made-up")
    for verb in [["create"], ["apply", "--server-side"]]:
        refused = eve.try_kubectl(*verb, "-f", "-", input=json.dumps(secret))
        assert refused.code == 1 and "cluster-admin" in refused.err, repr(refused)
    assert Wire(shared_server, "ty_made-up").get("/api").code == 401
    stolen = json.dumps({"data": person_secret("eve", "ty_made-up", "ops")["data"]})
    for refused in [eve.try_kubectl("patch", "secret", "user-eve", "-n", "kube-system", "-p", stolen),
                    eve.try_kubectl("delete", "secret", "user-eve", "-n", "kube-system")]:
        assert refused.code == 1 and "cluster-admin" in refused.err, repr(refused)
    assert Wire(shared_server, "ty_made-up").get("/api").code == 401


@pytest.mark.parametrize("path", [
    "/nonsense", "/api/v1/nonsense", "/apis/no.such.group/v1", "/apis/no.such.group/v1/things",
    "/api/v1/namespaces/default/pods/none/nonsense", "/api/v2", "/../../etc/passwd", "/%00",
    "/api/v1/namespaces/default/pods/%2e%2e"])
def test_paths_that_are_none_answer_404_with_a_status(shared_server, path):
    code, body = shared_server.api(path, shared_server.token())
    assert code == 404, body
    assert body["kind"] == "Status" and body["status"] == "Failure", body
    assert body["code"] == 404 and body["reason"] == "NotFound" and body["message"], body


def test_broken_bodies_answer_400_with_a_status(shared_server):
    for body in ["{", "[]", '{"kind":"ConfigMap"', "\x00", '{"a":1,"a":2}']:
        code, answer = shared_server.api("/api/v1/namespaces/default/configmaps",
                                         shared_server.token(), "POST", body)
        assert code in (400, 422), f"{body!r}: {code} {answer}"
        assert answer["kind"] == "Status" and answer["message"], answer


def test_body_beyond_the_limit_answers_413(shared_server):
    body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"big"},"data":{"a":"%s"}}'
    code, answer = shared_server.api("/api/v1/namespaces/default/configmaps", shared_server.token(),
                                     "POST", body % ("x" * (4 << 20)))
    assert code == 413 and answer["kind"] == "Status", answer


def test_client_with_another_ca_refuses_the_server(shared_server, stopped_server):
    stopped_server.up()
    with pytest.raises(ssl.SSLCertVerificationError):
        shared_server.api("/version", ca=stopped_server.data / "pki/ca.crt")
    config = (stopped_server.data / "kubeconfig").read_text()
    config = config.replace(stopped_server.listen, shared_server.listen)
    foreign = shared_server.folder / "foreign.kubeconfig"
    foreign.write_text(config)
    refused = shared_server.try_kubectl("--kubeconfig", foreign, "get", "nodes")
    assert refused.code != 0 and "x509" in refused.err, repr(refused)


def test_kubectl_with_a_wrong_token_is_told_so(shared_server):
    refused = shared_server.try_kubectl("get", "pods", "--token=wrong")
    assert refused.code != 0 and "You must be logged in to the server" in refused.err, repr(refused)


def test_trainyard_kubeconfig_works_with_kubectl(shared_server):
    printed = shared_server.cli("kubeconfig")
    assert printed.code == 0, repr(printed)
    file = shared_server.folder / "printed.kubeconfig"
    file.write_text(printed.out)
    context = shared_server.kubectl("--kubeconfig", file, "config", "current-context")
    assert context.strip() == "trainyard"
    assert "node-0" in shared_server.kubectl("--kubeconfig", file, "get", "nodes")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_secrets_are_for_their_owner_only(shared_server: Server):
    data = shared_server.data
    assert mode(data) == 0o700
    assert mode(data / "pki") == 0o700
    files = [data / "kubeconfig", data / "server.json", data / "server.log", data / "store.db",
             *(data / "pki").iterdir()]
    assert len(files) >= 7
    open_to_others = {str(file): oct(mode(file)) for file in files if mode(file) != 0o600}
    assert not open_to_others, open_to_others
