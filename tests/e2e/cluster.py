"""A real Kubernetes API: etcd and kube-apiserver, of tools/setup kubernetes, without any controller or kubelet. Tests
play those: they write pods and statuses, and answer for the node's logs."""

import http.client
import json
import os
import socket
import ssl
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from harness import KUBECTL, ROOT, VENV, Result, exchange, wait_for

PROGRAMS = ROOT / ".tools/kubernetes"
USERS = {"admin": "system:masters", "ann": "people"}


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Kubelet:
    """Answers for logs as a node does, with what `logs` has for POD/CONTAINER."""

    def __init__(self, certificate, key):
        self.logs, self.asked = {}, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                _, _, _, pod, container = self.path.partition("?")[0].split("/")
                text = outer.logs.get(f"{pod}/{container}")
                self.send_response(200 if text is not None else 404)
                self.end_headers()
                self.wfile.write((text if text is not None else "no such container").encode())

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.http.server_port

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


class Cluster:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.processes = []
        etcd, peer, self.port = free_ports(3)
        self._start("etcd", f"--data-dir={self.folder}/etcd", "--log-level=error", "--unsafe-no-fsync",
                    f"--listen-client-urls=http://127.0.0.1:{etcd}", f"--advertise-client-urls=http://127.0.0.1:{etcd}",
                    f"--listen-peer-urls=http://127.0.0.1:{peer}",
                    f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
                    f"--initial-cluster=default=http://127.0.0.1:{peer}")
        openssl("genrsa", "-out", self.folder / "account.key", "2048")
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.folder / "server.key",
                "-out", self.folder / "server.crt")
        (self.folder / "tokens.csv").write_text(
            "".join(f'{name}-token,{name},{name},"{groups}"\n' for name, groups in USERS.items()))
        # No controller makes service accounts here, and pods are made without.
        self._start("kube-apiserver", f"--etcd-servers=http://127.0.0.1:{etcd}", "--bind-address=127.0.0.1",
                    f"--secure-port={self.port}", f"--tls-cert-file={self.folder}/server.crt",
                    f"--tls-private-key-file={self.folder}/server.key",
                    f"--token-auth-file={self.folder}/tokens.csv", "--authorization-mode=RBAC",
                    "--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount",
                    "--service-account-issuer=https://kubernetes.default.svc",
                    f"--service-account-key-file={self.folder}/account.key",
                    f"--service-account-signing-key-file={self.folder}/account.key")
        self.kubelet = Kubelet(self.folder / "server.crt", self.folder / "server.key")
        (self.folder / "home/.arena").mkdir(parents=True)
        self.env = {"PATH": f"{VENV}/bin:{os.environ['PATH']}", "HOME": f"{self.folder}/home", "LANG": "C.UTF-8",
                    "TRAINYARD_DATA_DIR": f"{self.folder}/none", "KUBECONFIG": str(self.kubeconfig("admin"))}

    def _start(self, program, *flags):
        log = open(self.folder / f"{program}.log", "w")
        self.processes.append(subprocess.Popen([PROGRAMS / program, *flags], stdout=log, stderr=log, cwd=self.folder))
        log.close()

    def wait_ready(self):
        def ready():
            for process in self.processes:
                assert process.poll() is None, self.log_tail()
            try:
                return self.request("GET", "/readyz")[0] == 200
            except OSError:
                return False
        wait_for("kube-apiserver to be ready", ready, 60)

    def log_tail(self):
        return "\n".join("\n".join(path.read_text().splitlines()[-15:]) for path in self.folder.glob("*.log"))

    def stop(self):
        self.kubelet.stop()
        for process in self.processes:
            process.kill()  # asked to end, kube-apiserver takes its time, and nothing of it is kept
        for process in self.processes:
            process.wait(30)

    def kubeconfig(self, user):
        path = self.folder / f"{user}.kubeconfig"
        path.write_text(json.dumps({
            "current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c", "user": user}}],
            "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{self.port}",
                                                   "certificate-authority": "server.crt"}}],
            "users": [{"name": user, "user": {"token": f"{user}-token"}}]}))
        return path

    # ---- commands: `arena()` and `shown()` take a cluster as they take a server --------------------

    def run(self, command, input="", timeout=60.0, env=None):
        done = subprocess.run([str(word) for word in command], env={**self.env, **(env or {})}, cwd=self.folder,
                              input=input, capture_output=True, text=True, timeout=timeout)
        return Result(command, done)

    def kubectl(self, *words, **more):
        result = self.run([KUBECTL, *words], **more)
        assert result.code == 0, repr(result)
        return result.out

    # ---- objects ---------------------------------------------------------------------------------

    def request(self, method, path, body=None, kind="application/json"):
        context = ssl.create_default_context(cafile=str(self.folder / "server.crt"))
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=20)
        headers = {"Authorization": "Bearer admin-token", "Content-Type": kind}
        return exchange(connection, method, path, headers, body and json.dumps(body))

    def must(self, method, path, body=None, **more):
        status, answer = self.request(method, path, body, **more)
        assert status < 300, f"{method} {path}: {status} {json.dumps(answer)[:2000]}"
        return answer

    def create(self, path, obj):
        """Makes it, and writes its status, if it has one, as its controller would."""
        made = self.must("POST", path + "?fieldValidation=Strict", obj)
        if "status" in obj:
            made = self.set_status(f"{path}/{made['metadata']['name']}", obj["status"])
        return made

    def set_status(self, path, status):
        return self.must("PATCH", path + "/status", {"status": status}, kind="application/merge-patch+json")


@pytest.fixture(scope="module")
def cluster(tools):
    if not (PROGRAMS / "kube-apiserver").exists():
        pytest.skip("there is no kube-apiserver: tools/setup kubernetes builds it, in about 20 minutes")
    with tempfile.TemporaryDirectory(prefix="trainyard-e2e-") as folder:
        cluster = Cluster(folder)
        try:
            cluster.wait_ready()
            yield cluster
        finally:
            cluster.stop()
