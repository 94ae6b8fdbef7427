"""Pods on one machine: each has an address, finds the others by name, and Services lead to those
that are ready. All with real processes; what is asked is asked from inside a pod, or from outside."""

import random
import socket

from harness import wait_for
from jobs import pod, shell_job
from objects import deployment, labelled, make, namespace, service
from servers import UserServer
from servers import own_servers_of_both as server  # noqa: F401 (a fixture)

PORT = 8123
IP = {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
# Says who it is to whoever connects, and takes what they say: closed with unread bytes, a connection
# is reset, and the answer may be lost.
SERVE = """exec python3 -c '
import os, socket
s = socket.create_server((os.environ["IP"], int(os.environ["PORT"])))
while True:
    c, _ = s.accept()
    try:
        c.sendall((os.environ["HOSTNAME"] + "\\n").encode())
        c.shutdown(socket.SHUT_WR)
        while c.recv(4096): pass
    except OSError: pass
    c.close()
'"""
SLEEP = "exec sleep 31536100"


def serving(name, app, port=PORT, **metadata):
    """A pod that listens on its own address, and is ready when it does."""
    probe = {"tcpSocket": {"port": port}, "periodSeconds": 1}
    made = pod(name, SERVE, grace=0, env=[IP, {"name": "PORT", "value": str(port)}],
               readinessProbe=probe)
    made["metadata"].update(metadata)
    return labelled(made, app=app)


def client(server, name="client", *args):
    make(server, pod(name, SLEEP, grace=0), *args)
    wait_for(f"pod {name}", lambda: phase(server, name, *args) == "Running")
    return name


def phase(server, name, *args):
    return server.try_kubectl("get", "pod", name, "-o", "jsonpath={.status.phase}", *args).out


def wait_ready(server, *names):
    for name in names:
        server.kubectl("wait", "--for=condition=Ready", f"pod/{name}", "--timeout=30s")


def ask(server, host, port=PORT, frm="client", *args):
    """What a connection from inside a pod gets; empty when it fails."""
    script = (f"import socket; s = socket.create_connection(({host!r}, {port}), 5); "
              "print(s.makefile().read(), end=\"\")")
    return server.try_kubectl("exec", frm, *args, "--", "python3", "-c", script).out.strip()


def wait_answer(server, who, host, port=PORT, frm="client", *args):
    wait_for(f"{who} at {host}:{port}", lambda: ask(server, host, port, frm, *args) == who)


def ask_outside(port, host="127.0.0.1", request=b""):
    """What is said to somebody outside of all pods, or why nothing is."""
    try:
        with socket.create_connection((host, port), timeout=5) as connection:
            connection.sendall(request)
            said = b"".join(iter(lambda: connection.recv(65536), b""))
    except OSError as failure:
        return str(failure)
    return said.decode().strip()


def is_refused(host, port):
    try:
        socket.create_connection((host, port), 5).close()
        return False
    except ConnectionRefusedError:
        return True


def test_a_service_is_found_by_all_its_names(server):
    server.create(serving("web-1", "web"))
    server.create(service("web", port=PORT))
    client(server)
    wait_ready(server, "web-1")
    for name in ["web", "web.default", "web.default.svc", "web.default.svc.cluster.local", "web-1"]:
        wait_answer(server, "web-1", name)
    # From another namespace by the longer names only.
    server.create(namespace("far"))
    client(server, "stranger", "-n", "far")
    wait_answer(server, "web-1", "web.default.svc", PORT, "stranger", "-n", "far")
    assert ask(server, "web", PORT, "stranger", "-n", "far") == ""


def test_a_headless_service_names_each_of_its_pods(server):
    server.create(service("team", port=PORT, clusterIP="None"))
    for name in ["one", "two"]:
        made = serving(name, "team")
        made["spec"].update(hostname=name, subdomain="team")
        server.create(made)
    client(server)
    wait_ready(server, "one", "two")
    for name in ["one", "two"]:
        wait_answer(server, name, f"{name}.team")
        wait_answer(server, name, f"{name}.team.default.svc.cluster.local")
    ips = {server.get("pod", name)["status"]["podIP"] for name in ["one", "two"]}

    def resolved():
        found = server.kubectl("exec", "client", "--", "getent", "ahostsv4", "team")
        return {line.split()[0] for line in found.splitlines()} == ips
    wait_for("team to mean both", resolved)


def test_two_pods_listen_on_the_same_port_on_their_own_addresses(server):
    server.create(serving("left", "left"))
    server.create(serving("right", "right"))
    client(server)
    wait_ready(server, "left", "right")
    wait_answer(server, "left", "left")
    wait_answer(server, "right", "right")
    addresses = [server.get("pod", name)["status"]["podIP"] for name in ["left", "right"]]
    assert addresses[0] != addresses[1] and all(ip.startswith("127.64.") for ip in addresses)


def test_nobody_else_can_listen_where_a_pod_listens(server):
    """Not even one that asks to share the port."""
    server.create(serving("owner", "owner"))
    client(server, "thief")
    wait_ready(server, "owner")
    ip = server.get("pod", "owner")["status"]["podIP"]
    for host in [ip, "0.0.0.0"]:
        steal = ("import socket; s = socket.socket(); "
                 "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); "
                 "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1); "
                 f"s.bind(({host!r}, {PORT})); s.listen()")
        refused = server.try_kubectl("exec", "thief", "--", "python3", "-c", steal)
        assert "Address already in use" in refused.err, repr(refused)
    wait_answer(server, "owner", "owner", PORT, "thief")


def test_a_service_follows_its_pods(server):
    """Those that are not ready are not found; a pod that is replaced is found under the same name."""
    client(server)
    server.create(service("web", port=PORT))
    server.create(serving("web-1", "web"))
    wait_ready(server, "web-1")
    wait_answer(server, "web-1", "web")
    server.create(serving("web-2", "web"))
    wait_ready(server, "web-2")
    server.kubectl("delete", "pod", "web-1")
    wait_answer(server, "web-2", "web")
    server.kubectl("label", "pod", "web-2", "app=other", "--overwrite")
    wait_for("the name to go", lambda: ask(server, "web") == "")
    # A pod that is made anew under its old name.
    server.kubectl("delete", "pod", "web-2")
    server.create(serving("web-2", "web"))
    wait_ready(server, "web-2")
    wait_answer(server, "web-2", "web")


def test_a_container_that_is_restarted_keeps_its_address(server):
    made = serving("web-1", "web")
    made["spec"]["restartPolicy"] = "Always"
    server.create(made)
    server.create(service("web", port=PORT))
    client(server)
    wait_ready(server, "web-1")
    before = server.get("pod", "web-1")["status"]["podIP"]
    server.try_kubectl("exec", "web-1", "--", "sh", "-c", "kill 1")  # which ends with it
    wait_for("a restart", lambda: server.get("pod", "web-1")["status"]["containerStatuses"][0]["restartCount"])
    wait_ready(server, "web-1")
    wait_answer(server, "web-1", "web")
    assert server.get("pod", "web-1")["status"]["podIP"] == before


def test_ports_of_a_service_are_translated(server):
    """A port of the Service is another one of each pod, also by name."""
    named_port = serving("web-1", "web")
    named_port["spec"]["containers"][0]["ports"] = [{"name": "talk", "containerPort": PORT}]
    server.create(named_port)
    made = service("web", port=8080)
    made["spec"]["ports"] = [{"name": "a", "port": 8080, "targetPort": "talk"},
                             {"name": "b", "port": 8081, "targetPort": PORT}]
    server.create(made)
    client(server)
    wait_ready(server, "web-1")
    wait_answer(server, "web-1", "web", 8080)
    wait_answer(server, "web-1", "web.default.svc.cluster.local", 8081)


def test_a_port_that_its_user_may_not_have_is_told_of(server):
    """Below 1024 only root listens."""
    server.create(serving("web-1", "web"))
    made = service("web", port=80)
    made["spec"]["ports"] = [{"name": "a", "port": 80, "targetPort": PORT}]
    server.create(made)
    client(server)
    wait_ready(server, "web-1")
    if isinstance(server, UserServer):
        wait_for("an event", lambda: [m for r, m in server.events("web") if r == "PortNotServed" and
                                      ":80 cannot be listened on: Permission denied" in m])
    else:
        wait_answer(server, "web-1", "web", 80)


def test_a_port_that_the_machine_has_is_not_taken_for_the_services(server):
    """Somebody listens on all addresses: the Service's names then lead to its pods, and it is said."""
    with socket.create_server(("0.0.0.0", 0)) as holder:
        taken = holder.getsockname()[1]
        server.create(serving("web-1", "web"))
        made = service("web", port=taken)
        made["spec"]["ports"][0]["targetPort"] = PORT
        server.create(made)
        client(server)
        wait_ready(server, "web-1")
        told = wait_for("an event", lambda: [m for r, m in server.events("web") if r == "PortNotServed"])
        assert f":{taken} cannot be listened on" in told[0]
        wait_answer(server, "web-1", "web", PORT)
    wait_answer(server, "web-1", "web", taken)


def test_a_running_pods_hosts_file_is_changed_in_place(server):
    """A program that has it open sees the change, and aliases stay."""
    made = pod("watcher", "exec 3</etc/hosts; until grep -q newcomer /proc/self/fd/3 || "
               "{ exec 3</etc/hosts; grep -q ' newcomer' /etc/hosts; }; do sleep 0.05; done; "
               "grep -c store.example /etc/hosts; stat -c %i /etc/hosts", grace=0)
    made["spec"]["hostAliases"] = [{"ip": "10.1.2.3", "hostnames": ["store.example"]}]
    server.create(made)
    server.wait_phase("watcher", "Running", "pod")
    uid = server.get("pod", "watcher")["metadata"]["uid"]
    inode = (server.data / "pods" / uid / "hosts").stat().st_ino
    server.create(pod("newcomer", SLEEP, grace=0))
    server.wait_phase("watcher", "Succeeded", "pod")
    assert server.kubectl("logs", "watcher").split() == ["1", str(inode)]


def node_port(server, name="web", **spec):
    made = server.create(service(name, port=PORT, type="NodePort", **spec))
    return made["spec"]["ports"][0]["nodePort"]


def test_a_node_port_leads_to_a_ready_pod_until_its_service_goes(server):
    port = node_port(server)
    server.create(serving("web-1", "web"))
    wait_ready(server, "web-1")
    wait_for("an answer", lambda: ask_outside(port) == "web-1")
    address = next(a["address"] for a in server.get("node", "node-0")["status"]["addresses"]
                   if a["type"] == "InternalIP")
    assert ask_outside(port, address) == "web-1"
    # The pod is replaced; the port is the same.
    server.create(serving("web-2", "web"))
    wait_ready(server, "web-2")
    server.kubectl("delete", "pod", "web-1")
    wait_for("the other pod", lambda: ask_outside(port) == "web-2")
    server.kubectl("delete", "service", "web")
    wait_for("the end", lambda: is_refused("127.0.0.1", port) and is_refused(address, port))


def test_names_and_node_ports_survive_a_crash_of_the_server(server):
    port = node_port(server)
    server.create(serving("web-1", "web"))
    client(server)
    wait_ready(server, "web-1")
    wait_for("an answer", lambda: ask_outside(port) == "web-1")
    wait_answer(server, "web-1", "web")
    uid = server.get("pod", "client")["metadata"]["uid"]
    hosts = server.data / "pods" / uid / "hosts"
    before = hosts.read_text()
    server.kill()
    assert hosts.read_text() == before
    server.up()
    wait_for("an answer", lambda: ask_outside(port) == "web-1")
    assert ask(server, "web") == "web-1"
    assert hosts.read_text() == before
    # And what comes later is heard of.
    server.create(serving("web-2", "web"))
    wait_ready(server, "web-2")
    server.kubectl("delete", "pod", "web-1")
    wait_answer(server, "web-2", "web")


def test_a_node_port_that_somebody_else_has_is_told_of_and_taken_later(server):
    server.create(serving("web-1", "web"))
    wait_ready(server, "web-1")
    holder = None
    first = random.randrange(30000, 32000)  # others may run tests on this machine, too
    for port in range(first, first + 700):
        holder = socket.socket()
        try:
            holder.bind(("127.0.0.1", port))
            holder.listen()
            break
        except OSError:
            holder.close()
    made = service("web", port=PORT, type="NodePort")
    made["spec"]["ports"][0]["nodePort"] = port
    server.create(made)
    told = f"127.0.0.1:{port} cannot be listened on"
    wait_for("an event", lambda: [m for r, m in server.events("web") if r == "PortNotServed" and told in m])
    holder.close()
    wait_for("an answer", lambda: ask_outside(port) == "web-1")


def test_a_deployment_behind_a_service_is_reached_through_its_roll_out(server):
    made = deployment("web", 2, SERVE, env=[IP, {"name": "PORT", "value": str(PORT)}],
                      readinessProbe={"tcpSocket": {"port": PORT}, "periodSeconds": 1})
    server.create(made)
    server.create(service("web", port=PORT))
    client(server)
    server.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    first = wait_for("an answer", lambda: ask(server, "web"))
    server.kubectl("set", "env", "deployment/web", "CHANGED=1")
    server.kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    second = wait_for("a new pod's answer",
                      lambda: (answer := ask(server, "web")) != first and answer)
    assert second.startswith("web-")


def test_jobs_of_one_machine_meet_at_ports_of_their_own(server):
    for name in ["a", "b", "c"]:
        server.create(shell_job(name, "echo $MASTER_PORT; sleep 31536100", count=2))
    for name in ["a", "b", "c"]:
        server.wait_phase(name, "Running")
    ports = {server.get("pj", name)["metadata"]["annotations"]["trainyard.dev/port"]
             for name in ["a", "b", "c"]}
    assert len(ports) == 3 and all(29500 <= int(port) <= 29999 for port in ports)


def private(made):
    made["metadata"].setdefault("annotations", {})["trainyard.dev/network"] = "private"
    return made


def test_a_private_network_is_reached_by_the_server_only(server):
    """Its readiness probe is the server's; nobody else gets in, by name, by address or by the
    machine's loopback. It sees nothing of the machine either."""
    made = private(pod("app", f"exec python3 -m http.server {PORT}", grace=0,
                       readinessProbe={"httpGet": {"path": "/", "port": PORT}, "periodSeconds": 1}))
    server.create(labelled(made, app="app"))
    server.create(service("app", port=PORT))
    client(server)
    wait_ready(server, "app")
    ip = server.get("pod", "app")["status"]["podIP"]
    inside = ("import urllib.request; "
              f"print(urllib.request.urlopen('http://127.0.0.1:{PORT}/').status)")
    assert server.kubectl("exec", "app", "--", "python3", "-c", inside) == "200\n"
    for host in ["app", ip, "127.0.0.1"]:
        assert ask(server, host) == ""
    for host in [ip, "127.0.0.1"]:
        assert is_refused(host, PORT)
    assert server.kubectl("exec", "app", "--", "cat", "/proc/net/dev").count(":") == 1
    # As before after a crash.
    server.kill()
    server.up()
    wait_ready(server, "app")
    assert server.kubectl("exec", "app", "--", "python3", "-c", inside) == "200\n"


def test_a_node_port_never_leads_into_a_private_network(server):
    port = node_port(server, "app")
    made = private(pod("app", f"exec python3 -m http.server {PORT}", grace=0,
                       readinessProbe={"tcpSocket": {"port": PORT}, "periodSeconds": 1}))
    server.create(labelled(made, app="app"))
    wait_ready(server, "app")
    said = ask_outside(port, request=b"GET / HTTP/1.0\r\n\r\n")
    assert "200" not in said and "Directory" not in said, said
