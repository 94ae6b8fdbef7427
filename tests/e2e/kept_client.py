"""Objects as kubectl gives them with -o json, without a kubectl each time: it costs as much CPU as a pod takes to start,
on a machine that has to train beside it. A test that waits asks many times a second; most make objects only to begin
with. What kubectl itself does is the matter of test_kubectl_*.py."""

import argparse
import http.client
import threading

from wire import Wire

ALL_IN_ONE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

# What tests say after the kind, as to kubectl.
flags = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
flags.add_argument("-l", dest="labelSelector")
flags.add_argument("--field-selector", dest="fieldSelector")
flags.add_argument("-n", dest="namespace", default="default")
flags.add_argument("-A", dest="everywhere", action="store_true")


class KeptClient:
    """Reads over one kept connection."""

    def __init__(self, server):
        self.server = server
        self.resources = []
        self._of_thread = threading.local()

    def get(self, kind, name):
        """None when there is none."""
        answer = self._ask(kind, "default", name)
        if answer.code == 404:  # perhaps of a version that is no longer served
            self.resources = []
            answer = self._ask(kind, "default", name)
        if answer.code == 404:
            return None
        assert answer.code == 200, repr(answer)
        return as_kubectl(answer.json)

    def list(self, kinds, *args):
        given = flags.parse_args(args)
        query = {key: value for key in ["labelSelector", "fieldSelector"] if (value := getattr(given, key))}
        found = []
        for kind in kinds.split(","):
            answer = self._ask(kind, None if given.everywhere else given.namespace, query=query)
            assert answer.code == 200, repr(answer)
            whole = answer.json
            about = {"apiVersion": whole["apiVersion"], "kind": whole["kind"].removesuffix("List")}
            found += [as_kubectl({**about, **item}) for item in whole["items"]]
        return found

    def create(self, obj):
        """The object as stored."""
        root, resource, namespaced = self._place(f"{obj['apiVersion']}/{obj['kind']}")
        scope = f"/namespaces/{obj['metadata'].get('namespace', 'default')}" if namespaced else ""
        query = {"fieldManager": "kubectl-create", "fieldValidation": "Strict"}
        # A new connection: of a kept one that has broken nobody knows whether the object was made.
        wire = Wire(self.server, timeout=60)
        try:
            answer = wire.ask("POST", f"{root}{scope}/{resource}", obj, query)
        except (http.client.HTTPException, OSError) as problem:
            raise AssertionError(f"create {obj['kind']}: {problem!r}") from None
        finally:
            wire.close()
        assert answer.code == 201, repr(answer)
        return as_kubectl(answer.json)

    def _ask(self, kind, namespace, name=None, query=None):
        root, resource, namespaced = self._place(kind)
        scope = f"/namespaces/{namespace}" if namespaced and namespace else ""
        return self._fetch(f"{root}{scope}/{resource}" + (f"/{name}" if name else ""), query)

    def _place(self, kind):
        for _ in range(2):
            for names, place in self.resources:
                if kind.lower() in names:
                    return place
            self.resources = [*self._discover("/api"), *self._discover("/apis")]
        raise AssertionError(f"the server does not know the kind {kind}")

    def _discover(self, root):
        """[({names in small letters}, (path, resource, whether it is in namespaces))], what kubectl prefers first."""
        answer = self._fetch(root, Accept=ALL_IN_ONE)
        assert answer.code == 200, repr(answer)
        found = []
        for group in answer.json["items"]:
            group_name = group["metadata"].get("name", "")
            for version in group["versions"]:
                path = "/".join(filter(None, [root, group_name, version["version"]]))
                for each in version["resources"]:
                    names = {each["resource"], each["singularResource"], *each.get("shortNames", [])}
                    names |= {f"{name}.{group_name}" for name in names}
                    names |= {f"{each['resource']}.{version['version']}.{group_name}"}
                    names |= {f"{path.removeprefix(root)[1:]}/{each['responseKind']['kind']}".lower()}
                    found.append((names, (path, each["resource"], each["scope"] == "Namespaced")))
        return found

    def _fetch(self, path, query=None, **headers):
        if not hasattr(self._of_thread, "wire"):
            self._of_thread.wire = Wire(self.server)
        try:
            return self._of_thread.wire.get(path, query, **headers)
        except (http.client.HTTPException, OSError):
            pass  # the server may have been started anew since the last time
        try:
            return self._of_thread.wire.get(path, query, **headers)
        except (http.client.HTTPException, OSError) as problem:
            raise AssertionError(f"GET {path}: {problem!r}") from None


def as_kubectl(obj):
    """kubectl leaves out who wrote which field."""
    obj["metadata"].pop("managedFields", None)
    return obj
