"""Users of a server beside its administrator: by `trainyard user add`, by token, by certificate."""

import base64
import json
import subprocess

import yaml
from wire import Wire


class Person:
    """Someone with a kubeconfig of their own."""

    def __init__(self, server, name, user):
        """user: what a kubeconfig says of how they log in."""
        self.server, self.name, self.user = server, name, user
        config = yaml.safe_load((server.data / "kubeconfig").read_text())
        config["users"] = [{"name": config["users"][0]["name"], "user": user}]
        self.file = server.folder / f"{name.replace(':', '-')}.kubeconfig"
        self.file.write_text(yaml.safe_dump(config))

    def try_kubectl(self, *args, **more):
        return self.server.try_kubectl("--kubeconfig", self.file, *args, **more)

    def kubectl(self, *args, **more):
        return self.server.kubectl("--kubeconfig", self.file, *args, **more)

    def wire(self):
        if "token" in self.user:
            return Wire(self.server, self.user["token"])
        return Wire(self.server, None, (self.user["client-certificate"], self.user["client-key"]))


def user(server, name, role, namespace):
    """trainyard user add."""
    file = server.folder / f"{name}.added"
    done = server.cli("user", "add", name, "--role", role, "-n", namespace, "--kubeconfig-out", file)
    assert done.code == 0, repr(done)
    return Person(server, name, yaml.safe_load(file.read_text())["users"][0]["user"])


def account(server, name, namespace="default"):
    """A service account with a token."""
    server.kubectl("create", "serviceaccount", name, "-n", namespace)
    token = server.kubectl("create", "token", name, "-n", namespace).strip()
    return Person(server, f"system:serviceaccount:{namespace}:{name}", {"token": token})


def openssl(*args, **more):
    done = subprocess.run(["openssl", *map(str, args)], capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stderr


def certificate(server, common_name, *organizations, ca=None, days=1):
    """Someone with a client certificate of the server's CA, or of another."""
    ca = ca or server.data / "pki/ca"
    stem = server.folder / f"cert-{common_name.replace(':', '-') or 'nobody'}-{days}"
    subject = "".join(f"/O={organization}" for organization in organizations)
    if common_name:
        subject += f"/CN={common_name}"
    openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{stem}.key", "-subj", subject or "/C=DE",
            "-out", f"{stem}.csr")
    openssl("x509", "-req", "-in", f"{stem}.csr", "-CA", f"{ca}.crt", "-CAkey", f"{ca}.key", "-CAserial",
            f"{stem}.srl", "-CAcreateserial", "-days", days, "-out", f"{stem}.crt")
    return Person(server, common_name or "nobody", {"client-certificate": f"{stem}.crt", "client-key": f"{stem}.key"})


def own_authority(folder):
    """Another CA, which the server does not know; its path without .crt and .key."""
    stem = folder / "other-ca"
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{stem}.key", "-out", f"{stem}.crt",
            "-subj", "/CN=another", "-days", 2)
    return stem


def decode(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def encode(data):
    if isinstance(data, dict):
        data = json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def claims(token):
    return json.loads(decode(token.split(".")[1]))
