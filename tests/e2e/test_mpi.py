"""MPIJob of T9k with the real mpirun and sshd: a plain C program, compiled here, through both shapes, as root and as an
ordinary user, and what goes wrong with it. T9k's contract is section 3."""

import json
import os

import pytest
from harness import wait_for
from jobs import conditions, config_map, h5
from mpi import hello, ranks_in  # noqa: F401 (a fixture)
from servers import servers_of_both, user  # noqa: F401 (fixtures)


@pytest.fixture(scope="module")
def server(servers_of_both):  # noqa: F811
    return servers_of_both


def worker(name="worker", **container):
    return {"spec": {"containers": [{"name": name, "image": "host", "env": [{"name": "COLOR", "value": "blue"}],
                                     "resources": {"requests": {"memory": "32Mi"}}, **container}]}}


def mpi_job(name, program, workers=2, run_policy=None, extra=(), more=None, home="/usr/local", main="worker", **container):
    spec = {"mpiConfig": {"home": home, "mca": {"btl": "^openib", "pml": "ob1"}, "extraArgs": list(extra),
                          "script": [program] if isinstance(program, str) else list(program)},
            "ssh": {"sshdPath": "/usr/sbin/sshd"},
            "replicaSpecs": [{"type": "launcher", "replicas": 1, "template": {}},
                             {"type": "worker", "replicas": workers, "template": worker(main, **container)}],
            **(more or {})}
    if run_policy is not None:
        spec["runPolicy"] = run_policy
    return {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "MPIJob", "metadata": {"name": name}, "spec": spec}


def launcher_of(server, name):
    uid = server.get("mj", name)["metadata"]["uid"]
    return f"{name}-{h5(name, uid)}-launcher"


def log_of(server, name):
    return server.kubectl("logs", launcher_of(server, name), "-c", "launcher")


def phases(server, name):
    return {pod["metadata"]["name"].split("-", 2)[-1]: pod["status"]["phase"] for pod in server.pods(name)}


def why_failed(server, name):
    return conditions(server.get("mj", name))["Failed"][2]


def test_newest_shape(server, hello):  # noqa: F811
    server.create(mpi_job("newest", hello, run_policy={"cleanUpWorkers": True}))
    server.wait_phase("newest", "Succeeded", "mj")
    log = log_of(server, "newest")
    lines = log.splitlines()
    assert lines[0] == "services are ready!", log
    assert lines[1] == "mpirun: /usr/bin/mpirun (found in PATH; there is none in /usr/local/bin)", log
    for i in range(2):
        host = f"newest-worker-{i}.newest-worker"
        assert f"Warning: Permanently added '{host}' (ED25519) to the list of known hosts." in lines, log
    assert [line.split(" in ")[0] for line in ranks_in(log)] == [
        "rank 0 of 2 on newest-worker-0", "rank 1 of 2 on newest-worker-1"], log
    assert all(line.endswith("sum 1, color blue") for line in ranks_in(log)), log

    job = wait_for("the workers to go", lambda: (found := server.get("mj", "newest"))["status"]["aggregate"]["deleted"] == 2
                   and found)
    assert [pod["metadata"]["name"] for pod in server.pods("newest")] == [launcher_of(server, "newest")]
    assert [task["type"] for task in job["status"]["tasks"]] == ["launcher", "worker"]
    assert conditions(job)["Preflight"] == ("True", "WorkersAnswer", "all 2 workers answer ssh")
    reasons = [reason for reason, _ in server.events("newest")]
    assert {"Created", "Start", "NewReplica", "Running", "Succeeded"} <= set(reasons), reasons
    assert server.cli("delete", "newest", "--yes").code == 0
    for kind in ["pods", "secrets", "roles", "rolebindings"]:
        wait_for(f"{kind} to go", lambda: not server.list(kind))


