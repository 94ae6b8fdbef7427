"""Kubeflow's PyTorchJob and TFJob, as users of its training operator know them."""

import json
import textwrap

import pytest
from harness import VENV, wait_for
from jobs import conditions
from pages import Visitor, chromium, expect_soon  # noqa: F401 (a fixture)

PYTHON = str(VENV / "bin/python")


@pytest.fixture
def server(shared_server):
    return shared_server


def role(script, container, count=None, restart="Never", python=False, **spec):
    command = [PYTHON, "-c", textwrap.dedent(script)] if python else ["sh", "-c", script]
    made = {"restartPolicy": restart,
            "template": {"spec": {"terminationGracePeriodSeconds": 1, "containers": [
                {"name": container, "image": "host", "command": command,
                 "resources": {"requests": {"memory": "16Mi"}}}], **spec}}}
    return made if count is None else {"replicas": count, **made}


def torch_role(script, count=None, **more):
    return role(script, "pytorch", count, **more)


def pytorch_job(name, run_policy=None, more=None, **roles):
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name},
            "spec": {"pytorchReplicaSpecs": roles, "runPolicy": run_policy or {}, **(more or {})}}


def tf_job(name, run_policy=None, more=None, **roles):
    return {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": name},
            "spec": {"tfReplicaSpecs": roles, "runPolicy": run_policy or {}, **(more or {})}}


def wait_condition(server, name, condition, kind="pytorchjob", timeout=40):
    """As scripts do; the job."""
    done = server.try_kubectl("wait", f"--for=condition={condition}", f"{kind}/{name}", f"--timeout={timeout}s",
                              timeout=timeout + 5)
    job = server.get(kind, name)
    assert done.code == 0, (repr(done), json.dumps(job["status"], indent=1), server.events(name))
    return job


def pods_of(server, name):
    return sorted(pod["metadata"]["name"] for pod in server.list(
        "pods", "-l", f"training.kubeflow.org/job-name={name}"))


# ---- training for real ---------------------------------------------------------------------------

DDP = """
    import torch, torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    dist.init_process_group("gloo")
    torch.manual_seed(dist.get_rank())
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    step = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        step.zero_grad()
        model(torch.rand(8, 4)).sum().backward()
        step.step()
    total = torch.tensor([float(dist.get_rank())])
    dist.all_reduce(total)
    print(f"rank {dist.get_rank()} of {dist.get_world_size()}: sum {int(total)}, "
          f"weight {model.module.weight.sum().item():.6f}")
"""


def test_ddp_on_a_master_and_two_workers(server, torch):
    server.create(pytorch_job("ddp", Master=torch_role(DDP, 1, python=True), Worker=torch_role(DDP, 2, python=True)))
    job = wait_condition(server, "ddp", "Succeeded", timeout=90)
    assert pods_of(server, "ddp") == ["ddp-master-0", "ddp-worker-0", "ddp-worker-1"]
    logs = {pod: server.kubectl("logs", pod).strip() for pod in pods_of(server, "ddp")}
    assert logs["ddp-master-0"].startswith("rank 0 of 3: sum 3"), logs
    assert logs["ddp-worker-1"].startswith("rank 2 of 3: sum 3"), logs
    assert len({line.split("weight")[1] for line in logs.values()}) == 1, logs
    assert conditions(job)["Succeeded"] == ("True", "PyTorchJobSucceeded", "PyTorchJob ddp is successfully completed.")
    assert conditions(job)["Running"][:2] == ("False", "PyTorchJobRunning")
    assert job["status"]["conditions"][-1]["lastUpdateTime"] == job["status"]["completionTime"]
    assert job["status"]["replicaStatuses"]["Worker"]["succeeded"] == 2
    header, line = server.kubectl("get", "pytorchjobs", "ddp").splitlines()
    assert header.split() == ["NAME", "STATE", "AGE"] and line.split()[:2] == ["ddp", "Succeeded"]
    told = server.events("ddp")
    for event in [("SuccessfulCreatePod", "Created pod: ddp-worker-1"),
                  ("SuccessfulCreateService", "Created service: ddp-master-0"),
                  ("ExitedWithCode", "Pod: default.ddp-master-0 exited with code 0"),
                  ("PyTorchJobSucceeded", "PyTorchJob ddp is successfully completed.")]:
        assert event in told, told
    assert "pytorchjob-controller" in server.kubectl("describe", "pytorchjob", "ddp")
    service = server.get("service", "ddp-worker-0")
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["ports"][0]["name"] == "pytorchjob-port"


