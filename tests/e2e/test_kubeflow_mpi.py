"""Kubeflow's MPIJob as users of its operator write it: mpirun is the launcher's own command, workers are sshds. With the
real mpirun and sshd, as root and as an ordinary user, and what goes wrong with it."""

import json
import os

import pytest
from harness import wait_for
from jobs import conditions, config_map
from mpi import hello, ranks_in  # noqa: F401 (a fixture)
from servers import servers_of_both, user  # noqa: F401 (fixtures)

KIND = "mpijobs.kubeflow.org"


@pytest.fixture(scope="module")
def server(servers_of_both):  # noqa: F811
    return servers_of_both


@pytest.fixture
def root_server(server):
    """What needs no second look as another user, or another user cannot do."""
    if hasattr(server, "program"):
        pytest.skip("seen with root's server")
    return server


def role(count=1, restart=None, pod=None, **container):
    spec = {"terminationGracePeriodSeconds": 1, **(pod or {}),
            "containers": [{"name": "mpi", "image": "mpioperator/mpi-pi:openmpi",
                            "resources": {"requests": {"memory": "32Mi"}}, **container}]}
    made = {"replicas": count, "template": {"spec": spec}}
    return {**made, "restartPolicy": restart} if restart else made


def mpi_job(name, launcher, worker=None, run_policy=None, **spec):
    """`launcher` is its command, or a whole role."""
    if not isinstance(launcher, dict):
        launcher = role(command=list(launcher), restart="Never")
    return {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": name}, "spec": {
        "slotsPerWorker": 1, "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": 0, **(run_policy or {})},
        "mpiReplicaSpecs": {"Launcher": launcher, "Worker": worker or role(2)}, **spec}}


def wait_condition(server, name, condition, timeout=40):
    def reached():
        job = server.get(KIND, name)
        told = conditions(job) if "status" in job else {}
        ends = {kind for kind in ("Succeeded", "Failed") if told.get(kind, ("",))[0] == "True"}
        assert not ends - {condition}, (told, log_of(server, name))
        return told.get(condition, ("",))[0] == "True" and job
    try:
        return wait_for(f"{name} to be {condition}", reached, timeout)
    except AssertionError as missed:
        seen = [obj.get("status") for obj in [server.get(KIND, name), *server.pods(name)]]
        raise AssertionError(f"{missed}\n{json.dumps(seen, indent=1)}\n{server.events(name)}") from None


def log_of(server, name):
    return server.try_kubectl("logs", f"{name}-launcher", "-c", "mpi").out


def pods_of(server, name, *selectors):
    selector = ",".join([f"training.kubeflow.org/job-name={name}", *selectors])
    return sorted(pod["metadata"]["name"] for pod in server.list("pods", "-l", selector))


def test_a_job_written_for_the_operator(server, hello):  # noqa: F811
    server.create(mpi_job("pi", role(command=["mpirun"], args=["-n", "2", "hostname"])))
    job = wait_condition(server, "pi", "Succeeded")
    assert sorted(log_of(server, "pi").split("\n")[-3:]) == ["", "pi-worker-0", "pi-worker-1"], log_of(server, "pi")
    told = conditions(job)
    assert told["Created"] == ("True", "MPIJobCreated", "MPIJob default/pi is created.")
    assert told["Succeeded"] == ("True", "MPIJobSucceeded", "MPIJob default/pi successfully completed.")
    status = job["status"]
    assert status["replicaStatuses"]["Launcher"]["succeeded"] == 1
    assert status["startTime"] <= status["completionTime"]
    assert server.kubectl("get", KIND, "pi", "--no-headers").split()[:2] == ["pi", "Succeeded"]
    wait_for("the workers to go", lambda: pods_of(server, "pi") == ["pi-launcher"])
    assert pods_of(server, "pi", "training.kubeflow.org/job-role=launcher") == ["pi-launcher"]
    reasons = {reason for reason, _ in server.events("pi")}
    assert {"MPIJobCreated", "MPIJobSucceeded"} <= reasons, reasons
    assert "mpi-job-controller" in server.kubectl("describe", KIND, "pi")
    server.kubectl("delete", KIND, "pi")
    for kind in ["pods", "services", "secrets", "configmaps", "roles", "rolebindings"]:
        wait_for(f"{kind} to go", lambda kind=kind: not [one for one in server.list(kind)
                                                         if one["metadata"]["name"].startswith("pi")])