def test_older_shape(server, hello):  # noqa: F811
    server.create({"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "MPIJob", "metadata": {"name": "older"},
                   "spec": {"mca": {"btl": "^openib"}, "mpiHome": "/usr", "runPolicy": {"cleanUpWorkers": True},
                            "worker": {"replicas": 2, "cmd": [hello], "extraMPIArgs": ["-N", "2"],
                                       "template": worker("mpi-worker", workingDir="/var")}}})
    server.wait_phase("older", "Succeeded", "mj")
    log = log_of(server, "older")
    assert "mpirun: /usr/bin/mpirun" in log.splitlines(), log
    assert [line.split(":")[0] for line in ranks_in(log)] == [
        f"rank {rank} of 4 on older-worker-{rank // 2} in /var" for rank in range(4)], log
    written = server.get("mj", "older")["spec"]
    assert "worker" in written and "replicaSpecs" not in written, "the job is kept as it was written"


def test_two_at_once(server, hello):  # noqa: F811
    for name in ["left", "right"]:
        server.create(mpi_job(name, [hello, "1"], run_policy={"cleanUpWorkers": True}))
    for name in ["left", "right"]:
        server.wait_phase(name, "Succeeded", "mj")
        assert [line.split(" in ")[0] for line in ranks_in(log_of(server, name))] == [
            f"rank {i} of 2 on {name}-worker-{i}" for i in range(2)]


def test_nothing_on_the_host_is_touched(server, hello):  # noqa: F811
    """sshd has a folder of its own as root, and keys of the job's own."""
    assert not {"mpi", "mpi-run"} & set(os.listdir("/etc"))


def test_worker_that_is_killed_fails_the_job(server, hello):  # noqa: F811
    server.create(mpi_job("loses", [hello, "600"]))
    wait_for("the ranks", lambda: len(ranks_in(server.try_kubectl("logs", launcher_of(server, "loses")).out)) == 2)
    killed = next(pod["metadata"]["name"] for pod in server.pods("loses") if pod["metadata"]["name"].endswith("worker-1"))
    server.try_kubectl("exec", killed, "--", "sh", "-c", "kill -9 $(pgrep -o sshd)")
    server.wait_phase("loses", "Failed", "mj")
    assert why_failed(server, "loses").startswith(f"A worker was lost: Pod[{killed}] exited with error code 137"), (
        why_failed(server, "loses"))
    wait_for("the other worker to go and mpirun to end",
             lambda: set(phases(server, "loses").values()) == {"Failed"}, 30)
    assert launcher_of(server, "loses") in [pod["metadata"]["name"] for pod in server.pods("loses")]


def test_arguments_that_mpirun_rejects(server, hello):  # noqa: F811
    server.create(mpi_job("rejected", hello, extra=["--frobnicate"]))
    server.wait_phase("rejected", "Failed", "mj")
    why = why_failed(server, "rejected")
    assert why.startswith("The job exited with an error code: Pod[") and "exited with error code 1" in why, why
    assert '/usr/bin/mpirun: Error: unknown option "--frobnicate"' in why, why
    wait_for("no worker to linger", lambda: len(server.pods("rejected")) == 1)


def test_program_that_does_not_exist(server, hello):  # noqa: F811
    server.create(mpi_job("absent", "/no/such/program"))
    server.wait_phase("absent", "Failed", "mj")
    assert "Executable: /no/such/program" in why_failed(server, "absent"), why_failed(server, "absent")


def test_way_to_a_worker_that_fails_is_named(server, hello):  # noqa: F811
    """Its sshd is there, and does not answer."""
    made = mpi_job("cutoff", hello)
    made["spec"]["ssh"]["sshdPath"] = f"{os.path.dirname(hello)}/deaf"
    made["metadata"]["annotations"] = {"trainyard.dev/preflight-seconds": "2"}
    server.create(made)
    server.wait_phase("cutoff", "Failed", "mj")
    job = server.get("mj", "cutoff")
    status, reason, message = conditions(job)["Preflight"]
    assert (status, reason) == ("False", "WorkersOutOfReach"), message
    assert "launcher -> cutoff-worker-1.cutoff-worker: ssh: connect to host" in message, message
    assert "launcher -> cutoff-worker-0.cutoff-worker" in why_failed(server, "cutoff")
    wait_for("no worker to linger", lambda: len(server.pods("cutoff")) == 1)