ELASTIC = """
import os, sys, time
print("world", os.environ["WORLD_SIZE"], "rank", os.environ["RANK"], flush=True)
while os.environ["WORLD_SIZE"] == "1":
    time.sleep(0.1)
"""


def test_elastic_workers_are_scaled_while_torchrun_runs(server, torch):
    mapped = server.cli("image", "map", "elastic", "--venv", VENV, "--env", "PET_MONITOR_INTERVAL=0.2")
    assert mapped.code == 0, repr(mapped)
    script = f"cat > /tmp/train.py <<'END'{ELASTIC}END\nexec python -m torch.distributed.run /tmp/train.py"
    worker = torch_role(script, 1, restart="OnFailure")
    worker["template"]["spec"]["containers"][0]["image"] = "elastic"
    conf = [{"key": "last_call_timeout", "value": "1"}]
    policy = {"minReplicas": 1, "maxReplicas": 2, "maxRestarts": 3, "rdzvConf": conf}
    server.create(pytorch_job("elastic", more={"elasticPolicy": policy}, Worker=worker))
    wait_for("one worker to train", lambda: "world 1 rank 0" in server.try_kubectl("logs", "elastic-worker-0").out, 60)
    server.kubectl("scale", "pytorchjob/elastic", "--replicas=2")
    wait_condition(server, "elastic", "Succeeded", timeout=60)
    assert "world 2" in server.kubectl("logs", "elastic-worker-0")
    assert server.get("pytorchjob", "elastic")["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 2


MEET = """
    import os, socket, time
    host, port, rank = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), int(os.environ["RANK"])
    size = int(os.environ["WORLD_SIZE"])
    print(os.environ["PET_NODE_RANK"], os.environ["PET_NNODES"], os.environ["PET_NPROC_PER_NODE"])
    if rank == 0:
        listener = socket.create_server(("", port))
        for _ in range(size - 1):
            print(listener.accept()[0].makefile().read(), flush=True)
    else:
        while True:
            try:
                with socket.create_connection((host, port)) as master:
                    master.sendall(f"{os.environ['JOB']} rank {rank}".encode())
                break
            except OSError:
                time.sleep(0.05)
"""


def meeting_job(name):
    made = pytorch_job(name, more={"nprocPerNode": "2"}, Master=torch_role(MEET, python=True),
                       Worker=torch_role(MEET, 1, python=True))
    for spec in made["spec"]["pytorchReplicaSpecs"].values():
        spec["template"]["spec"]["containers"][0]["env"] = [{"name": "JOB", "value": name}]
    return made


def test_two_jobs_meet_at_different_ports(server):
    for name in ("left", "right"):
        made = meeting_job(name)
        made["spec"]["nprocPerNode"] = "1"
        server.create(made)
    for name in ("left", "right"):
        wait_condition(server, name, "Succeeded")
        assert server.kubectl("logs", f"{name}-master-0") == f"0 2 1\n{name} rank 1\n"


# ---- TF_CONFIG -----------------------------------------------------------------------------------

TALK = """
    import json, os, socket, threading, time
    config = json.loads(os.environ["TF_CONFIG"])
    task = config["task"]
    print(json.dumps(config), flush=True)
    cluster = config["cluster"]
    if task["type"] in cluster:
        own = cluster[task["type"]][task["index"]]
        listener = socket.create_server(("", int(own.rsplit(":", 1)[1])), backlog=64)
    def call(place):
        host, port = place.rsplit(":", 1)
        for _ in range(400):
            try:
                return socket.create_connection((host, int(port)), timeout=5).close()
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"{place} does not answer")
    for place in [place for places in cluster.values() for place in places]:
        call(place)
    print("all answer", flush=True)
    if task["type"] != "chief":
        call(cluster["chief"][0])  # once more, to say so
        time.sleep(600)
    for _ in range(1 + 4 * 2):  # the job ends with the chief: not before the four others have said so
        listener.accept()
"""


def test_tf_config_leads_every_replica_to_the_others(server):
    roles = {name: role(TALK, "tensorflow", count, python=True)
             for name, count in (("Chief", 1), ("PS", 1), ("Worker", 2), ("Evaluator", 1))}
    server.create(tf_job("tf", {"cleanPodPolicy": "All"}, **roles))
    for pod in ("tf-ps-0", "tf-worker-0", "tf-worker-1", "tf-evaluator-0"):
        wait_for(f"{pod} to reach all", lambda pod=pod: "all answer" in server.cli("logs", "tf", "--replica", pod[3:]).out)
    config = json.loads(server.cli("logs", "tf", "--replica", "worker-1").out.splitlines()[0])
    assert config["task"] == {"type": "worker", "index": 1} and config["environment"] == "cloud"
    assert sorted(config["cluster"]) == ["chief", "ps", "worker"]
    assert config["cluster"]["worker"][1].startswith("tf-worker-1.default.svc:")
    job = wait_condition(server, "tf", "Succeeded", "tfjob")
    assert conditions(job)["Succeeded"][2] == "TFJob default/tf successfully completed."
    wait_for("all pods to go", lambda: pods_of(server, "tf") == [])
    assert job["status"]["replicaStatuses"]["Chief"]["succeeded"] == 1


def test_a_single_tf_worker_trains_for_itself(server):
    server.create(tf_job("alone", Worker=role('test -z "${TF_CONFIG+x}" && echo alone', "tensorflow")))
    wait_condition(server, "alone", "Succeeded", "tfjob")
    assert server.kubectl("get", "tfjobs", "alone", "--no-headers").split()[:2] == ["alone", "Succeeded"]


# ---- ends and restarts ---------------------------------------------------------------------------


def test_suspend_and_resume_with_kubectl_and_trainyard(server):
    script = "echo up; exec sleep 600"
    server.create(pytorch_job("held", {"suspend": True}, Master=torch_role(script), Worker=torch_role(script, 2)))
    job = wait_condition(server, "held", "Suspended")
    assert conditions(job)["Suspended"] == ("True", "PyTorchJobSuspended", "PyTorchJob held is suspended.")
    assert pods_of(server, "held") == [] and "startTime" not in job["status"]
    server.kubectl("patch", "pytorchjob", "held", "--type=merge", "-p", '{"spec": {"runPolicy": {"suspend": false}}}')
    job = wait_condition(server, "held", "Running")
    assert conditions(job)["Suspended"] == ("False", "PyTorchJobResumed", "PyTorchJob held is resumed.")
    assert server.kubectl("get", "pytorchjob", "held", "--no-headers").split()[1] == "Running"
    assert server.cli("pause", "held").code == 0
    wait_for("the pods to go", lambda: pods_of(server, "held") == [])
    assert conditions(server.get("pytorchjob", "held"))["Running"][:2] == ("False", "PyTorchJobSuspended")
    assert server.cli("resume", "held").code == 0
    wait_condition(server, "held", "Running")
    listed = server.cli("list").out
    assert any(line.split()[0] == "held" and "Running" in line for line in listed.splitlines()), listed
    assert "held-worker-1" in server.cli("get", "held").out
    assert server.cli("delete", "held").code == 0
    wait_for("all to go", lambda: pods_of(server, "held") == [] and not server.get("service", "held-master-0"))


def test_clean_pod_policy_running_and_ttl(server):
    server.create(pytorch_job("brief", {"cleanPodPolicy": "Running", "ttlSecondsAfterFinished": 3},
                              Master=torch_role("exit 0"), Worker=torch_role("exec sleep 600", 1)))
    wait_condition(server, "brief", "Succeeded")
    wait_for("the worker to go", lambda: pods_of(server, "brief") in (["brief-master-0"], []))
    wait_for("the job to go", lambda: server.get("pytorchjob", "brief") is None)
    wait_for("its pods to go", lambda: pods_of(server, "brief") == [])


def test_backoff_limit_counts_restarts_in_place(server):
    server.create(pytorch_job("stubborn", {"backoffLimit": 1}, Master=torch_role("exec sleep 600"),
                              Worker=torch_role("echo no data >&2; exit 5", 1, restart="OnFailure")))
    told = conditions(wait_condition(server, "stubborn", "Failed"))["Failed"]
    assert told[1] == "PyTorchJobFailed"
    assert told[2].startswith("Job stubborn has failed because it has reached the specified backoff limit: "
                              "Pod[stubborn-worker-0] exited with error code 5"), told
    assert "no data" in told[2]
    wait_for("all pods to go", lambda: pods_of(server, "stubborn") == [])


def test_exit_code_restarts_after_signals_only(server):
    tries = "echo again >> /tries/log; test $(wc -l < /tries/log) -gt 1 || exit 137; exit 3"
    folder = server.folder / "tries"
    folder.mkdir()
    folder.chmod(0o777)
    assert server.cli("data", "create", "tries", "--path", folder).code == 0
    worker = torch_role(tries, 1, restart="ExitCode",
                        volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "tries"}}])
    worker["template"]["spec"]["containers"][0]["volumeMounts"] = [{"name": "v", "mountPath": "/tries"}]
    server.create(pytorch_job("moody", {"cleanPodPolicy": "Running"}, Master=torch_role("exec sleep 600"),
                              Worker=worker))
    told = conditions(wait_condition(server, "moody", "Failed"))["Failed"]
    assert told[2].startswith("PyTorchJob moody is failed because 1 Worker replica(s) failed: "
                              "Pod[moody-worker-0] exited with error code 3"), told
    assert (folder / "log").read_text() == "again\nagain\n"
    assert ("PyTorchJobRestarting", "PyTorchJob moody is restarting because 1 Worker replica(s) failed.") in \
        server.events("moody")
    assert server.cli("wait", "moody", "--for", "failed").code == 0


