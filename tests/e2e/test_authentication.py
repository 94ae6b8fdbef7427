"""Who someone is: tokens of users and service accounts, certificates, and speaking for others."""

import json
import re
import time

import pytest
from jobs import pod
from objects import SLEEP, binding, make, namespace, role
from people import Person, account, certificate, claims, decode, encode, openssl, own_authority, user
from wire import Wire

PODS = "/api/v1/namespaces/default/pods"
REVIEW = "/apis/authentication.k8s.io/v1/tokenreviews"


def whoami(person):
    review = json.loads(person.kubectl("auth", "whoami", "-o", "json"))
    return review["status"]["userInfo"]


def refused(person):
    """401, with a Status."""
    answer = person.wire().get(PODS)
    return answer.code == 401 and answer.json["reason"] == "Unauthorized"


# ---- users ---------------------------------------------------------------------------------------


def test_the_administrator(shared_server):
    info = json.loads(shared_server.kubectl("auth", "whoami", "-o", "json"))["status"]["userInfo"]
    assert "system:masters" in info["groups"] and "system:authenticated" in info["groups"]
    table = shared_server.kubectl("auth", "whoami")
    assert re.search(r"^ATTRIBUTE +VALUE\n(\w.*\n)*Username +\S+", table), table


def test_a_user_with_a_token(shared_server):
    shared_server.create(namespace("crew"))
    jo = user(shared_server, "jo", "edit", "crew")
    info = whoami(jo)
    assert info["username"] == "jo" and "system:authenticated" in info["groups"]
    assert jo.try_kubectl("get", "pods", "-n", "crew").code == 0
    assert jo.try_kubectl("get", "pods", "-n", "default").code == 1
    spoiled = Person(shared_server, "spoiled", {"token": jo.user["token"][:-1] + ("1" if jo.user["token"].endswith("0") else "0")})
    assert refused(spoiled)