def test_keys_in_a_folder_that_cannot_be_made(server, hello):  # noqa: F811
    made = mpi_job("nokeys", hello)
    made["spec"]["ssh"]["sshAuthMountPath"] = "/etc/passwd"
    server.create(made)
    server.wait_phase("nokeys", "Failed", "mj")
    assert "mountPath /etc/passwd is not" in why_failed(server, "nokeys"), why_failed(server, "nokeys")
    wait_for("nobody to linger", lambda: set(phases(server, "nokeys").values()) == {"Failed"})


def test_debugging(server, hello):  # noqa: F811
    made = mpi_job("debugs", hello, more={"runMode": {"debug": {"enabled": True}}})
    server.create(made)
    server.wait_phase("debugs", "Running", "mj")
    launcher = launcher_of(server, "debugs")
    by_hand = server.try_kubectl("exec", launcher, "--", "ssh", "-F", "/etc/mpi/ssh_config", "debugs-worker-1.debugs-worker",
                                 "hostname")
    assert by_hand.out == "debugs-worker-1\n", repr(by_hand)
    server.kubectl("delete", "mj", "debugs")


def test_pause(server, hello):  # noqa: F811
    server.create(mpi_job("pauses", [hello, "2"]))
    wait_for("the ranks", lambda: ranks_in(server.try_kubectl("logs", launcher_of(server, "pauses")).out))
    assert server.cli("pause", "pauses").code == 0
    server.wait_phase("pauses", "Paused", "mj")
    wait_for("all pods to go", lambda: not server.pods("pauses"))
    assert server.cli("resume", "pauses").code == 0
    server.wait_phase("pauses", "Succeeded", "mj")
    assert len(ranks_in(log_of(server, "pauses"))) == 2


def test_bad_specs_are_refused(server, hello):  # noqa: F811
    nobody = mpi_job("nobody", hello)
    nobody["spec"]["replicaSpecs"].pop()
    refused = server.try_kubectl("create", "-f", "-", input=json.dumps(nobody))
    assert refused.code == 1 and "spec.replicaSpecs: Required value: must have one of type worker" in refused.err
    refused = server.try_kubectl("create", "-f", "-", input=json.dumps(mpi_job("other", hello, main="main")))
    assert refused.code == 1 and "must have a container named worker" in refused.err, refused.err


def without_sshd(pod):
    """What is at sshd's place cannot be run."""
    pod["spec"]["volumes"] = [{"name": "no-sshd", "configMap": {"name": "no-sshd", "defaultMode": 0o444}}]
    pod["spec"]["containers"][0]["volumeMounts"] = [
        {"name": "no-sshd", "mountPath": "/usr/sbin/sshd", "subPath": "sshd"}]
    return pod


def test_without_sshd_mpirun_comes_in_through_the_api(server, hello):  # noqa: F811
    server.create(config_map("no-sshd", sshd="not a program"))
    made = mpi_job("nosshd", [hello], workers=2, extra=["-N", "2"], run_policy={"cleanUpWorkers": True})
    launcher, workers = made["spec"]["replicaSpecs"]
    launcher["template"] = without_sshd({"spec": {"containers": [{"name": "launcher", "image": "host"}]}})
    without_sshd(workers["template"])
    server.create(made)
    server.wait_phase("nosshd", "Succeeded", "mj")
    assert [line.split(" in ")[0] for line in ranks_in(log_of(server, "nosshd"))] == [
        f"rank {rank} of 4 on nosshd-worker-{rank // 2}" for rank in range(4)]
    assert ("NoSshd", "all 2 workers answer trainyard rsh: there is no sshd in the workers; mpirun does not use ssh.") in (
        server.events("nosshd")), server.events("nosshd")
    account = f"system:serviceaccount:default:{launcher_of(server, 'nosshd')}"
    for what, allowed in [(["create", f"pods/{name}", "--subresource=exec"], name.startswith("nosshd"))
                          for name in [launcher_of(server, "nosshd").replace("launcher", "worker-0"), "other"]]:
        asked = server.try_kubectl("auth", "can-i", *what, "--as", account)
        assert asked.out.strip() == ("yes" if allowed else "no"), (what, asked)