def test_a_quota_that_is_used_up_is_told(server):
    server.kubectl("create", "namespace", "small")
    server.kubectl("create", "quota", "few", "--hard=pods=1", "-n", "small")
    made = pytorch_job("crowd", Master=torch_role("exit 0"), Worker=torch_role("exit 0", 1))
    server.kubectl("create", "-n", "small", "-f", "-", input=json.dumps(made))
    wait_for("the refusal", lambda: "exceeded quota: few" in server.kubectl("get", "events", "-n", "small"))
    assert "FailedCreatePod" in server.kubectl("describe", "pytorchjob", "crowd", "-n", "small")
    assert server.kubectl("get", "pytorchjob", "crowd", "-n", "small", "--no-headers").split()[1] == "Created"
    server.kubectl("delete", "quota", "few", "-n", "small")
    server.kubectl("wait", "--for=condition=Succeeded", "pytorchjob/crowd", "-n", "small", "--timeout=40s")


def test_the_console_shows_a_failed_job_whose_pods_are_gone(server, chromium):  # noqa: F811
    server.create(pytorch_job("gone", {"cleanPodPolicy": "All"}, Master=torch_role("exec sleep 600"),
                              Worker=torch_role("echo no such data >&2; exit 4", 2)))
    wait_condition(server, "gone", "Failed")
    wait_for("all pods to go", lambda: pods_of(server, "gone") == [])
    visitor = Visitor(chromium, server, "en")
    page = visitor.page
    page.goto(f"http://{server.console}/#/jobs/default/pytorchjobs.kubeflow.org/gone")
    page.get_by_text("PyTorchJob gone is failed because").first.wait_for()
    expect_soon("the last words", lambda: "no such data" in page.get_by_role("log").inner_text(),
                lambda: page.inner_text("body"))
    page.get_by_role("tab", name="Replicas").or_(page.get_by_role("link", name="Replicas")).first.click()
    for replica in ("gone-master-0", "gone-worker-1"):
        page.get_by_role("row", name=replica).first.wait_for()
    visitor.close()