def test_processes_meet_and_have_what_mpirun_passes_on(server, hello):  # noqa: F811
    line = f"mpirun -np 4 -bind-to none -map-by slot -x COLOR -mca pml ob1 -mca btl ^openib {hello}"
    launcher = role(command=["/bin/bash", "-c", line], env=[{"name": "COLOR", "value": "red"}], restart="Never")
    server.create(mpi_job("meets", launcher, slotsPerWorker=2))
    wait_condition(server, "meets", "Succeeded")
    ranks = ranks_in(log_of(server, "meets"))
    assert [line.split(" in ")[0] for line in ranks] == [
        f"rank {rank} of 4 on meets-worker-{rank // 2}" for rank in range(4)], log_of(server, "meets")
    assert all(line.endswith("sum 6, color red") for line in ranks), ranks


def test_what_the_launcher_finds(server, hello):  # noqa: F811
    server.create(mpi_job("looks", ["sleep", "600"], run_policy={"cleanPodPolicy": "All"}))
    wait_condition(server, "looks", "Running")
    job = server.get(KIND, "looks")
    assert conditions(job)["Running"] == ("True", "MPIJobRunning", "MPIJob default/looks is running.")
    assert {role: counts["active"] for role, counts in job["status"]["replicaStatuses"].items()} == {
        "Launcher": 1, "Worker": 2}
    run = ["exec", "looks-launcher", "-c", "mpi", "--"]
    hosts = [f"looks-worker-{index}.looks.default.svc" for index in range(2)]
    assert server.kubectl(*run, "cat", "/etc/mpi/hostfile") == "".join(f"{host} slots=1\n" for host in hosts)
    assert server.kubectl(*run, "/etc/mpi/discover_hosts.sh").split() == hosts
    env = dict(line.split("=", 1) for line in server.kubectl(*run, "env").splitlines() if "=" in line)
    assert env["OMPI_MCA_orte_default_hostfile"] == "/etc/mpi/hostfile"
    assert (env["K_MPI_JOB_ROLE"], env["OMPI_MCA_orte_keep_fqdn_hostnames"]) == ("launcher", "true")
    by_hand = server.try_kubectl(*run, "mpirun", "hostname")
    assert sorted(by_hand.out.split()) == ["looks-worker-0", "looks-worker-1"], repr(by_hand)
    worker = server.get("pod", "looks-worker-1")
    assert worker["metadata"]["labels"]["training.kubeflow.org/replica-index"] == "1"
    assert worker["spec"]["subdomain"] == "looks"
    assert server.get("secret", "looks-ssh")["type"] == "kubernetes.io/ssh-auth"
    listed = server.cli("list").out
    assert any(row.split()[0] == "looks" and "Running" in row for row in listed.splitlines()), listed
    # Held, and let go again.
    server.kubectl("patch", KIND, "looks", "--type=merge", "-p", '{"spec": {"runPolicy": {"suspend": true}}}')
    job = wait_condition(server, "looks", "Suspended")
    assert conditions(job)["Suspended"][1:] == ("MPIJobSuspended", "MPIJob suspended")
    wait_for("the pods to go", lambda: pods_of(server, "looks") == [])
    assert server.cli("resume", "looks").code == 0
    wait_condition(server, "looks", "Running")
    assert conditions(server.get(KIND, "looks"))["Suspended"] == ("False", "MPIJobResumed", "MPIJob resumed")
    server.kubectl("delete", KIND, "looks")


def test_a_launcher_that_works_too(server, hello):  # noqa: F811
    server.create(mpi_job("both", ["mpirun", hello], runLauncherAsWorker=True))
    wait_condition(server, "both", "Succeeded")
    assert [line.split(" in ")[0] for line in ranks_in(log_of(server, "both"))] == [
        "rank 0 of 3 on both-launcher", "rank 1 of 3 on both-worker-0", "rank 2 of 3 on both-worker-1"]


