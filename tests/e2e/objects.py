"""Objects of Kubernetes' own kinds for the tests, as small as they can be."""

import json

from jobs import pod_spec

SLEEP = "exec sleep 31536100"


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def labelled(obj, **labels):
    obj["metadata"].setdefault("labels", {}).update(labels)
    return obj


def named(obj, name, **metadata):
    obj["metadata"].update(name=name, **metadata)
    return obj


def secret(name, **text):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": text}


def service(name, port=80, **spec):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"selector": {"app": name}, "ports": [{"port": port}], **spec}}


def deployment(name, replicas=0, script=SLEEP, **container):
    """One that has no pods unless it is asked for: most tests are about the object."""
    template = {"metadata": {"labels": {"app": name}}, "spec": pod_spec(script, **container)}
    template["spec"]["terminationGracePeriodSeconds"] = 1
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                     "template": template}}


def containers(obj):
    return obj["spec"]["template"]["spec"]["containers"]


def env(obj, index=0):
    """{name: value} of a container of a workload."""
    return {entry["name"]: entry.get("value") for entry in containers(obj)[index].get("env", [])}


def role(name, verbs, resources, groups=("",), **rule):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name},
            "rules": [{"apiGroups": list(groups), "resources": list(resources),
                       "verbs": list(verbs), **rule}]}


def binding(name, role_kind, role_name, *subjects):
    """A RoleBinding to subjects such as ("User", "jo")."""
    group = "rbac.authorization.k8s.io"
    return {"apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": group, "kind": role_kind, "name": role_name},
            "subjects": [{"apiGroup": group, "kind": kind, "name": who} for kind, who in subjects]}


def make(server, obj, *args):
    """kubectl create -f - with more flags, such as -n NS; the object as stored."""
    return json.loads(server.kubectl("create", "-f", "-", "-o", "json", *args, input=json.dumps(obj)))


def conditions_of(obj):
    """{type: status}"""
    return {c["type"]: c["status"] for c in obj.get("status", {}).get("conditions", [])}