def test_the_kubeconfig_of_a_user_works_as_it_is(shared_server):
    shared_server.create(namespace("ready"))
    done = shared_server.cli("user", "add", "kim", "--role", "view", "-n", "ready")
    assert done.code == 0, repr(done)
    file = shared_server.folder / "kim.yaml"
    file.write_text(done.out)
    said = shared_server.kubectl("--kubeconfig", file, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
    assert said == "kim"
    assert shared_server.kubectl("--kubeconfig", file, "get", "pods", "-o", "name") == "", "its namespace is set"


@pytest.mark.parametrize("words,complaint", [
    (["jo2", "--role", "emperor", "-n", "default"], "emperor"), (["jo2", "--role", "view", "-n", "nowhere"], "nowhere"),
    (["system:admin", "--role", "view", "-n", "default"], "system:")])
def test_users_that_cannot_be(shared_server, words, complaint):
    done = shared_server.cli("user", "add", *words)
    assert done.code != 0 and complaint in done.err, repr(done)


def test_users_are_listed_and_let_in_no_longer(shared_server):
    lea = user(shared_server, "lea", "view", "default")
    listed = shared_server.cli("user", "list")
    assert listed.code == 0 and re.search(r"^lea .*view", listed.out, re.M), repr(listed)
    assert lea.user["token"] not in (shared_server.data / "store.db").read_bytes().decode(errors="replace")
    wire = lea.wire()
    assert wire.get(PODS).code == 200
    gone = shared_server.cli("user", "rm", "lea")
    assert gone.code == 0, repr(gone)
    assert wire.get(PODS).code == 401, "from the next request on, also on an open connection"
    assert "lea" not in shared_server.cli("user", "list").out
    again = shared_server.cli("user", "rm", "lea")
    assert again.code == 1 and "lea" in again.err, repr(again)


def test_a_user_survives_a_restart(server):
    lea = user(server, "lea", "view", "default")
    server.kill()
    server.up()
    assert lea.wire().get(PODS).code == 200


def test_nobody_and_strangers(shared_server):
    for header in [None, "Bearer ", "Bearer nonsense", "Bearer a.b.c", "Basic cm9vdDpyb290", "bearer"]:
        wire = Wire(shared_server, None)
        answer = wire.get(PODS, **({"Authorization": header} if header else {}))
        assert answer.code == 401 and answer.json["kind"] == "Status", f"{header}: {answer!r}"
        assert answer.message.startswith("Unauthorized")


# ---- service accounts ----------------------------------------------------------------------------


def test_a_service_accounts_token(shared_server):
    robot = account(shared_server, "robot")
    token = robot.user["token"]
    told = claims(token)
    assert told["sub"] == "system:serviceaccount:default:robot"
    assert told["kubernetes.io"]["namespace"] == "default"
    assert told["kubernetes.io"]["serviceaccount"]["name"] == "robot"
    assert 3500 <= told["exp"] - told["iat"] <= 3700, "an hour when nothing is said"
    assert abs(told["iat"] - time.time()) < 60
    info = whoami(robot)
    assert info["username"] == "system:serviceaccount:default:robot"
    assert set(info["groups"]) == {"system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"}
    answer = robot.wire().get(PODS)
    assert answer.code == 403 and 'User "system:serviceaccount:default:robot" cannot list' in answer.message
    made = binding("robot", "ClusterRole", "view")
    made["subjects"] = [{"kind": "ServiceAccount", "name": "robot", "namespace": "default"}]
    shared_server.create(made)
    assert robot.wire().get(PODS).code == 200


def test_a_tokens_length_of_life(shared_server):
    shared_server.kubectl("create", "serviceaccount", "timed")
    token = shared_server.kubectl("create", "token", "timed", "--duration=20m").strip()
    assert claims(token)["exp"] - claims(token)["iat"] == 1200
    short = shared_server.try_kubectl("create", "token", "timed", "--duration=1m")
    assert short.code == 1, repr(short)
    assert "spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes" in short.err


def sign(server, head, told):
    """A token signed by the key that signs service accounts' tokens, wherever it is in pki/."""
    text = f"{encode(head)}.{encode(told)}"
    good = server.kubectl("create", "token", "default").strip()
    for key in sorted((server.data / "pki").glob("*.key")):
        if signature(server, key, head["alg"], good.rpartition(".")[0], check=decode(good.rpartition(".")[2])):
            return f"{text}.{encode(signature(server, key, head['alg'], text))}"
    pytest.skip("the key of service accounts is not among pki/*.key")


def signature(server, key, algorithm, text, check=None):
    """Signs, or checks, with openssl; RS256 and ES256."""
    message, out, public = (server.folder / name for name in ["message", "signature", "public.pem"])
    message.write_text(text)
    if check is None:
        openssl("dgst", "-sha256", "-sign", key, "-out", out, message)
        return from_der(out.read_bytes()) if algorithm == "ES256" else out.read_bytes()
    openssl("pkey", "-in", key, "-pubout", "-out", public)
    out.write_bytes(to_der(check) if algorithm == "ES256" else check)
    try:
        openssl("dgst", "-sha256", "-verify", public, "-signature", out, message)
        return True
    except AssertionError:
        return False


def from_der(der):
    """r and s of 32 bytes each, from a DER signature of P-256."""
    r_length = der[3]
    r, rest = der[4:4 + r_length], der[4 + r_length:]
    s = rest[2:2 + rest[1]]
    return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (r, s))


def to_der(raw):
    def integer(number):
        number = number.lstrip(b"\0") or b"\0"
        number = b"\0" + number if number[0] & 0x80 else number
        return bytes([2, len(number)]) + number
    body = integer(raw[:32]) + integer(raw[32:])
    return bytes([0x30, len(body)]) + body


def test_an_expired_token_and_one_of_the_future(shared_server):
    good = shared_server.kubectl("create", "token", "default").strip()
    head, told = json.loads(decode(good.split(".")[0])), claims(good)
    mine = Person(shared_server, "resigned", {"token": sign(shared_server, head, told)})
    assert mine.wire().get(PODS).code == 403, "signed again, it is as good as before"
    now = int(time.time())
    for change in [{"exp": now - 5}, {"nbf": now + 3600}, {"aud": ["another"]}, {"iss": "https://another"},
                   {"sub": "system:serviceaccount:kube-system:default"}]:
        token = sign(shared_server, head, {**told, **change})
        assert refused(Person(shared_server, "changed", {"token": token})), change


