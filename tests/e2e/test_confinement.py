"""What pods of ordinary users may not: hear the machine's network, change the kernel, see the server's files."""

import json
import os
import shutil
import socket
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
from harness import VENV, wait_for
from jobs import mounting, pod, pod_spec, shell_job, with_volume
from people import user
from servers import run_server

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="what root's pods may not is what matters")

# Each line: what was tried, and what came of it.
TRY = """
import ctypes, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def tell(what, call):
    try:
        print(what, call())
    except OSError as error:
        print(what, type(error).__name__, error.strerror)
def raw():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()
    return "had"
def unshare(flags):
    if libc.unshare(flags) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "had"
"""
RAW = TRY + "tell('raw', raw)\n"


@pytest.fixture(scope="module")
def server(tools):
    yield from run_server()


@pytest.fixture(scope="module")
def ann(server):
    """May edit in the namespace default, and no more."""
    return user(server, "ann", "edit", "default")


def python(name, code, image="host", **container):
    made = pod(name, "", image=image, **container)
    made["spec"]["containers"][0]["command"] = [f"{VENV}/bin/python", "-c", code]
    return made


def run(server, person, made, expect="Succeeded"):
    person.kubectl("create", "-f", "-", input=json.dumps(made))
    name = made["metadata"]["name"]
    server.wait_phase(name, expect, "pod")
    return person.kubectl("logs", name)


def adding(*capabilities):
    return {"securityContext": {"capabilities": {"add": list(capabilities)}}}


# ---- the machine's network -----------------------------------------------------------------------


@pytest.mark.parametrize("name,more", [("plain", {}), ("all", adding("ALL")), ("admins", adding("NET_ADMIN"))])
def test_nobody_hears_the_machines_network(server, ann, name, more):
    assert run(server, ann, python(f"raw-{name}", RAW, **more)) == "raw PermissionError Operation not permitted\n"
    if name == "admins":
        wait_for("the event", lambda: any("NET_ADMIN is not given" in said for _, said in server.events("raw-admins")))


def test_nobody_hears_it_through_a_namespace_of_their_own(server, ann):
    code = TRY + "tell('user', lambda: unshare(0x10000000))\ntell('both', lambda: unshare(0x50000000))\ntell('raw', raw)\n"
    assert run(server, ann, python("namespaces", code)).split("\n")[:3] == [
        f"{what} PermissionError Operation not permitted" for what in ["user", "both", "raw"]]


@pytest.mark.parametrize("kind", ["pod", "init", "deployment", "job"])
def test_who_asks_for_it_is_refused_in_words(server, ann, kind):
    container = python("wants", RAW, **adding("cap_net_raw"))["spec"]["containers"][0]
    made = {
        "pod": lambda: python("wants", RAW, **adding("CAP_NET_RAW")),
        "init": lambda: {**pod("wants", "true"), "spec": {**pod_spec("true"), "initContainers": [{**container, "name": "first"}]}},
        "deployment": lambda: {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "wants"}, "spec": {
            "selector": {"matchLabels": {"app": "wants"}},
            "template": {"metadata": {"labels": {"app": "wants"}}, "spec": {"containers": [container]}}}},
        "job": lambda: shell_job("wants", "true", **adding("NET_RAW")),
    }[kind]()
    refused = ann.try_kubectl("create", "-f", "-", input=json.dumps(made))
    assert refused.code == 1 and "NET_RAW" in refused.err and "trainyard.dev/network: private" in refused.err, repr(refused)


def test_who_has_a_network_of_its_own_hears_that(server, ann):
    made = python("own", RAW)
    made["metadata"]["annotations"] = {"trainyard.dev/network": "private"}
    assert run(server, ann, made) == "raw had\n"


def test_an_administrator_may_listen(server):
    server.create(python("listens", RAW, **adding("NET_RAW")))
    server.wait_phase("listens", "Succeeded", "pod")
    assert server.kubectl("logs", "listens") == "raw had\n"


# ---- the kernel ----------------------------------------------------------------------------------


def test_the_kernels_settings_cannot_be_written(server, ann):
    said = run(server, ann, pod("settings", """
        for file in /sys/kernel/profiling /sys/kernel/mm/ksm/run /proc/sys/kernel/domainname; do
          [ -e $file ] && { cat $file > /tmp/was; cat /tmp/was > $file && echo WRITTEN $file; }
        done 2>/dev/null
        mkdir /sys/fs/cgroup/mine /sys/fs/cgroup/memory/mine 2>/dev/null && echo MADE
        [ ! -e /proc/kcore ] || head -c 1 /proc/kcore | grep -c .; ls /sys/kernel/debug /sys/firmware 2>/dev/null | grep -v : | grep .
        ls -d /sys/class/net; echo end"""))
    assert said.replace("0\n", "") == "/sys/class/net\nend\n"


def test_programs_that_trainings_use_still_work(server, ann):
    """Threads, processes, their memory, other processes' memory as MPI copies it, and a look at one's own stack."""
    code = TRY + """
import faulthandler, multiprocessing, subprocess, threading
multiprocessing.set_start_method("fork")
threads = [threading.Thread(target=lambda: None) for _ in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
with multiprocessing.Pool(2) as pool:
    print(sum(pool.map(abs, [-1, -2])))
print(subprocess.run(["sh", "-c", "echo child"], capture_output=True, text=True).stdout.strip())
child = subprocess.Popen(["sleep", "60"])
print(libc.ptrace(16, child.pid, 0, 0), libc.ptrace(17, child.pid, 0, 0) in (0, -1))
child.kill()
"""
    assert run(server, ann, python("usual", code)) == "3\nchild\n0 True\n"