def test_a_launcher_that_waits_for_its_workers(root_server, hello):  # noqa: F811
    server = root_server
    slow = role(2, readinessProbe={"exec": {"command": ["test", "-e", "/tmp/ready"]}, "periodSeconds": 1})
    server.create(mpi_job("waits", ["mpirun", "hostname"], slow, launcherCreationPolicy="WaitForWorkersReady"))
    workers = ["waits-worker-0", "waits-worker-1"]
    for name in workers:
        server.wait_phase(name, "Running", "pod")
    assert pods_of(server, "waits") == workers
    for name in workers:
        server.kubectl("exec", name, "--", "touch", "/tmp/ready")
    wait_condition(server, "waits", "Succeeded")


def test_another_user_with_keys_at_home(root_server, hello):  # noqa: F811
    """As the operator's own example has it: nobody here is called 1000, nor has that file."""
    server = root_server
    nobody = {"runAsUser": 1000}
    server.create(mpi_job(
        "theirs", role(command=["mpirun"], args=["-n", "2", hello], securityContext=nobody, restart="Never"),
        role(2, command=["/usr/sbin/sshd"], args=["-De", "-f", "/home/mpiuser/.sshd_config"], securityContext=nobody),
        sshAuthMountPath="/home/mpiuser/.ssh"))
    wait_condition(server, "theirs", "Succeeded")
    assert len(ranks_in(log_of(server, "theirs"))) == 2


def test_an_account_of_this_machine_uses_ssh(root_server, hello, user):  # noqa: F811
    server = root_server
    them = {"runAsUser": user.pw_uid, "runAsGroup": user.pw_gid}
    server.create(mpi_job("account", role(command=["mpirun", "id", "-un"], securityContext=them, restart="Never"),
                          role(2, securityContext=them), sshAuthMountPath="/home/mpiuser/.ssh"))
    wait_condition(server, "account", "Succeeded")
    assert log_of(server, "account").split().count(user.pw_name) == 2, log_of(server, "account")
    said = server.get("pod", "account-launcher")["status"]["initContainerStatuses"][0]["state"]["terminated"]["message"]
    assert said.strip() == "all 2 workers answer ssh"


def test_workers_with_a_command_of_their_own(root_server, hello):  # noqa: F811
    server = root_server
    server.create(mpi_job("own", ["mpirun", "hostname"], role(2, command=["sleep", "600"])))
    wait_condition(server, "own", "Succeeded")
    assert {"own-worker-0", "own-worker-1"} <= set(log_of(server, "own").split())
    assert ("NoSshd", "all 2 workers answer trainyard rsh: the workers run a command of their own; mpirun does not use "
            "ssh.") in server.events("own"), server.events("own")


def test_two_at_once_of_both_kinds(server, hello):  # noqa: F811
    for name in ["left", "right"]:
        server.create(mpi_job(name, ["mpirun", hello, "1"]))
    worker = {"spec": {"containers": [{"name": "worker", "image": "host"}]}}
    server.create({"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "MPIJob", "metadata": {"name": "third"}, "spec": {
        "mpiConfig": {"script": [hello, "1"]}, "replicaSpecs": [{"type": "worker", "replicas": 2, "template": worker}]}})
    for name in ["left", "right"]:
        wait_condition(server, name, "Succeeded")
        assert [line.split(" in ")[0] for line in ranks_in(log_of(server, name))] == [
            f"rank {index} of 2 on {name}-worker-{index}" for index in range(2)]
    server.wait_phase("third", "Succeeded", "mj")


# ---- what goes wrong -----------------------------------------------------------------------------


def why_failed(server, name):
    return conditions(wait_condition(server, name, "Failed"))["Failed"]


def test_a_command_that_fails(server, hello):  # noqa: F811
    server.create(mpi_job("fails", ["mpirun", "--frobnicate", "x"], run_policy={"cleanPodPolicy": None}))
    _, reason, message = why_failed(server, "fails")
    assert reason == "BackoffLimitExceeded", message
    assert message.startswith("Job has reached the specified backoff limit: Pod[fails-launcher] exited with error code 1")
    assert 'mpirun: Error: unknown option "--frobnicate"' in message, message
    wait_for("no worker to linger", lambda: pods_of(server, "fails") == ["fails-launcher"])