def test_a_token_without_a_good_signature(shared_server):
    head, told, signed = shared_server.kubectl("create", "token", "default").strip().split(".")
    other = {**json.loads(decode(told)), "sub": "system:serviceaccount:kube-system:admin"}
    for token in [f"{head}.{told}.", f"{head}.{told}", f"{head}.{encode(other)}.{signed}",
                  f"{encode({'alg': 'none'})}.{told}.", f"{encode({'alg': 'none'})}.{told}.{signed}",
                  f"{encode({'alg': 'HS256'})}.{told}.{signed}", f"{head}.{told}.{signed[:-4]}AAAA", "x" * 5_000]:
        assert refused(Person(shared_server, "forged", {"token": token})), token[:80]


def test_the_token_of_an_account_that_is_gone(shared_server):
    robot = account(shared_server, "brief")
    assert robot.wire().get(PODS).code == 403
    wire = robot.wire()
    assert wire.get(PODS).code == 403
    shared_server.kubectl("delete", "serviceaccount", "brief")
    assert wire.get(PODS).code == 401, "also on a connection that was open"
    shared_server.kubectl("create", "serviceaccount", "brief")
    assert refused(robot), "another one of the same name"


def test_a_token_bound_to_a_pod_dies_with_it(server):
    server.create(pod("host", SLEEP, grace=0))
    server.wait_phase("host", "Running", "pod")
    token = server.kubectl("create", "token", "default", "--bound-object-kind=Pod", "--bound-object-name=host").strip()
    assert claims(token)["kubernetes.io"]["pod"]["name"] == "host"
    guest = Person(server, "guest", {"token": token})
    assert guest.wire().get(PODS).code == 403
    server.kubectl("delete", "pod", "host", "--grace-period=0", "--force", "--timeout=20s")
    assert refused(guest)


def test_a_pod_speaks_to_the_server_as_its_account(server):
    server.create(role("reader", ["get", "list"], ["configmaps"]))
    made = binding("reader", "Role", "reader")
    made["subjects"] = [{"kind": "ServiceAccount", "name": "default", "namespace": "default"}]
    server.create(made)
    script = """
import json, os, ssl, urllib.request, urllib.error
folder = "/var/run/secrets/kubernetes.io/serviceaccount/"
read = lambda name: open(folder + name).read().strip()
host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
for kind in ["configmaps", "secrets"]:
    url = f"https://{host}:{port}/api/v1/namespaces/{read('namespace')}/{kind}"
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + read("token")})
    context = ssl.create_default_context(cafile=folder + "ca.crt")
    try:
        print(kind, urllib.request.urlopen(request, context=context).status)
    except urllib.error.HTTPError as error:
        print(kind, error.code)
"""
    made = pod("inside", "")
    made["spec"]["containers"][0]["command"] = ["python3", "-c", script]
    server.create(made)
    server.wait_phase("inside", "Succeeded", "pod")
    assert server.kubectl("logs", "inside") == "configmaps 200\nsecrets 403\n"


def test_token_reviews(shared_server):
    robot = account(shared_server, "reviewed")
    review = lambda token, **spec: Wire(shared_server).ask("POST", REVIEW, {  # noqa: E731
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token, **spec}}).json["status"]
    good = review(robot.user["token"])
    assert good["authenticated"] is True and good["user"]["username"] == robot.name, good
    bad = review("nonsense")
    assert not bad.get("authenticated"), bad
    other = shared_server.kubectl("create", "token", "reviewed", "--audience=vault").strip()
    assert claims(other)["aud"] == ["vault"]
    assert not review(other).get("authenticated")
    assert review(other, audiences=["vault"])["authenticated"] is True
    assert refused(Person(shared_server, "vault", {"token": other})), "it is not for this server"


# ---- certificates --------------------------------------------------------------------------------


def test_a_certificate_of_the_clusters_authority(shared_server):
    ana = certificate(shared_server, "ana", "crew", "night")
    info = whoami(ana)
    assert info["username"] == "ana"
    assert set(info["groups"]) == {"crew", "night", "system:authenticated"}
    assert ana.wire().get(PODS).code == 403
    assert certificate(shared_server, "root", "system:masters").wire().get(PODS).code == 200


def test_certificates_that_do_not_count(shared_server):
    old = certificate(shared_server, "late", "system:masters", days=-1)
    foreign = certificate(shared_server, "foreign", "system:masters", ca=own_authority(shared_server.folder))
    nameless = certificate(shared_server, "", "system:masters")
    for person in [old, foreign, nameless]:
        done = person.try_kubectl("get", "pods")
        assert done.code == 1, repr(done)
        try:
            code = person.wire().get(PODS).code
        except OSError:
            code = "no connection"
        assert code in (401, "no connection"), f"{person.name}: {code}"


