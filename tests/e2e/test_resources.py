"""What a container is held to, and what it uses: limits that hold, kubectl top, GPUs that are shown."""

import glob
import json
import os
import re
import time

import pytest
from harness import TRAINYARD, wait_for
from jobs import pod
from processes import cgroups_of
from servers import UserServer, run_server

root = pytest.mark.skipif(os.geteuid() != 0, reason="control groups need root or delegation")


FAKE_NVML = TRAINYARD.parent / "src/node/libfake_nvml.so"  # of the unit tests


def limited(name, script, grace=0, requests=None, **limits):
    return pod(name, script, grace=grace, resources={"limits": limits, "requests": requests or {"memory": "8Mi"}})


def terminated(obj):
    return obj["status"]["containerStatuses"][0]["state"]["terminated"]


def groups_of(server, uid):
    """Folders of a pod's control groups."""
    return [path for own in cgroups_of(server.data) for path in glob.glob(f"{own}/{uid}")]


@root
def test_a_container_that_uses_up_its_memory_is_oom_killed(shared_server):
    hog = "exec python3 -c 'x = bytearray(400 << 20); print(\"never\")'"
    shared_server.create(limited("hog", hog, memory="64Mi"))
    done = terminated(shared_server.wait_phase("hog", "Failed", "pod"))
    assert done["reason"] == "OOMKilled" and done["exitCode"] == 137, done
    assert "64Mi" in done["message"], done
    assert "never" not in shared_server.kubectl("logs", "hog")
    assert re.search(r"hog +0/1 +OOMKilled ", shared_server.kubectl("get", "pod", "hog"))


@root
def test_within_its_limit_nobody_is_killed(shared_server):
    shared_server.create(limited("modest", "exec python3 -c 'x = bytearray(20 << 20); print(len(x))'", memory="128Mi"))
    shared_server.wait_phase("modest", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "modest") == f"{20 << 20}\n"


@root
def test_a_cpu_limit_holds(shared_server):
    spin = ("exec python3 -c 'import time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass\n"
            "print(time.process_time())'")
    shared_server.create(limited("spinner", spin, cpu="200m"))
    shared_server.wait_phase("spinner", "Succeeded", "pod")
    used = float(shared_server.kubectl("logs", "spinner"))
    assert 0.1 < used < 0.7, f"{used} s of CPU in 2 s, with a fifth of one"


@root
def test_a_fork_bomb_is_stopped_and_the_node_goes_on(shared_server):
    shared_server.create(pod("bomb", "i=0; while [ $i -lt 20000 ]; do sleep 600 & i=$((i+1)); echo $i; done", grace=0))
    wait_for("the bomb to be stopped", lambda: shared_server.get("pod", "bomb")["status"].get("phase") == "Failed", 60)
    said = shared_server.kubectl("logs", "bomb")
    assert "annot fork" in said, said[-200:]
    assert 500 < len(re.findall(r"^\d+$", said, re.M)) < 10000
    shared_server.create(pod("neighbour", "echo alive"))
    shared_server.wait_phase("neighbour", "Succeeded", "pod")


@root
def test_a_deleted_pod_leaves_no_control_group(shared_server):
    shared_server.create(limited("grouped", "sleep 600", memory="64Mi", cpu="500m"))
    uid = shared_server.wait_phase("grouped", "Running", "pod")["metadata"]["uid"]
    assert groups_of(shared_server, uid), "it has none"
    shared_server.kubectl("delete", "pod", "grouped")
    wait_for("its control groups to go", lambda: not groups_of(shared_server, uid), 10)


@root
def test_limits_cannot_be_lifted_from_inside(shared_server):
    # Groups of other servers come and go meanwhile, which find complains about.
    attempt = ("exec 2>/dev/null; find /sys/fs/cgroup -name cgroup.procs -o -name tasks > /tmp/doors; "
               "while read f; do echo 0 > $f && echo escaped; done < /tmp/doors; wc -l < /tmp/doors")
    shared_server.create(limited("prisoner", attempt, memory="64Mi"))
    shared_server.wait_phase("prisoner", "Succeeded", "pod")
    assert re.fullmatch(r"[1-9]\d*\n", shared_server.kubectl("logs", "prisoner"))


@root
def test_an_oom_kill_while_no_server_runs_is_told_by_the_next(server):
    server.create(limited("late", "sleep 1.5; exec python3 -c 'bytearray(400 << 20)'", memory="64Mi"))
    server.wait_phase("late", "Running", "pod")
    server.kill()
    time.sleep(3)
    server.up()
    done = server.wait_phase("late", "Failed", "pod")
    assert terminated(done)["reason"] == "OOMKilled", done["status"]
    assert not groups_of(server, done["metadata"]["uid"])