# ---- what is refused, and what is explained ------------------------------------------------------

BAD = {
    "nobody": (pytorch_job("bad"), ["spec.pytorchReplicaSpecs"]),
    "two masters": (pytorch_job("bad", Master=torch_role("true", 2)),
                    ["spec.pytorchReplicaSpecs[Master].replicas", "must be 1"]),
    "another container": (pytorch_job("bad", Master=role("true", "python")),
                          ["spec.pytorchReplicaSpecs[Master].template.spec.containers", "pytorch"]),
    "bounds upside down": (pytorch_job("bad", more={"elasticPolicy": {"minReplicas": 3, "maxReplicas": 2}},
                                       Worker=torch_role("true")), ["spec.elasticPolicy.maxReplicas", "minReplicas"]),
    "clean-up": (pytorch_job("bad", {"cleanPodPolicy": "Some"}, Master=torch_role("true")),
                 ["spec.runPolicy.cleanPodPolicy", "Some", "Running"]),
    "restarts": (tf_job("bad", Worker=role("true", "tensorflow", restart="Perhaps")),
                 ["spec.tfReplicaSpecs", "restartPolicy", "Perhaps", "ExitCode"]),
    "no tensorflow": (tf_job("bad", Worker=role("true", "main")),
                      ["spec.tfReplicaSpecs[Worker].template.spec.containers", "tensorflow"]),
    "nobody in a TFJob": (tf_job("bad"), ["spec.tfReplicaSpecs"]),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_specs_are_refused_with_their_field(server, what):
    job, words = BAD[what]
    refused = server.try_kubectl("create", "-f", "-", input=json.dumps(job))
    assert refused.code != 0, refused.out
    for word in words:
        assert word in refused.err, refused.err


def test_explain_tells_what_the_node_restarts(server):
    made = server.folder / "explained.json"
    made.write_text(json.dumps(pytorch_job("explained", {"backoffLimit": 3},
                                           Master=torch_role("true", restart="OnFailure"),
                                           Worker=torch_role("true", 2, restart="ExitCode"))))
    told = server.cli("explain", "-f", made)
    assert told.code == 0, repr(told)
    assert "master-0 stays, and its node starts the container again; the job fails at restart 3" in told.out
    assert "worker-0 is replaced, and the others go on; counts as 1 restart" in told.out


def test_the_python_client_reads_what_the_sdk_does(server):
    kubernetes = pytest.importorskip("kubernetes", reason="tools/setup python installs it")
    api = kubernetes.client.CustomObjectsApi(
        kubernetes.config.new_client_from_config(config_file=str(server.data / "kubeconfig")))
    place = dict(group="kubeflow.org", version="v1", namespace="default", plural="pytorchjobs")
    api.create_namespaced_custom_object(body=pytorch_job("sdk", Master=torch_role("echo trained")), **place)

    def has_succeeded():
        job = api.get_namespaced_custom_object(name="sdk", **place)
        return any(c["type"] == "Succeeded" and c["status"] == "True" for c in job.get("status", {}).get("conditions", []))
    wait_for("the job's success", has_succeeded)
    core = kubernetes.client.CoreV1Api(api.api_client)
    [master] = core.list_namespaced_pod("default", label_selector=(
        "training.kubeflow.org/job-name=sdk,training.kubeflow.org/job-role=master")).items
    assert core.read_namespaced_pod_log(master.metadata.name, "default") == "trained\n"
    api.delete_namespaced_custom_object(name="sdk", **place)
    wait_for("it to go", lambda: server.get("pytorchjob", "sdk") is None)