# ---- devices -------------------------------------------------------------------------------------


def test_device_files_of_an_image_are_dead(server, ann):
    """As an archive may bring them along: one that answers to reads, where disks would be."""
    busybox = shutil.which("busybox")
    if not busybox:
        pytest.skip("busybox is missing: tools/setup images says why")
    tree = server.folder / "tree"
    (tree / "bin").mkdir(parents=True)
    shutil.copy(busybox, tree / "bin/busybox")
    (tree / "bin/sh").symlink_to("busybox")
    os.mknod(tree / "disk", stat.S_IFCHR | 0o666, os.makedev(1, 5))  # zero
    os.chmod(tree / "disk", 0o666)
    assert server.cli("image", "map", "brings-devices", "--rootfs", tree).code == 0
    script = "head -c 1 /disk | wc -c; head -c 1 /dev/zero | wc -c; busybox mknod /tmp/own c 1 5 || echo refused"
    script = script.replace("head", "busybox head").replace("wc", "busybox wc")
    made = pod("devices", "", image="brings-devices")
    made["spec"]["containers"][0]["command"] = ["/bin/sh", "-c", f"PATH=/bin; {script}"]
    said = run(server, ann, made)
    assert [line for line in said.split("\n") if len(line) == 1 or line == "refused"] == ["0", "1", "refused"], said


def test_device_files_of_a_volume_are_dead(server, ann):
    folder = server.folder / "volume"
    folder.mkdir()
    os.mknod(folder / "disk", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    os.chmod(folder / "disk", 0o666)
    assert server.cli("data", "create", "devices", "--path", folder).code == 0
    said = run(server, ann, with_volume(pod("volume", "head -c 1 /volume/disk | wc -c"), "devices"))
    assert "0" in said.splitlines(), said  # and head's complaint before or after it


# ---- the server's files --------------------------------------------------------------------------


SEARCH = "find {} -name admin.token -o -name ca.key -o -name store.db 2>/dev/null; ls {}; echo end"


def test_the_data_folder_is_hidden_where_a_folder_above_it_is_mounted_too(server, ann):
    again = Path(tempfile.mkdtemp(prefix="trainyard-e2e-again-", dir="/var/tmp"))  # pods have a /tmp of their own
    subprocess.run(["mount", "--bind", server.folder, again], check=True)
    try:
        assert (again / "data/pki/admin.token").exists()
        said = run(server, ann, pod("elsewhere", SEARCH.format(again, again)))
        assert "data" in said and said.endswith("end\n"), said
        for secret in ["admin.token", "ca.key", "store.db"]:
            assert secret not in said, said
    finally:
        subprocess.run(["umount", "-l", again], check=True)
        again.rmdir()


def test_the_data_folder_is_hidden_in_a_volume_above_it(server, ann):
    assert server.cli("data", "create", "above", "--path", server.folder).code == 0
    said = run(server, ann, with_volume(pod("above", SEARCH.format("/volume", "/volume")), "above"))
    assert "data" in said and said.endswith("end\n"), said
    for secret in ["admin.token", "ca.key", "store.db"]:
        assert secret not in said, said


# ---- the server's ports --------------------------------------------------------------------------


SQUAT = """
import socket, sys, time
places = [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::1"), (socket.AF_INET6, "::")]
print("begun", flush=True)
while True:
    for port in map(int, sys.argv[1:]):
        for family, host in places:
            taker = socket.socket(family)
            for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
                taker.setsockopt(socket.SOL_SOCKET, option, 1)
            try:
                taker.bind((host, port))
                taker.listen()
            except OSError:
                taker.close()
                continue
            print("TAKEN", host, port, flush=True)
            time.sleep(1000)
"""


def test_no_pod_takes_the_servers_ports_while_it_is_gone(tools):
    """The pod tries without pause; the server dies and is stopped, and finds its ports again."""
    for server in run_server():
        ports = [place.rpartition(":")[2] for place in (server.listen, server.console, server.apps)]
        squatter = python("squatter", SQUAT)
        squatter["spec"]["containers"][0]["command"] += ports
        server.create(squatter)
        wait_for("it to begin", lambda: "begun" in server.kubectl("logs", "squatter"))
        for end in [server.kill, lambda: server.cli("down"), server.kill]:
            end()
            for port in ports:
                with pytest.raises(OSError), socket.create_connection(("127.0.0.1", int(port)), 5) as visitor:
                    visitor.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    if visitor.recv(1) == b"":
                        raise ConnectionResetError
            server.up()
            assert server.kubectl("logs", "squatter") == "begun\n"
            server.wait_phase("squatter", "Running", "pod")


# ---- the end -------------------------------------------------------------------------------------


def test_down_all_without_a_server(tools):
    for server in run_server():
        server.create(pod("left", "trap 'echo told; exit 0' TERM; echo begun; while :; do sleep 0.1; done"))
        server.create(pod("behind", "exec sleep 1000", grace=0))
        for name in ["left", "behind"]:
            server.wait_phase(name, "Running", "pod")
        wait_for("its trap", lambda: "begun" in server.kubectl("logs", "left"))
        server.kill()
        done = server.cli("down", "--all")
        assert done.code == 0 and "2 pods" in done.out, repr(done)
        assert "default/left" in done.out and "default/behind" in done.out, repr(done)
        wait_for("nothing to be left", lambda: not server.leftovers(), 5)
        again = server.cli("down", "--all")
        assert again.code == 0 and "none of its pods" in again.out, repr(again)
        server.up()
        assert server.kubectl("logs", "left") == "begun\ntold\n"