def test_a_worker_that_is_lost(root_server, hello):  # noqa: F811
    """The launcher would be started again, as the operator does by default, and could never reach all workers."""
    server = root_server
    made = mpi_job("loses", role(command=["mpirun", hello, "600"]))
    del made["spec"]["runPolicy"]
    server.create(made)
    wait_for("the ranks", lambda: len(ranks_in(log_of(server, "loses"))) == 2, 40)
    server.try_kubectl("exec", "loses-worker-1", "--", "sh", "-c", "kill -9 $(pgrep -o sshd)")
    _, reason, message = why_failed(server, "loses")
    assert message.startswith("MPIJob default/loses has failed: Pod[loses-worker-1] exited with error code 137"), message
    assert reason == "MPIJobFailed"
    wait_for("the others to go", lambda: pods_of(server, "loses") == ["loses-worker-1"], 30)
    assert "loses-worker-1" in server.cli("logs", "loses", "-i", "launcher").out, "its last log stays"


def test_a_way_that_is_barred_is_named(root_server, hello):  # noqa: F811
    server = root_server
    deaf = f"{os.path.dirname(hello)}/sshd"
    with open(deaf, "w") as file:
        file.write("#!/bin/sh\nexec sleep 600\n")
    os.chmod(deaf, 0o755)
    made = mpi_job("barred", role(command=["mpirun", "hostname"]), role(2, command=[deaf]))
    made["metadata"]["annotations"] = {"trainyard.dev/preflight-seconds": "2"}
    server.create(made)
    _, _, message = why_failed(server, "barred")
    assert "cannot reach all workers: " in message, message
    assert "launcher -> barred-worker-1.barred.default.svc: ssh: connect to host" in message, message
    wait_for("nobody to linger", lambda: pods_of(server, "barred") == [])


def test_the_deadline_and_the_end_of_its_life(root_server, hello):  # noqa: F811
    server = root_server
    server.create(mpi_job("late", ["sleep", "600"], run_policy={"activeDeadlineSeconds": 3, "ttlSecondsAfterFinished": 2}))
    assert why_failed(server, "late")[1:] == ("DeadlineExceeded", "Job was active longer than specified deadline")
    wait_for("the job to go", lambda: server.get(KIND, "late") is None)
    wait_for("its pods to go", lambda: pods_of(server, "late") == [])


def test_a_config_map_of_somebody_else_is_not_touched(root_server, hello):  # noqa: F811
    server = root_server
    server.create(config_map("taken-config", mine="yes"))
    server.create(mpi_job("taken", ["mpirun", "hostname"]))
    wait_for("the refusal", lambda: any("taken-config is there and is not the job's" in message
                                        for _, message in server.events("taken")))
    assert server.get("configmap", "taken-config")["data"] == {"mine": "yes"}
    server.kubectl("delete", "configmap", "taken-config")
    wait_condition(server, "taken", "Succeeded")


BAD = {
    "no launcher": ({"Worker": role(2)}, "spec.mpiReplicaSpecs[Launcher]: Required value"),
    "two launchers": ({"Launcher": role(2)}, "spec.mpiReplicaSpecs[Launcher].replicas: Invalid value: 2: must be 1"),
    "no worker in Worker": ({"Launcher": role(), "Worker": role(0)}, "must be greater than or equal to 1"),
    "another restart": ({"Launcher": role(restart="Always")}, 'Unsupported value: "Always"'),
    "another role": ({"Launcher": role(), "Master": role()}, 'Unsupported value: "Master"'),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_specs_are_refused_with_their_field(root_server, what):
    roles, words = BAD[what]
    made = mpi_job("bad", ["true"])
    made["spec"]["mpiReplicaSpecs"] = roles
    refused = root_server.try_kubectl("create", "-f", "-", input=json.dumps(made))
    assert refused.code == 1 and words in refused.err, refused.err


def test_explain_tells_what_becomes_of_it(root_server):
    made = root_server.folder / "explained.json"
    made.write_text(json.dumps(mpi_job("explained", role(command=["mpirun", "x"]), run_policy={"backoffLimit": 3})))
    told = root_server.cli("explain", "-f", made)
    assert told.code == 0, repr(told)
    assert "launcher-0 stays, and its node starts the container again; the job fails at restart 3" in told.out, told.out
