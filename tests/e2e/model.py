"""Random work by several clients, and a check of everything they saw against a simple model.

The model is a dictionary. It can be simple because every acknowledged write carries its
resourceVersion, which orders all writes: replayed in that order, each must be what the model says.
"""

import http.client
import json
import random
import ssl
import threading
import time

KINDS = ("configmaps", "podgroups")
NAMESPACES = ("default", "other")
NAMES = ("a", "b", "c")
PATHS = {
    "configmaps": "/api/v1/namespaces/{ns}/configmaps",
    "podgroups": "/apis/scheduling.volcano.sh/v1beta1/namespaces/{ns}/podgroups",
}
COLLECTIONS = {
    "configmaps": "/api/v1/configmaps",
    "podgroups": "/apis/scheduling.volcano.sh/v1beta1/podgroups",
}


class Gone(Exception):
    """The server died while it was asked."""


class Connection:
    """One client's connection; opened anew after the server was killed."""

    def __init__(self, server):
        self.address, self.token = server.listen, server.token()
        self.context = ssl.create_default_context(cafile=str(server.data / "pki/ca.crt"))
        self.http = None

    def call(self, method, path, body=None, kind="application/json"):
        """(status, JSON); Gone when it is not known whether the request was carried out."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        try:
            if self.http is None:
                self.http = http.client.HTTPSConnection(self.address, context=self.context, timeout=20)
            self.http.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = self.http.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as failure:
            self.close()
            raise Gone(str(failure)) from None

    def close(self):
        if self.http is not None:
            self.http.close()
        self.http = None


def content(obj):
    """What a client can change, without what the server writes."""
    meta = obj["metadata"]
    return {"labels": meta.get("labels", {}), "data": obj.get("data") or obj.get("spec", {}),
            "finalizers": meta.get("finalizers", []), "deleting": "deletionTimestamp" in meta}


def version(obj):
    return int(obj["metadata"]["resourceVersion"])


def key(kind, obj):
    return kind, obj["metadata"]["namespace"], obj["metadata"]["name"]


def make(kind, name, number):
    obj = {"metadata": {"name": name, "labels": {"number": str(number % 3)}}}
    if kind == "configmaps":
        return obj | {"data": {"number": str(number)}}
    return obj | {"spec": {"minMember": number}}


def change(kind, number):
    part = {"data": {"number": str(number)}} if kind == "configmaps" else {"spec": {"minMember": number}}
    return part | {"metadata": {"labels": {"number": str(number % 3)}}}


class Client(threading.Thread):
    """Does random verbs; writes down every acknowledged write and every answer that must not be."""

    def __init__(self, server, seed, steps):
        super().__init__(daemon=True)
        self.random = random.Random(seed)
        self.connection = Connection(server)
        self.steps = steps
        self.writes = []  # (version, verb, key, object as answered, what it was based on)
        self.unknown = 0  # writes of which nobody knows
        self.wrong = []

    def run(self):
        for _ in range(self.steps):
            try:
                self.step()
            except Gone:
                self.unknown += 1
                return
        self.connection.close()

    def step(self):
        kind, ns = self.random.choice(KINDS), self.random.choice(NAMESPACES)
        name, number = self.random.choice(NAMES), self.random.randrange(1, 1_000_000)
        path = PATHS[kind].format(ns=ns)
        verb = self.random.choices(
            ("create", "update", "patch", "apply", "delete", "get", "list"), (5, 3, 4, 2, 3, 1, 1))[0]
        getattr(self, verb)(kind, (kind, ns, name), path, number)

    def note(self, verb, where, obj, base=None):
        self.writes.append((version(obj), verb, where, obj, base))

    def expect(self, status, allowed, what, answer):
        if status not in allowed:
            self.wrong.append(f"{what}: {status} {answer}")
        return status // 100 == 2

    def create(self, kind, where, path, number):
        status, answer = self.connection.call("POST", path, make(kind, where[2], number))
        if self.expect(status, (201, 409), f"create {where}", answer):
            self.note("create", where, answer)

    def update(self, kind, where, path, number):
        status, current = self.connection.call("GET", f"{path}/{where[2]}")
        if not self.expect(status, (200, 404), f"get {where}", current):
            return
        changed = current | {k: v for k, v in change(kind, number).items() if k != "metadata"}
        changed["metadata"] = current["metadata"] | {"labels": {"number": str(number % 3)}}
        status, answer = self.connection.call("PUT", f"{path}/{where[2]}", changed)
        if self.expect(status, (200, 404, 409), f"update {where}", answer):
            self.note("update", where, answer, version(current))

    def patch(self, kind, where, path, number):
        status, answer = self.connection.call("PATCH", f"{path}/{where[2]}", change(kind, number),
                                              "application/merge-patch+json")
        if self.expect(status, (200, 404), f"patch {where}", answer):
            self.note("patch", where, answer)

    def apply(self, kind, where, path, number):
        body = make(kind, where[2], number)
        body["apiVersion"] = "v1" if kind == "configmaps" else "scheduling.volcano.sh/v1beta1"
        body["kind"] = "ConfigMap" if kind == "configmaps" else "PodGroup"
        status, answer = self.connection.call(
            "PATCH", f"{path}/{where[2]}?fieldManager=model&force=true", body,
            "application/apply-patch+yaml")
        if self.expect(status, (200, 201), f"apply {where}", answer):
            self.note("apply", where, answer)

    def delete(self, kind, where, path, number):
        status, answer = self.connection.call("DELETE", f"{path}/{where[2]}")
        self.expect(status, (200, 404), f"delete {where}", answer)

    def get(self, kind, where, path, number):
        status, answer = self.connection.call("GET", f"{path}/{where[2]}")
        self.expect(status, (200, 404), f"get {where}", answer)

    def list(self, kind, where, path, number):
        status, answer = self.connection.call("GET", f"{path}?limit=2")
        if self.expect(status, (200,), f"list {where}", answer):
            listed = version(answer)
            if any(version(item) > listed for item in answer["items"]):
                self.wrong.append(f"list {where}: an item is newer than its list: {answer}")


class Watcher(threading.Thread):
    """Follows one kind in all namespaces, over kills of the server; keeps every event. Where its
    place was forgotten by a restart (410) it lists again, as clients do, and begins a new segment."""

    def __init__(self, server, kind, since, state):
        super().__init__(daemon=True)
        self.server, self.kind, self.since = server, kind, since
        self.segments = [(since, state, [])]  # where it began, what there was, what happened
        self.problems = []
        self.stopping = False

    @property
    def events(self):
        return [event for _, _, events in self.segments for event in events]

    def run(self):
        while not self.stopping:
            try:
                self.follow()
            except (Gone, OSError, http.client.HTTPException):
                time.sleep(0.02)

    def follow(self):
        connection = Connection(self.server)
        http_connection = http.client.HTTPSConnection(
            connection.address, context=connection.context, timeout=5)
        path = f"{COLLECTIONS[self.kind]}?watch=true&allowWatchBookmarks=true&resourceVersion={self.since}"
        http_connection.request("GET", path, headers={"Authorization": f"Bearer {connection.token}"})
        answer = http_connection.getresponse()
        try:
            if answer.status == 410:
                return self.list_again(connection)
            while line := answer.readline():
                if not line.endswith(b"\n"):
                    return None  # cut off in the middle by the kill
                self.take(json.loads(line))
        finally:
            http_connection.close()

    def list_again(self, connection):
        _, answer = connection.call("GET", COLLECTIONS[self.kind])
        state = {key(self.kind, item): item for item in answer["items"]}
        if version(answer) < self.since:
            self.problems.append(f"a list at {version(answer)} after an event at {self.since}")
        self.since = version(answer)
        self.segments.append((self.since, state, []))

    def take(self, event):
        if event["type"] == "ERROR":
            self.problems.append(event)
            self.stopping = True
            return
        seen = version(event["object"])
        if event["type"] != "BOOKMARK":
            if seen <= self.since:
                self.problems.append(f"event {seen} after {self.since}")
            self.segments[-1][2].append(
                (seen, event["type"], key(self.kind, event["object"]), event["object"]))
        self.since = max(self.since, seen)