@root
def test_who_shares_the_cpu_has_no_group_of_its_own_for_it(shared_server):
    sharing = pod("sharing", "cat /proc/self/cgroup")
    sharing["metadata"]["annotations"] = {"trainyard.dev/cpu": "shared"}
    shared_server.create(sharing)
    uid = shared_server.wait_phase("sharing", "Succeeded", "pod")["metadata"]["uid"]
    groups = dict(line.split(":", 2)[1:] for line in shared_server.kubectl("logs", "sharing").splitlines())
    if "cpu" not in groups:
        pytest.skip("the scheduler's groups are not apart from others on this machine")
    assert uid in groups["memory"] and uid in groups["cpuacct"], groups
    assert "trainyard-" in groups["cpu"] and uid not in groups["cpu"], groups


@root
def test_top_shows_what_pods_and_nodes_use(shared_server):
    busy = "exec python3 -c 'x = bytearray(50 << 20)\nwhile True: pass'"
    shared_server.create(limited("busy", busy, cpu="500m", memory="256Mi"))
    shared_server.wait_phase("busy", "Running", "pod")
    time.sleep(0.5)
    name, cpu, memory = shared_server.kubectl("top", "pod", "busy", "--no-headers").split()
    assert name == "busy" and 50 <= int(cpu.removesuffix("m")) <= 700, (cpu, memory)
    assert 45 <= int(memory.removesuffix("Mi")) <= 120, memory
    row = shared_server.kubectl("top", "pod", "busy", "--containers", "--no-headers").split()
    assert row[:2] == ["busy", "main"], row
    [node] = shared_server.kubectl("top", "nodes", "--no-headers").splitlines()
    assert node.split()[0] == "node-0" and node.split()[2].endswith("%"), node
    listed = json.loads(shared_server.kubectl("get", "--raw", "/apis/metrics.k8s.io/v1beta1/pods"))
    assert listed["kind"] == "PodMetricsList" and listed["items"][0]["containers"][0]["usage"]["cpu"].endswith("n")
    shared_server.kubectl("delete", "pod", "busy")


@root
def test_several_nodes_are_what_their_pods_use(stopped_server):
    server = stopped_server
    server.up("--nodes", "2")
    busy = pod("busy", "while :; do :; done", grace=0, resources={"limits": {"cpu": "300m"}})
    busy["spec"]["nodeName"] = "node-1"
    server.create(busy)
    server.wait_phase("busy", "Running", "pod")

    def used():
        rows = [row.split() for row in server.kubectl("top", "nodes", "--no-headers").splitlines()]
        return {name: int(cpu.removesuffix("m")) for name, cpu, *_ in rows}

    # Over a moment it may be two periods' share of its 300; less when others are busy, too.
    wait_for("node-1 to use its pod's share", lambda: 30 <= used()["node-1"] <= 450)
    assert used()["node-0"] < 30


def test_what_goes_to_disks_and_through_the_network_is_measured(shared_server):
    talk = ("import os, socket, threading, time\n"
            "server = socket.create_server(('127.0.0.1', 0))\n"
            "client = socket.create_connection(server.getsockname())\n"
            "peer, _ = server.accept()\n"
            "file = os.open('/tmp/file', os.O_WRONLY | os.O_CREAT)\n"
            "while True:\n"
            "    client.sendall(bytes(100_000))\n"
            "    left = 100_000\n"
            "    while left: left -= len(peer.recv(left))\n"
            "    os.pwrite(file, bytes(100_000), 0)\n"
            "    os.fsync(file)\n"
            "    time.sleep(0.05)\n")
    made = pod("talker", "", grace=0)
    made["spec"]["containers"][0]["command"] = ["python3", "-c", talk]
    shared_server.create(made)
    shared_server.wait_phase("talker", "Running", "pod")
    time.sleep(1)

    def usage():
        got = json.loads(shared_server.kubectl("get", "--raw",
                                               "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/talker"))
        [container] = got["containers"]
        return {name.removeprefix("trainyard.dev/"): amount for name, amount in container["usage"].items()}

    seen = usage()
    for what in ["network-in", "network-out", "disk-write"]:
        assert 100_000 < int(seen[what]) < 3_000_000, seen  # 100 kB, at most 20 times a second
    header, row = shared_server.kubectl("get", "pods.metrics.k8s.io", "talker", "-o", "wide").splitlines()
    assert header.split() == ["NAME", "CPU", "MEMORY", "DISK-READ", "DISK-WRITE", "NETWORK-IN", "NETWORK-OUT",
                              "WINDOW"], header
    assert row.split()[0] == "talker"
    shared_server.kubectl("delete", "pod", "talker")