def test_the_servers_own_certificate_is_not_a_login(shared_server):
    pki = shared_server.data / "pki"
    for stem in [file.with_suffix("") for file in pki.glob("*.crt") if file.with_suffix(".key").exists()]:
        person = Person(shared_server, stem.name, {"client-certificate": f"{stem}.crt", "client-key": f"{stem}.key"})
        try:
            answer = person.wire().get("/api/v1/namespaces/default/secrets")
        except OSError:
            continue
        assert answer.code in (401, 403), f"{stem}: {answer!r}"


# ---- speaking for others -------------------------------------------------------------------------


def test_the_administrator_may_speak_for_others(shared_server):
    as_jo = shared_server.kubectl("auth", "whoami", "-o", "json", "--as=jo", "--as-group=crew")
    info = json.loads(as_jo)["status"]["userInfo"]
    assert info["username"] == "jo" and set(info["groups"]) == {"crew", "system:authenticated"}
    no = shared_server.try_kubectl("auth", "can-i", "list", "secrets", "--as=jo")
    assert (no.code, no.out) == (1, "no\n"), repr(no)
    denied = shared_server.try_kubectl("get", "secrets", "--as=system:serviceaccount:default:default")
    assert 'User "system:serviceaccount:default:default" cannot list resource "secrets"' in denied.err
    table = shared_server.kubectl("auth", "whoami", "--as=system:serviceaccount:default:default")
    assert "system:serviceaccounts:default" in table


def test_others_may_not_speak_for_anybody_without_the_right(shared_server):
    sam = certificate(shared_server, "sam")
    denied = sam.try_kubectl("get", "pods", "--as=jo")
    assert denied.code == 1, repr(denied)
    assert 'users "jo" is forbidden: User "sam" cannot impersonate resource "users" in API group "" ' \
           "at the cluster scope" in denied.err, repr(denied)
    for words in [["--as=system:admin"], ["--as=sam", "--as-group=system:masters"],
                  ["--as=system:serviceaccount:default:default"], ["--as=sam", "--as-uid=1"]]:
        denied = sam.try_kubectl("get", "pods", *words)
        assert denied.code == 1 and "impersonate" in denied.err, repr(denied)


def test_the_right_to_speak_for_one(shared_server):
    kai = certificate(shared_server, "kai")
    shared_server.create({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "for-jo"},
        "rules": [{"apiGroups": [""], "resources": ["users"], "resourceNames": ["jo"], "verbs": ["impersonate"]}]})
    shared_server.kubectl("create", "clusterrolebinding", "for-jo", "--clusterrole=for-jo", "--user=kai")
    said = kai.kubectl("auth", "whoami", "--as=jo", "-o", "jsonpath={.status.userInfo.username}")
    assert said == "jo"
    assert kai.try_kubectl("auth", "whoami", "--as=mia").code == 1
    denied = kai.try_kubectl("get", "pods", "--as=jo", "--as-group=system:masters")
    assert denied.code == 1 and 'groups "system:masters" is forbidden' in denied.err, repr(denied)


def test_groups_without_a_user_make_no_sense(shared_server):
    answer = Wire(shared_server).get(PODS, Impersonate_Group="system:masters")
    assert answer.code in (400, 403, 500) and "mpersonat" in answer.message, repr(answer)


def test_one_who_edits_may_use_the_accounts_of_the_namespace_only(shared_server):
    shared_server.create(namespace("tools"))
    eve = user(shared_server, "eve", "edit", "tools")
    make(shared_server, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "bot"}}, "-n", "tools")
    said = eve.kubectl("auth", "whoami", "--as=system:serviceaccount:tools:bot", "-o",
                       "jsonpath={.status.userInfo.username}")
    assert said == "system:serviceaccount:tools:bot"
    assert eve.try_kubectl("auth", "whoami", "--as=system:serviceaccount:default:default").code == 1
    assert eve.kubectl("create", "token", "bot", "-n", "tools").count(".") == 2
    assert eve.try_kubectl("create", "token", "default", "-n", "default").code == 1