@root
def test_a_server_that_comes_back_finds_its_groups_and_removes_strays(server):
    server.create(limited("stays", "while :; do :; done", cpu="300m"))
    server.create(limited("goes", "sleep 600", memory="64Mi"))
    uids = {name: server.wait_phase(name, "Running", "pod")["metadata"]["uid"] for name in ["stays", "goes"]}
    theirs = os.path.dirname(groups_of(server, uids["goes"])[0])
    server.kill()
    stray = f"{theirs}/00000000-dead-dead-dead-000000000000/main.0"
    os.makedirs(stray)
    server.up()
    wait_for("the stray to go", lambda: not os.path.exists(os.path.dirname(stray)), 10)
    assert groups_of(server, uids["stays"]) and groups_of(server, uids["goes"])
    name, cpu, _ = server.kubectl("top", "pod", "stays", "--no-headers").split()
    assert name == "stays" and 30 <= int(cpu.removesuffix("m")) <= 450, cpu
    server.kubectl("delete", "pod", "stays", "goes", "--grace-period=0", "--force")
    for uid in uids.values():
        wait_for("its control groups to go", lambda: not groups_of(server, uid), 10)


@pytest.fixture(scope="module")
def users_server(user):
    yield from run_server(UserServer, user)


def test_without_control_groups_pods_run_and_are_told(users_server):
    server = users_server
    server.create(limited("free", "exec python3 -c 'x = bytearray(50 << 20)\nwhile True: pass'", cpu="1", memory="1Gi"))
    server.wait_phase("free", "Running", "pod")
    server.create(pod("asks-nothing", "sleep 600", grace=0))
    server.wait_phase("asks-nothing", "Running", "pod")
    told = "CPU limits are not enforced, and memory limits only for each process by itself"
    wait_for("the pod to be told", lambda: told in server.kubectl("describe", "pod", "free"))
    assert told not in server.kubectl("describe", "pod", "asks-nothing")
    events = server.kubectl("describe", "node", "node-0")
    assert "NoControlGroups" in events and told in events, events
    name, cpu, memory = server.kubectl("top", "pod", "free", "--no-headers").split()
    assert name == "free" and int(cpu.removesuffix("m")) >= 50, cpu
    assert 50 <= int(memory.removesuffix("Mi")) <= 120, memory


def test_without_control_groups_a_process_cannot_take_more_than_its_limit(users_server):
    server = users_server
    server.create(limited("hog", "exec python3 -c 'bytearray(400 << 20)'", memory="100Mi"))
    server.wait_phase("hog", "Failed", "pod")
    assert "MemoryError" in server.kubectl("logs", "hog")


def test_who_asks_for_no_gpu_sees_none(shared_server):
    shared_server.create(pod("blind", "echo \"[$CUDA_VISIBLE_DEVICES] $NVIDIA_VISIBLE_DEVICES\""))
    shared_server.wait_phase("blind", "Succeeded", "pod")
    assert shared_server.kubectl("logs", "blind") == "[] void\n"


def test_gpus_are_those_that_were_given(stopped_server):
    server = stopped_server
    server.up("--fake-gpus", "4")
    for name in ["first", "second"]:
        made = pod(name, "echo $CUDA_VISIBLE_DEVICES; sleep 600", grace=0,
                   resources={"limits": {"nvidia.com/gpu": "2"}, "requests": {"memory": "8Mi"}})
        server.create(made)
    seen = []
    for name in ["first", "second"]:
        given = server.wait_phase(name, "Running", "pod")["metadata"]["annotations"]["trainyard.dev/gpus"]
        assert wait_for("its first line", lambda: server.kubectl("logs", name)) == given + "\n"
        seen += given.split(",")
    assert sorted(seen) == ["0", "1", "2", "3"]


@pytest.mark.skipif(not FAKE_NVML.exists(), reason="the unit tests' library is not built (make test builds it)")
def test_gpus_of_the_driver_are_found(stopped_server, tmp_path):
    server = stopped_server
    os.symlink(FAKE_NVML, tmp_path / "libnvidia-ml.so.1")
    server.env["LD_LIBRARY_PATH"] = str(tmp_path)
    server.up()
    node = server.get("node", "node-0")
    assert node["status"]["capacity"]["nvidia.com/gpu"] == "2", node["status"]
    server.create(pod("one", "echo $CUDA_VISIBLE_DEVICES", resources={"limits": {"nvidia.com/gpu": "1"}}))
    server.wait_phase("one", "Succeeded", "pod")
    assert server.kubectl("logs", "one") == "0\n"
